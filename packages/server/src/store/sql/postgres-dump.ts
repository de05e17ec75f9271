import type { Part } from '../store.js';
import {
  allTableNames,
  type DataTableName,
  definitionOf,
  serialTables,
  type TableName,
  tableNames,
} from '../tables.js';
import { batchSizeOf } from './parts.js';
import type { PostgresConnection } from './postgres-connection.js';
import { sequenceName } from './schema.js';

const allTables = tableNames.join(', ');

/** Everything as of one moment. Needs a connection of its own. */
export async function* everything(connection: PostgresConnection): AsyncGenerator<Part> {
  await connection.execute('begin isolation level repeatable read read only');
  for (const table of allTableNames) {
    const { all, codec } = connection.statements(table);
    await connection.execute(`declare batches no scroll cursor for ${all.text}`);
    for (;;) {
      const { rows } = await connection.execute(`fetch ${batchSizeOf(table)} from batches`);
      if (rows.length === 0) break;
      yield { table, rows: rows.map(codec.decode) };
    }
    await connection.execute('close batches');
  }
  const serials: Partial<Record<TableName, number>> = {};
  for (const table of serialTables) serials[table] = await nextSerial(connection, table);
  await connection.execute('commit');
  yield { serials };
}

/** Has other writers wait until the transaction ends: a row that they add meanwhile would be left over. */
export const lockAll = (connection: PostgresConnection) =>
  connection.execute(`lock table ${allTables} in exclusive mode`);

/** Not `truncate`, which makes new files for every table and index: on little data it takes ten times as long. */
export async function deleteAll(connection: PostgresConnection): Promise<void> {
  await connection.execute('delete from deleted_organizations');
  for (const table of tableNames.toReversed()) await connection.execute(`delete from ${table}`);
}

/** Stores parts in empty tables, inside the caller's transaction. */
export async function storeParts(
  connection: PostgresConnection,
  parts: Iterable<Part> | AsyncIterable<Part>,
): Promise<void> {
  const next = new Map<TableName, number>();
  for await (const part of parts) {
    if ('rows' in part) {
      await insertAll(connection, part.table, part.rows);
      const { serial } = definitionOf(part.table);
      if (serial)
        for (const row of part.rows)
          next.set(part.table, Math.max(next.get(part.table) ?? 1, (row[serial] as number) + 1));
    } else
      for (const table of serialTables)
        await countOn(connection, table, Math.max(next.get(table) ?? 1, part.serials[table] ?? 1));
  }
}

/** Has `table` number its next row so. */
async function countOn(connection: PostgresConnection, table: DataTableName, next: number): Promise<void> {
  // Not `setval`, which a rollback does not take back.
  if ((await nextSerial(connection, table)) !== next)
    await connection.execute(
      `alter sequence ${sequenceName(table, definitionOf(table).serial ?? 'id')} restart with ${next}`,
    );
}

async function insertAll(connection: PostgresConnection, table: TableName, rows: readonly object[]): Promise<void> {
  const { codec, insertNumbered } = connection.statements(table);
  const hasBytes = Object.values(definitionOf(table).columns).some((type) => type.startsWith('bytes'));
  if (hasBytes) {
    for (const row of rows)
      await connection.run(insertNumbered, codec.encode(row as Record<string, unknown>, codec.columns), table);
    return;
  }
  const columns = codec.columns.join(', ');
  // One value for many rows: a statement has room for 65,535 values.
  const text = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`;
  await connection.run({ text }, [JSON.stringify(rows)], table);
}

async function nextSerial(connection: PostgresConnection, table: DataTableName): Promise<number> {
  const sequence = sequenceName(table, definitionOf(table).serial ?? 'id');
  const { rows } = await connection.execute(`select last_value + is_called::int from ${sequence}`);
  return rows[0]?.[0] as number;
}
