import type { Dump } from '../store/store.js';
import { definitionOf, type TableName, tableNames } from '../store/tables.js';
import type { ClockPosition } from './clock.js';
import type { Fault } from './fault-rules.js';

/** Everything that the control verbs can set, as plain JSON: it may be kept in a file and read again. Tokens are in it as digests. */
export interface Snapshot {
  readonly version: 1;
  readonly tables: Readonly<Record<string, readonly object[]>>;
  readonly serials: Readonly<Record<string, number>>;
  readonly clock: ClockPosition;
  readonly faults: readonly Fault[];
}

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

/** What the store loads of a snapshot that was checked. */
export function dumpOf({ tables, serials }: Snapshot): Dump {
  const loaded = tableNames.map((name) => [name, withBytes(name, tables[name] ?? [], bytesOf)]);
  return { tables: Object.fromEntries(loaded), serials };
}
