import type { Condition, IndexCondition } from './table-definition.js';
import {
  type AnyRow,
  byTable,
  type DataTableName,
  type Id,
  type IdFormat,
  type ListIndexName,
  type ListRow,
  type NewRow,
  type Row,
  type SelectableTable,
  type TableName,
  tableNames,
  type UniqueIndexName,
} from './tables.js';

/** The values of an index's columns, in their order. */
export type Key = readonly (string | number)[];

export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

/** What a list of the web pages shows. */
export interface Selection {
  readonly where: readonly Condition[];
  /** The name of an order of the table; by default the order of creation. */
  readonly order?: string | undefined;
  readonly descending?: boolean;
  /** The user whose turn it takes if it may take long; by default all users of the organization share one. */
  readonly by?: string;
}

/** A part of what a list of the web pages shows. */
export interface Selected<Listed> {
  readonly rows: readonly Listed[];
  /** How many rows there are in all parts. */
  readonly total: number;
  /**
   * `first`: only the first `maxTested` rows in this order were considered, without those that have no value to sort by.
   * `unsorted`: there are too many rows for this order, so they are in the order of creation.
   */
  readonly limit?: 'first' | 'unsorted';
}

/** How many rows are sorted or tested at most without an index for it, so that a page takes as long among a million rows. */
export const maxTested = 10_000;

export const meets = (row: Readonly<Record<string, unknown>>, condition: IndexCondition): boolean => {
  const given = row[condition.column];
  if (!('value' in condition)) return (given === null) === (condition.is === 'is null');
  const { is, value } = condition;
  if (is === 'has') return Array.isArray(given) && given.includes(value);
  if (is === '=' || is === '<>') return (given === value) === (is === '=');
  if (given === null || given === undefined) return false;
  const comparable = typeof value === 'number' ? Number(given) : String(given);
  return is === '<' ? comparable < value : comparable >= value;
};

/** One combination of the columns `by` of a table's totals, with the number of its rows and their sums. */
export type Total = Readonly<Record<string, string | number>> & { readonly total: number };

/** How many rows meet these conditions. */
export const totalOf = (totals: readonly Total[], where: readonly Condition[]): number =>
  totals.reduce((sum, each) => (where.every((condition) => meets(each, condition)) ? sum + each.total : sum), 0);

export interface Scan {
  readonly limit: number;
  /** The serial number of the row before the first one; by default all rows are scanned. */
  readonly after?: number | undefined;
  readonly newestFirst?: boolean;
  /** Only rows with this text in the searched column of their table, ignoring case and accents. */
  readonly text?: string | undefined;
  /** With a text: of the first `maxTested` rows that contain it, those that meet these conditions. */
  readonly having?: readonly Condition[];
  /** How many of the rows that a text without conditions finds are left out first; none by default. */
  readonly offset?: number;
  readonly by?: Selection['by'];
}

/**
 * Text as it is compared in searches: without case and accents, with Hangul syllables as letters, because indexes find
 * parts of three characters.
 */
export const searchText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    // `toLowerCase` writes a sigma at the end of a word differently.
    .replaceAll('\u03c2', '\u03c3');

/** A test for texts that have all words of a search, in any order. */
export function textMatcher(search: string): (text: string) => boolean {
  const words = searchText(search).split(' ');
  return (text) => {
    const folded = words[0] === '' ? '' : searchText(text);
    return words.every((word) => folded.includes(word));
  };
}

/** A part of a backup: rows of one table, or, as the last part, the next serial numbers. */
export type Part =
  | { readonly table: DataTableName; readonly rows: readonly AnyRow[] }
  | { readonly serials: Dump['serials'] };

/** Every lookup uses an index. Rows may be frozen, and never change. */
export interface Reader {
  readonly ids: IdFormat;
  get<T extends TableName>(table: T, id: Id<T>): Promise<Row<T> | null>;
  /** The rows with these ids, in the order of the ids. Ids without a row are skipped. */
  getMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<ListRow<T>[]>;
  /** For each of these rows a text that differs as soon as one of its columns does. Ids without a row are skipped. */
  versions<T extends SelectableTable>(table: T, ids: readonly Id<T>[]): Promise<ReadonlyMap<Id<T>, string>>;
  find<T extends TableName>(table: T, index: UniqueIndexName<T>, key: Key): Promise<Row<T> | null>;
  /** Rows of one key in the index's order. Empty if the offset is past the end. */
  page<T extends TableName>(table: T, index: ListIndexName<T>, key: Key, slice: Slice): Promise<ListRow<T>[]>;
  /** Rows of one key by their serial number. It takes as long after a million rows as at the beginning. */
  scan<T extends TableName>(table: T, index: ListIndexName<T>, key: Key, scan: Scan): Promise<ListRow<T>[]>;
  count<T extends TableName>(table: T, index: ListIndexName<T>, key: Key): Promise<number>;
  /** The totals of an organization's rows that are not zero, in any order. */
  totals(table: SelectableTable, organization: Id<'organizations'>): Promise<readonly Total[]>;
  /** Rows of an organization. Empty if the offset is past the end. */
  select<T extends SelectableTable>(
    table: T,
    organization: Id<'organizations'>,
    selection: Selection,
    slice: Slice,
  ): Promise<Selected<ListRow<T>>>;
  /** The ids of all of them, or of the first `maxTested`. */
  selectIds<T extends SelectableTable>(
    table: T,
    organization: Id<'organizations'>,
    selection: Selection,
  ): Promise<Selected<Id<T>>>;
}

