import type { Key, Reader, Scan, Selected, Selection, Slice, Total } from '../store.js';
import type {
  Id,
  IdFormat,
  ListIndexName,
  ListRow,
  Row,
  SelectableTable,
  TableName,
  UniqueIndexName,
} from '../tables.js';

/** Approximate, in characters: when the results exceed it, all of them are dropped. */
const budget = 8 * 1024 * 1024;
/** The size of a row without its text. */
const rowWeight = 200;

const keyText = (key: Key): string => key.map((value) => (typeof value === 'number' ? `#${value}` : value)).join('\0');

function weightOf(result: unknown): number {
  if (Array.isArray(result)) return result.reduce<number>((sum, row) => sum + weightOf(row), rowWeight);
  let weight = rowWeight;
  for (const value of Object.values(result ?? {})) if (typeof value === 'string') weight += value.length;
  return weight;
}

/**
 * Caches results until the data changes: until `version()` differs, which happens when any other connection, in
 * this process or another one, commits. So a cached result is the one that the database would return. The same
 * rows are the same frozen objects, so their JSON is created only once. Without it, the benchmark "As parts of raw
 * node:http" has an eighth of the SQLite lists per CPU-second, and half of the items.
 */
export class CachedReader implements Reader {
  readonly ids: IdFormat;
  readonly #results = new Map<string, unknown>();
  #weight = 0;
  #version = -1;

  constructor(
    private readonly source: Reader,
    private readonly version: () => number,
  ) {
    this.ids = source.ids;
  }

  /** Drops results that may have changed. Must be called before each use. */
  fresh(): Reader {
    const version = this.version();
    if (version !== this.#version) this.#clear();
    this.#version = version;
    return this;
  }

  get<T extends TableName>(table: T, id: Id<T>): Promise<Row<T> | null> {
    // Images are large and requested once: browsers cache them.
    if (table === 'images') return this.source.get(table, id);
    return this.#cached(`get ${table} ${keyText([id])}`, () => this.source.get(table, id));
  }

  find<T extends TableName>(table: T, index: UniqueIndexName<T>, key: Key): Promise<Row<T> | null> {
    return this.#cached(`find ${table} ${index} ${keyText(key)}`, () => this.source.find(table, index, key));
  }

  getMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<ListRow<T>[]> {
    return this.#cached(`getMany ${table} ${keyText(ids)}`, () => this.source.getMany(table, ids));
  }

  page<T extends TableName>(table: T, index: ListIndexName<T>, key: Key, slice: Slice): Promise<ListRow<T>[]> {
    const query = `page ${table} ${index} ${slice.offset} ${slice.limit} ${keyText(key)}`;
    return this.#cached(query, () => this.source.page(table, index, key, slice));
  }

  /** Not cached: a download would replace all other results. */
  scan<T extends TableName>(table: T, index: ListIndexName<T>, key: Key, scan: Scan): Promise<ListRow<T>[]> {
    return this.source.scan(table, index, key, scan);
  }

  count<T extends TableName>(table: T, index: ListIndexName<T>, key: Key): Promise<number> {
    return this.#cached(`count ${table} ${index} ${keyText(key)}`, () => this.source.count(table, index, key));
  }

  totals(table: SelectableTable, organization: Id<'organizations'>): Promise<readonly Total[]> {
    return this.#cached(`totals ${table} ${keyText([organization])}`, () => this.source.totals(table, organization));
  }

  select<T extends SelectableTable>(
    table: T,
    organization: Id<'organizations'>,
    selection: Selection,
    slice: Slice,
  ): Promise<Selected<ListRow<T>>> {
    const query = `select ${table} ${JSON.stringify([organization, selection, slice])}`;
    return this.#cached(query, () => this.source.select(table, organization, selection, slice));
  }

  async #cached<Result>(query: string, read: () => Promise<Result>): Promise<Result> {
    const known = this.#results.get(query) as Result | undefined;
    if (known !== undefined) return known;
    const version = this.#version;
    const result = await read();
    if (Array.isArray(result)) result.forEach(Object.freeze);
    Object.freeze(result);
    // Another read may have noticed a commit in the meantime: this result may be older.
    if (version !== this.#version) return result;
    const weight = weightOf(result) + query.length;
    if (this.#weight + weight > budget) this.#clear();
    this.#results.set(query, result);
    this.#weight += weight;
    return result;
  }

  #clear(): void {
    this.#results.clear();
    this.#weight = 0;
  }
}
