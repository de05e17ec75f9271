import type { Dump, Part } from '../store.js';
import { type AnyRow, definitionOf, type TableName, tableNames } from '../tables.js';

/** Rows that are in memory at once: an image may have 5 MiB, and everything else together 70 KiB. */
export const batchSizeOf = (table: TableName): number =>
  Object.values(definitionOf(table).columns).some((type) => type.startsWith('bytes')) ? 1 : 250;

export function* partsOf({ tables, serials }: Dump): Generator<Part> {
  for (const table of tableNames) {
    const rows = tables[table] as readonly unknown[] as readonly AnyRow[];
    const size = batchSizeOf(table);
    for (let start = 0; start < rows.length; start += size) yield { table, rows: rows.slice(start, start + size) };
  }
  yield { serials };
}

/** What dumps hold of it. */
export async function dumpOf(parts: AsyncIterable<Part>): Promise<Dump> {
  const tables = Object.fromEntries(tableNames.map((table) => [table, [] as AnyRow[]]));
  let serials = {};
  for await (const part of parts) {
    if ('rows' in part) tables[part.table]?.push(...part.rows);
    else serials = part.serials;
  }
  return { tables: tables as unknown as Dump['tables'], serials };
}
