import * as z from 'zod/mini';
import { inRange, onlyFields, text } from './errors.js';
import { sought } from './matching.js';

const count = (least: number) =>
  z.int('must be a whole number').check(z.minimum(least, `must be a whole number, ${least} or more`));

const match = onlyFields(sought);
/** Matches requests that have all given properties. */
export type FaultMatch = Readonly<z.infer<typeof match>>;

/** Milliseconds, or the least and the most: such delays are spread evenly, and are the same in every run. */
export type Milliseconds = number | readonly [least: number, most: number];
const range = 'must be milliseconds from 0, or two of them: the least and the most';
const milliseconds = z.number(range).check(z.minimum(0, range));
/** Whether it is two numbers, the first not above the second. */
const isRange = ([least = 0, most = -1, ...others]: number[]) => least <= most && others.length === 0;
export const duration = z.union(
  [milliseconds, z.array(milliseconds).check(z.refine(isRange, range))],
  range,
) as unknown as z.ZodMiniType<Milliseconds>;

/**
 * Fields that replace those of the response, in a list those of every item; or a function that gets the JSON and returns
 * other JSON. Functions are only possible in the mock, and are not part of snapshots.
 */
export type Patch = Readonly<Record<string, unknown>> | ((json: never) => unknown);
const patch = z.custom<Patch>(
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
  'must be an object with the fields to replace, or a function',
);

const on = z.literal(true, 'must be true');
const statusRange = 'must be a status from 400 to 599';
const status = inRange(z.int(statusRange), 400, 599, statusRange);
/** The effect may come later. */
const withDelay = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject({ delay: z.optional(duration), ...shape });
const effect = z.union(
  [
    withDelay({
      /** Rejects the request in the API's error format. */
      status,
      /** Seconds. */
      retryAfter: z.optional(count(0)),
      message: z.optional(text),
      /** The messages of a 422 by field. */
      errors: z.optional(z.catchall(z.object({}), z.array(z.string()))),
    }).check(
      z.refine(
        ({ status, errors }) => errors === undefined || status === 422,
        'has errors by field, which need the status 422',
      ),
    ),
    z.strictObject({
      /** The normal response, this much later. */
      delay: duration,
    }),
    withDelay({
      /** Closes the connection after this many bytes of the body. */
      truncate: count(0),
    }),
    withDelay({
      /** Sends the body at this many bytes per second. */
      slowBody: count(1),
    }),
    withDelay({
      /** Changes the JSON of a successful response, which then has no ETag. */
      patch,
    }),
    withDelay({
      /** Sends no response. Ends when the client gives up, or when faults are cleared. */
      hang: on,
    }),
    withDelay({
      /** Closes the connection before the response. */
      drop: on,
    }),
    withDelay({
      /** Sends a complete response with half of the JSON missing. */
      malformed: on,
    }),
    withDelay({
      /** Sends an HTML page instead of the JSON, with the same status, like a captive portal. */
      wrongType: on,
    }),
    withDelay({
      /** Sends a 304 for every If-None-Match, like a broken cache. Requests without the header are not matched. */
      staleEtag: on,
    }),
    z.enum(['hang', 'drop', 'malformed', 'wrongType', 'staleEtag']),
  ],
  'must be one effect: { status: 503, retryAfter?, message? }, { status: 422, errors? }, { delay: ms }, { patch: fields }, { hang: true }, { drop: true }, { truncate: bytes }, { malformed: true }, { wrongType: true }, { slowBody: bytesPerSecond } or { staleEtag: true }; each also with a delay',
);
/**
 * The effect of a fault on a request: one of these, each also with a `delay`; or the name of an effect without a value. With
 * `status`, `hang` and `drop`, the request never reaches the marketplace. The others change the response; responses without
 * a body stay as they are.
 */
export type FaultEffect = Readonly<z.infer<typeof effect>>;

const rule = {
  /** By default every request. */
  match: z.optional(match),
  effect,
  /** How many requests it applies to; unlimited by default. */
  times: z.optional(count(1)),
  /** How many matching requests to skip first. @default 0 */
  after: z.optional(count(0)),
  /** Applies to every n-th of the remaining requests. @default 1 */
  every: z.optional(count(1)),
};
export const faultRule = onlyFields(rule);
/** A fault to inject. Deterministic: it applies by counting requests. */
export type FaultRule = Readonly<z.infer<typeof faultRule>>;

/** A fault in a snapshot, with its counts. */
export const countedFault = z.strictObject(
  {
    ...rule,
    id: text,
    /** How many matching requests reached it. */
    seen: count(0),
    /** How many requests it was applied to. */
    hits: count(0),
  },
  'must be a fault',
);
/** A fault that was added. */
export type Fault = Readonly<z.infer<typeof countedFault>>;
