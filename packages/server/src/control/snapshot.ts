import * as z from 'zod/mini';
import type { Dump } from '../store/store.js';
import { definitionOf, type TableName, tableNames } from '../store/tables.js';
import { checked } from './checked.js';
import { type ClockPosition, possible } from './clock.js';
import { countedFault, type Fault } from './fault-rules.js';

/** Everything that the control verbs can set, as plain JSON: it may be kept in a file and read again. Tokens are in it as digests. */
export interface Snapshot {
  readonly version: 1;
  readonly tables: Readonly<Record<string, readonly object[]>>;
  readonly serials: Readonly<Record<string, number>>;
  readonly clock: ClockPosition;
  readonly faults: readonly Fault[];
}

const shape = z.object(
  {
    version: z.literal(1, 'is not 1: another version of this program made the snapshot'),
    tables: z.record(
      z.string(),
      z.array(z.record(z.string(), z.unknown(), 'must be a row'), 'must be a list of rows'),
      'must be an object of tables',
    ),
    serials: z.record(z.string(), z.int('must be a whole number'), 'must be an object of numbers'),
    clock: z.object({ offset: z.number(), frozenAt: z.nullable(z.number()) }, 'must be the clock of a snapshot'),
    faults: z.array(countedFault, 'must be a list'),
  },
  'must be what a snapshot gave',
);

type Values = Readonly<Record<string, unknown>>;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** The rows of a table with its byte columns changed: JSON has no bytes. */
const withBytes = (table: TableName, rows: readonly object[], change: (value: never) => unknown) => {
  const columns = Object.entries(definitionOf(table).columns).flatMap(([name, type]) =>
    type === 'bytes' ? [name] : [],
  );
  if (columns.length === 0) return rows;
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(columns.map((name) => [name, change((row as Values)[name] as never)])),
  }));
};

export function snapshotOf(dump: Dump, clock: ClockPosition, faults: readonly Fault[]): Snapshot {
  const tables = tableNames.map((name) => [name, withBytes(name, dump.tables[name], base64)]);
  return { version: 1, tables: Object.fromEntries(tables), serials: { ...dump.serials }, clock, faults };
}

/** @throws {ControlError} for what is no snapshot */
export async function dumpOf(given: Snapshot): Promise<{ readonly dump: Dump; readonly snapshot: Snapshot }> {
  const snapshot = checked('snapshot', shape, given) as unknown as Snapshot;
  const { clock, tables, serials } = snapshot;
  possible(clock.frozenAt ?? Date.now() + clock.offset);
  const { checkRows } = await import('./on-demand.js');
  const loaded = tableNames.map((name) => {
    checkRows(name, definitionOf(name), tables);
    return [name, withBytes(name, tables[name] ?? [], bytesOf)];
  });
  return { dump: { tables: Object.fromEntries(loaded), serials }, snapshot };
}
