import type { Part } from '../store.js';
import { allTableNames, serialTables, type TableName, tableNames } from '../tables.js';
import { batchSizeOf } from './parts.js';
import { insertRow } from './sqlite-access.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** Everything, as of one moment: `connection` is in a transaction from the first row to the last, and then closed. */
export async function* everything(connection: SqliteConnection): AsyncGenerator<Part> {
  try {
    connection.execute('begin');
    for (const table of allTableNames) {
      const { all, codec } = connection.statements(table);
      let rows = [];
      for (const values of connection.database.prepare(all.text).raw().iterate()) {
        rows.push(codec.decode(values as readonly unknown[]));
        if (rows.length === batchSizeOf(table)) {
          yield { table, rows };
          rows = [];
        }
      }
      if (rows.length > 0) yield { table, rows };
    }
    yield { serials: Object.fromEntries(serialTables.map((table) => [table, lastSerial(connection, table) + 1])) };
  } finally {
    connection.database.close();
  }
}

/** Inside the caller's transaction. */
export function deleteAll(connection: SqliteConnection): void {
  connection.database.exec('delete from deleted_organizations');
  for (const table of tableNames.toReversed()) connection.database.exec(`delete from ${table}`);
  // `sqlite_sequence` is where SQLite keeps the last serial number that each table has given out.
  connection.database.exec('delete from sqlite_sequence');
}

/** Stores parts in empty tables, inside the caller's transaction. */
export async function storeParts(
  connection: SqliteConnection,
  parts: Iterable<Part> | AsyncIterable<Part>,
): Promise<void> {
  for await (const part of parts) {
    if ('rows' in part) for (const row of part.rows) insertRow(connection, part.table, row);
    else
      for (const table of serialTables) {
        const last = Math.max(lastSerial(connection, table), (part.serials[table] ?? 1) - 1);
        connection.database.prepare('delete from sqlite_sequence where name = ?').run(table);
        connection.database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, last);
      }
  }
}

export const isEmpty = (connection: SqliteConnection): boolean =>
  tableNames.every((table) => connection.row(connection.statements(table).some, []) === undefined);

const lastSerial = (connection: SqliteConnection, table: TableName): number =>
  (connection.database.prepare('select seq from sqlite_sequence where name = ?').pluck().get(table) as number) ?? 0;
