import type { Dump } from '@mkt/server';
import { type AnyRow, jsonRow, rowOfJson, tableNames } from '@mkt/server/extend';
import type { Snapshot } from './inputs.js';

export function snapshotOf(dump: Dump, state: Omit<Snapshot, 'version' | 'tables' | 'serials'>): Snapshot {
  const tables = tableNames.map((name) => [name, dump.tables[name].map((row) => jsonRow(name, row))]);
  return { version: 1, tables: Object.fromEntries(tables), serials: { ...dump.serials }, ...state };
}

export function dumpOf({ tables, serials }: Snapshot): Dump {
  const loaded = tableNames.map((name) => [name, (tables[name] ?? []).map((row) => rowOfJson(name, row as AnyRow))]);
  return { tables: Object.fromEntries(loaded), serials };
}
