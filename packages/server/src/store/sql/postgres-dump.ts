import type { Dump } from '../store.js';
import { type AnyRow, type DataTableName, definitionOf, serialTables, type TableName, tableNames } from '../tables.js';
import type { PostgresConnection } from './postgres-connection.js';
import { sequenceName } from './schema.js';

const allTables = tableNames.join(', ');

/** Everything as of one moment. Needs a connection of its own. */
export async function dumpAll(connection: PostgresConnection): Promise<Dump> {
  await connection.execute('begin isolation level repeatable read');
  const tables: Partial<Record<TableName, readonly AnyRow[]>> = {};
  for (const table of tableNames) {
    const { all, codec } = connection.statements(table);
    tables[table] = (await connection.rows(all, [])).map(codec.decode);
  }
  const serials: Partial<Record<TableName, number>> = {};
  for (const table of serialTables) {
    const [values] = await connection.rows(nextSerial(table), []);
    serials[table] = values?.[0] as number;
  }
  await connection.execute('commit');
  return { tables: tables as unknown as Dump['tables'], serials };
}

/** Replaces everything by `dump`. Needs a connection of its own. Readers go on with what was there until it is done. */
export async function replaceAll(connection: PostgresConnection, dump: Dump): Promise<void> {
  await connection.execute('begin');
  // A row that another transaction adds meanwhile would be left over.
  await connection.execute(`lock table ${allTables} in exclusive mode`);
  // Not `truncate`, which makes new files for every table and index: on little data it takes ten times as long.
  for (const table of tableNames.toReversed()) await connection.execute(`delete from ${table}`);
  for (const table of tableNames) await insertAll(connection, table, dump.tables[table] as readonly unknown[]);
  for (const table of serialTables) await countOn(connection, table, dump);
  await connection.execute('commit');
}

/** Lets `table` number its next row as `dump` would. */
async function countOn(connection: PostgresConnection, table: DataTableName, dump: Dump): Promise<void> {
  const serial = definitionOf(table).serial ?? 'id';
  const rows = dump.tables[table] as readonly unknown[] as readonly Record<string, number>[];
  const next = rows.reduce((next, row) => Math.max(next, (row[serial] ?? 0) + 1), dump.serials[table] ?? 1);
  const [values] = await connection.rows(nextSerial(table), []);
  // Not `setval`, which a rollback does not take back.
  if (values?.[0] !== next)
    await connection.execute(`alter sequence ${sequenceName(table, serial)} restart with ${next}`);
}

const batchSize = 500;

async function insertAll(connection: PostgresConnection, table: TableName, rows: readonly unknown[]): Promise<void> {
  const { codec, insertNumbered } = connection.statements(table);
  const hasBytes = Object.values(definitionOf(table).columns).some((type) => type.startsWith('bytes'));
  if (hasBytes) {
    for (const row of rows)
      await connection.run(insertNumbered, codec.encode(row as Record<string, unknown>, codec.columns), table);
    return;
  }
  const columns = codec.columns.join(', ');
  // One value for hundreds of rows: a statement has room for 65,535 values.
  const text = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`;
  for (let start = 0; start < rows.length; start += batchSize)
    await connection.run({ text }, [JSON.stringify(rows.slice(start, start + batchSize))], table);
}

const nextSerial = (table: TableName) => ({
  text: `select last_value + is_called::int from ${sequenceName(table, definitionOf(table).serial ?? 'id')}`,
});
