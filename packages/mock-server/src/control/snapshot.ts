import type { Dump } from '@mkt/server';
import { type AnyRow, jsonRow, rowOfJson, tableNames } from '@mkt/server/extend';
import type { ClockPosition } from './clock.js';
import type { Fault, Milliseconds } from './fault-rules.js';
import type { SimulateOptions } from './simulation.js';

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

export function snapshotOf(dump: Dump, state: Omit<Snapshot, 'version' | 'tables' | 'serials'>): Snapshot {
  const tables = tableNames.map((name) => [name, dump.tables[name].map((row) => jsonRow(name, row))]);
  return { version: 1, tables: Object.fromEntries(tables), serials: { ...dump.serials }, ...state };
}

export function dumpOf({ tables, serials }: Snapshot): Dump {
  const loaded = tableNames.map((name) => [name, (tables[name] ?? []).map((row) => rowOfJson(name, row as AnyRow))]);
  return { tables: Object.fromEntries(loaded), serials };
}
