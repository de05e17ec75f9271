import type {
  AnyRow,
  DataTableName,
  Id,
  ListIndexName,
  ListRow,
  NewRow,
  Row,
  TableName,
  UniqueIndexName,
} from './tables.js';

/** The values of an index's columns, in their order. */
export type Key = readonly (string | number)[];

export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

/** A part of everything that a store holds: rows of one table, and at last the next serial numbers. */
export type Part =
  | { readonly table: TableName; readonly rows: readonly AnyRow[] }
  | { readonly serials: Dump['serials'] };

/** Reads. Every look-up goes through an index; rows may be frozen, and never change. */
export interface Reader {
  get<T extends TableName>(table: T, id: Id<T>): Promise<Row<T> | null>;
  /** The rows with these ids, in their order; ids without a row are passed over. */
  getMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<ListRow<T>[]>;
  find<T extends TableName>(table: T, index: UniqueIndexName<T>, key: Key): Promise<Row<T> | null>;
  /** Rows of one key in the index's order. An offset past the end gives none. */
  page<T extends TableName>(table: T, index: ListIndexName<T>, key: Key, slice: Slice): Promise<ListRow<T>[]>;
  count<T extends TableName>(table: T, index: ListIndexName<T>, key: Key): Promise<number>;
}

/** Reads and writes inside one transaction: all of them happen, or none. */
export interface Writer extends Reader {
  /** @throws {Conflict} when a unique index has the key already. */
  insert<T extends TableName>(table: T, row: NewRow<T>): Promise<Row<T>>;
  /** Changes the row with that id, which must exist. @throws {Conflict} */
  update<T extends TableName>(table: T, id: Id<T>, changes: Partial<Row<T>>): Promise<Row<T>>;
  /** Tells whether there was such a row. */
  delete<T extends TableName>(table: T, id: Id<T>): Promise<boolean>;
  /**
   * Deletes an organization with everything in it. From the commit on, the organization, its members and what a dump
   * would have of it are gone. A store may remove the other rows afterwards, in steps that do not hold up other writers:
   * until then, who knows the id of one finds it, and looks for its organization.
   */
  deleteOrganization(id: Id<'organizations'>): Promise<void>;
  /**
   * Makes every other transaction that locks the same row wait until this one ends. A guard that counts or looks
   * before it writes locks first (D27). Where writers run one at a time there is nothing to do.
   */
  lock(table: 'organizations' | 'users', id: string | number): Promise<void>;
}

/** All data of the marketplace: what `snapshot`, `restore`, `reset` and seeds are made of. */
export interface Dump {
  readonly tables: { readonly [T in DataTableName]: readonly Row<T>[] };
  /** The next serial number of each table that has one. */
  readonly serials: { readonly [T in TableName]?: number };
}

export interface Store {
  /** Runs `work` over committed rows. */
  read<Result>(work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in one transaction; when it throws, nothing of it is kept. `work` awaits nothing but the store: on
   * stores with one writer everybody else waits for it. It may run again after a serialisation failure.
   * @throws {StoreUnavailable}
   */
  transact<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result>;
  dump(): Promise<Dump>;
  /** Replaces everything by `dump`, at once. */
  load(dump: Dump): Promise<void>;
  isEmpty(): Promise<boolean>;
  /** Whether the store answers now (`/readyz`). @throws {StoreUnavailable} */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A store that outlives its process. */
export interface KeptStore extends Store {
  /** Everything as of one moment, while others go on writing. A few rows are in memory at a time. */
  backup(): AsyncIterable<Part>;
  /** Fills an empty store: with all parts or with none. @throws {StoreNotEmpty} */
  restore(parts: AsyncIterable<Part>): Promise<void>;
}

/** A backup is not restored over data. */
export class StoreNotEmpty extends Error {
  override readonly name = 'StoreNotEmpty';
}

/** A unique index has the key already. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  constructor(readonly table: TableName) {
    super(`A unique index of ${table} has that key already.`);
  }
}

/** The store cannot be reached, or did not answer in time (D18). */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/**
 * Nothing can be stored until somebody frees space, or brings a file back. The message says what happened, names no
 * path, and goes to clients too.
 */
export class StorageFailure extends StoreUnavailable {
  override readonly name = 'StorageFailure';
}

const descriptorCodes: readonly unknown[] = ['EMFILE', 'ENFILE'];

/** Whether a file or a connection could not be opened because this process, or the machine, has too many of them. */
export const lacksDescriptors = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && descriptorCodes.includes(error.code);

export const descriptorMessage =
  'The server has no file descriptors left. Raise the limit of open files (ulimit -n), or allow fewer connections.';

/** The store was lost while it committed: the one moment in which nobody here knows whether it did. */
export class CommitUnknown extends StoreUnavailable {
  override readonly name = 'CommitUnknown';
}
