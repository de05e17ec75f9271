import { type Dump, dumpTables, type Part, StoreConfigurationError } from '../store.js';
import {
  type AnyRow,
  allTableNames,
  byTable,
  contentTables,
  definitionOf,
  serialTables,
  type TableName,
  tableNames,
} from '../tables.js';
import type { Connection } from './access.js';

/** The number of rows in memory at a time: an image has up to 5 MiB, any other row up to 70 KiB. */
export const batchSizeOf = (table: TableName): number => (table === 'images' ? 1 : 250);

function* partsOf({ tables, serials }: Dump): Generator<Part> {
  for (const table of tableNames) {
    const rows: readonly AnyRow[] = tables[table];
    const size = batchSizeOf(table);
    for (let start = 0; start < rows.length; start += size) yield { table, rows: rows.slice(start, start + size) };
  }
  yield { serials };
}

export async function dumpOf(parts: AsyncIterable<Part>): Promise<Dump> {
  const tables = byTable(tableNames, (): AnyRow[] => []);
  let serials = {};
  for await (const part of parts) {
    if ('rows' in part) tables[part.table].push(...part.rows);
    else serials = part.serials;
  }
  return { tables: dumpTables((table) => tables[table]), serials };
}

/** All data, as the open transaction sees it. */
export async function* partsIn(connection: Connection): AsyncGenerator<Part> {
  for (const table of tableNames) {
    const { all, decode } = connection.statements[table];
    for await (const rows of connection.batches(all, batchSizeOf(table))) yield { table, rows: rows.map(decode) };
  }
  const serials: Partial<Record<TableName, number>> = {};
  for (const table of serialTables) serials[table] = await connection.nextSerial(table);
  yield { serials };
}

/** Stores parts in empty tables, inside the caller's transaction. */
async function storeParts(connection: Connection, parts: Iterable<Part> | AsyncIterable<Part>): Promise<void> {
  const next = new Map<TableName, number>();
  for await (const part of parts) {
    if ('rows' in part) {
      await connection.insertAll(part.table, part.rows);
      const { serial } = connection.statements[part.table];
      if (serial)
        for (const row of part.rows)
          next.set(part.table, Math.max(next.get(part.table) ?? 1, (row[serial] as number) + 1));
    } else
      for (const table of serialTables)
        await connection.setNextSerial(table, Math.max(next.get(table) ?? 1, part.serials[table] ?? 1));
  }
}

/** Replaces the data, inside the caller's transaction. */
export async function loadDump(connection: Connection, dump: Dump): Promise<void> {
  // PostgreSQL's `truncate` creates new files for every table and index: with little data it takes ten times as long.
  for (const table of allTableNames.toReversed())
    if (!definitionOf(table).survivesLoad) await connection.run({ text: `delete from ${table}` });
  await storeParts(connection, partsOf(dump));
}

/** The same, only in an empty database. @returns whether it was */
export async function fillEmpty(connection: Connection, dump: Dump): Promise<boolean> {
  const wasEmpty = await isEmpty(connection);
  if (wasEmpty) await loadDump(connection, dump);
  return wasEmpty;
}

/** Fills an empty database, inside the caller's transaction. @throws {StoreConfigurationError} for another one */
export async function restoreParts(connection: Connection, parts: AsyncIterable<Part>): Promise<void> {
  if (!(await isEmpty(connection)))
    throw new StoreConfigurationError(
      'The database already contains data, which a restore does not replace. Use an empty database.',
    );
  await storeParts(connection, parts);
}

const anyContent = contentTables.map((table) => `exists (select 1 from ${table})`).join(' or ');

export async function isEmpty(connection: Connection): Promise<boolean> {
  const [row] = await connection.run({ name: 'anyContent', text: `select ${anyContent} as found` });
  return !row?.found;
}
