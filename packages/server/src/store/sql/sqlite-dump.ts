import type { Dump } from '../store.js';
import { serialTables, type TableName, tableNames } from '../tables.js';
import { insertRow } from './sqlite-access.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** Everything, as of one moment: without an `await` in between, nothing is committed in between. */
export const dumpAll = (connection: SqliteConnection): Dump =>
  connection.database.transaction(() => ({
    tables: Object.fromEntries(
      tableNames.map((table) => {
        const { all, codec } = connection.statements(table);
        return [table, connection.rows(all, []).map(codec.decode)];
      }),
    ) as unknown as Dump['tables'],
    serials: Object.fromEntries(serialTables.map((table) => [table, lastSerial(connection, table) + 1])),
  }))();

/** Replaces everything by `dump`, inside the caller's transaction. */
export function replaceAll(connection: SqliteConnection, dump: Dump): void {
  for (const table of tableNames.toReversed()) connection.database.exec(`delete from ${table}`);
  // `sqlite_sequence` is where SQLite keeps the last serial number that each table has given out.
  connection.database.exec('delete from sqlite_sequence');
  for (const table of tableNames) for (const row of dump.tables[table]) insertRow(connection, table, row);
  for (const table of serialTables) {
    const last = Math.max(lastSerial(connection, table), (dump.serials[table] ?? 1) - 1);
    connection.database.prepare('delete from sqlite_sequence where name = ?').run(table);
    connection.database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, last);
  }
}

export const isEmpty = (connection: SqliteConnection): boolean =>
  tableNames.every((table) => connection.row(connection.statements(table).some, []) === undefined);

const lastSerial = (connection: SqliteConnection, table: TableName): number =>
  (connection.database.prepare('select seq from sqlite_sequence where name = ?').pluck().get(table) as number) ?? 0;