/** Reads and writes inside one transaction: either all of them happen or none. */
export interface Writer extends Reader {
  /**
   * Stores a row with the next serial number; the memory store also takes a given one, for seeds.
   * @throws {Conflict} when a unique index has the key already
   */
  insert<T extends TableName>(table: T, row: NewRow<T>): Promise<Row<T>>;
  /** Changes the row with that id, which must exist. Columns of unique indexes cannot be changed. */
  update<T extends TableName>(table: T, id: Id<T>, changes: Partial<Row<T>>): Promise<Row<T>>;
  /** The same changes of several rows, in one statement: a thousand take some milliseconds. */
  updateMany<T extends TableName>(table: T, ids: readonly Id<T>[], changes: Partial<Row<T>>): Promise<void>;
  /** @returns whether there was such a row */
  delete<T extends TableName>(table: T, id: Id<T>): Promise<boolean>;
  /** The same for several rows. @returns how many there were */
  deleteMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<number>;
  /**
   * Deletes an organization with everything in it. After the commit, the organization and its members are gone, and
   * dumps contain none of its rows. A store may remove the other rows later, in steps that do not block other writers:
   * until then, they can be found by their id.
   */
  deleteOrganization(id: Id<'organizations'>): Promise<void>;
  /**
   * Makes every other transaction that locks the same row wait until this one ends. With an organization, `user` is who changes
   * it: transactions that lock this user wait too, so that a token is revoked after all that it has changed.
   */
  lock(table: 'organizations' | 'users', id: string | number, user?: string): Promise<void>;
}

/** All data of the marketplace: for `snapshot`, `restore`, `reset` and seeds. */
export interface Dump {
  readonly tables: { readonly [T in DataTableName]: readonly Row<T>[] };
  /** The next serial number of each table that has one. */
  readonly serials: { readonly [T in TableName]?: number };
}

/** The tables of a dump, from rows that have the columns of their table. */
export const dumpTables = (rowsOf: (table: DataTableName) => readonly AnyRow[]): Dump['tables'] =>
  byTable(tableNames, rowsOf) as unknown as Dump['tables'];

/** What a store with several connections is doing, and has done since it was opened. For metrics. */
export interface StoreActivity {
  readonly connectionsInUse: number;
  /** Requests that wait for a connection. */
  readonly connectionsWaiting: number;
  /** Transactions that ran again because another one interfered. */
  readonly retries: number;
  /** How often a transaction locked an organization or a user, and how long all of them waited for it. */
  readonly lockWaits: number;
  readonly lockWaitSeconds: number;
}

export interface Store {
  /** The format of ids in all rows of this store. */
  readonly ids: IdFormat;
  /** Runs `work` on committed rows. It must not await anything but the store. */
  read<Result>(work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in one transaction, which is rolled back when it throws. `work` must not await anything but the store, because
   * other transactions may be waiting for it. It may run again after a serialization failure.
   * @param by the user for whom: where only one transaction runs at a time, users take turns
   * @throws {StoreUnavailable}
   */
  transact<Result>(work: (writer: Writer) => Promise<Result>, by?: string): Promise<Result>;
  dump(): Promise<Dump>;
  /** Replaces all data with `dump`, in one transaction. Ended sessions stay ended. */
  load(dump: Dump): Promise<void>;
  /** Loads `dump` if the store is empty, in one transaction. @returns whether it was */
  fill(dump: Dump): Promise<boolean>;
  isEmpty(): Promise<boolean>;
  /** For `/readyz`. @throws {StoreUnavailable} */
  ping(): Promise<void>;
  /** Only of stores with several connections. */
  activity?(): StoreActivity;
  close(): Promise<void>;
}

/** A store that outlives its process. */
export interface PersistentStore extends Store {
  /** How data is protected on its way over the network, as a sentence; null if it stays on this machine. */
  readonly protection?: { readonly text: string; readonly isWeak: boolean } | null;
  /** A consistent copy of all data, without blocking writers. Only a few rows are in memory at a time. */
  backup(): AsyncIterable<Part>;
  /** Fills an empty store, in one transaction. @throws {StoreConfigurationError} for another one */
  restore(parts: AsyncIterable<Part>): Promise<void>;
}

/** A unique index already has the key. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  /** @param key the columns of the index and their values, if they are known */
  constructor(
    readonly table: TableName,
    readonly key = '',
  ) {
    super(`A unique index of ${table} already has that key.`);
  }
}

/** The store cannot be reached, or did not respond in time. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** A search was ended by its time limit, or found no turn: one with more letters may succeed. */
export class TooExpensive extends StoreUnavailable {
  override readonly name = 'TooExpensive';
}

/** Nothing can be stored until an operator fixes the problem. Clients see the message too, so it contains no path. */
export class StorageFailure extends StoreUnavailable {
  override readonly name = 'StorageFailure';
}

/** A part of the storage is damaged. It stays so while it is open, even if other parts can be written. */
export class StorageDamaged extends StorageFailure {}

const descriptorCodes: readonly unknown[] = ['EMFILE', 'ENFILE'];

/** What an operator has to fix: the storage, or the limit on open files of this process or machine; null for other errors. */
export function operatorMessage(error: unknown): string | null {
  if (error instanceof StorageFailure) return error.message;
  return error instanceof Error && 'code' in error && descriptorCodes.includes(error.code)
    ? 'The server has no file descriptors left. Raise the limit on open files (ulimit -n), or allow fewer connections.'
    : null;
}

/** The connection was lost during the commit, so the change may have been stored. */
export class CommitUnknown extends StoreUnavailable {
  override readonly name = 'CommitUnknown';
}

/**
 * The database cannot be used as it is configured: a wrong path, password or file, a missing driver. The message says
 * what to do and never contains a password. Nothing was changed.
 */
export class StoreConfigurationError extends Error {
  override readonly name = 'StoreConfigurationError';
}
