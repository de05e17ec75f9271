import type { Dump } from '../store/store.js';
import { definitionOf, type TableName, tableNames } from '../store/tables.js';
import type { ClockPosition } from './clock.js';
import type { Fault } from './fault-rules.js';

/** All state that the test controls can set, as plain JSON that can be stored in a file. Contains digests of tokens. */
export interface Snapshot {
  readonly version: 1;
  readonly tables: Readonly<Record<string, readonly object[]>>;
  readonly serials: Readonly<Record<string, number>>;
  readonly clock: ClockPosition;
  readonly faults: readonly Fault[];
}

type Values = Readonly<Record<string, unknown>>;

/** A number of arguments that every runtime accepts. Converting single bytes would be slow for images. */
const stretch = 8192;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += stretch) text += String.fromCharCode(...bytes.subarray(at, at + stretch));
  return btoa(text);
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The rows of a table with `change` applied to the byte columns, because JSON has no bytes. */
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

/** The dump in a checked snapshot. */
export function dumpOf({ tables, serials }: Snapshot): Dump {
  const loaded = tableNames.map((name) => [name, withBytes(name, tables[name] ?? [], bytesOf)]);
  return { tables: Object.fromEntries(loaded), serials };
}
