import * as z from 'zod/mini';
import { filled } from './act-inputs.js';
import type { ClockPosition } from './clock.js';
import { inRange, oneOf, onlyFields, text } from './errors.js';
import { countedFault, duration, type Fault, type Milliseconds } from './fault-rules.js';
import type { AnySeed } from './new-items.js';

const speedRange = 'must be a number from 1 to 1000000';

export const simulateOptions = onlyFields({
  /** From 1 to 1,000,000. @default 1 */
  speed: z.optional(inRange(z.number(speedRange), 1, 1_000_000, speedRange)),
});
export type SimulateOptions = Readonly<z.infer<typeof simulateOptions>>;

/** All state that the test controls can set, as plain JSON that can be stored in a file. Contains digests of tokens. */
export interface Snapshot {
  readonly version: 1;
  readonly tables: Readonly<Record<string, readonly object[]>>;
  readonly serials: Readonly<Record<string, number>>;
  readonly clock: ClockPosition;
  readonly faults: readonly Fault[];
  /** The delay of responses; older snapshots have none. */
  readonly latency?: Milliseconds | undefined;
  /** The simulation that ran; without one, `restore` leaves it as it is. */
  readonly simulation?: SimulateOptions | undefined;
}

export const snapshotShape: z.ZodMiniType<Snapshot> = z.object(
  {
    version: z.literal(1, 'is not 1: the snapshot was made by another version of this program'),
    tables: z.record(
      z.string(),
      z.array(z.record(z.string(), z.unknown(), 'must be a row'), 'must be a list of rows'),
      'must be an object of tables',
    ),
    serials: z.record(z.string(), z.int('must be a whole number'), 'must be an object of numbers'),
    clock: z.object({ offset: z.number(), frozenAt: z.nullable(z.number()) }, 'must be the clock of a snapshot'),
    faults: z.array(countedFault, 'must be a list'),
    latency: z.optional(duration),
    simulation: z.optional(simulateOptions),
  },
  'must be a snapshot',
);

export const newToken = onlyFields({
  /** Id or e-mail address. */
  user: text,
  permission: oneOf(['read', 'write']),
  description: z.optional(filled),
});
export type NewToken = Readonly<z.infer<typeof newToken>>;

export const seedSource = z.custom<AnySeed>(
  (source) => typeof source === 'string' || (typeof source === 'object' && source !== null),
  'must be demo, empty, large, or the text or object of a seed file',
);
