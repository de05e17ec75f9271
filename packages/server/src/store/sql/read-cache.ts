import type { Reader } from '../store.js';

/** Approximate, in characters: when the results exceed it, all of them are dropped. */
const budget = 8 * 1024 * 1024;
/** The size of a row without its text. */
const rowWeight = 200;

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
export class CachedReader {
  readonly #results = new Map<string, unknown>();
  #weight = 0;
  #version = -1;
  readonly #reader: Reader;

  constructor(
    source: Reader,
    private readonly version: () => number,
  ) {
    const cached = this.#cached.bind(this);
    this.#reader = {
      ids: source.ids,
      get(table, id) {
        const read = () => source.get(table, id);
        // Images are large and requested once: browsers cache them.
        return table === 'images' || table === 'kept_images' ? read() : cached(['get', table, id], read);
      },
      find: (table, index, key) => cached(['find', table, index, key], () => source.find(table, index, key)),
      getMany: (table, ids) => cached(['getMany', table, ids], () => source.getMany(table, ids)),
      page: (table, index, key, slice) =>
        cached(['page', table, index, key, slice], () => source.page(table, index, key, slice)),
      versions: (table, ids) => source.versions(table, ids),
      // Not cached: a download would replace all other results.
      scan: (table, index, key, scan) => source.scan(table, index, key, scan),
      count: (table, index, key) => cached(['count', table, index, key], () => source.count(table, index, key)),
      totals: (table, organization) =>
        cached(['totals', table, organization], () => source.totals(table, organization)),
      select(table, organization, { by, ...selection }, slice) {
        const read = () => source.select(table, organization, { ...selection, ...(by !== undefined && { by }) }, slice);
        return cached(['select', table, organization, selection, slice], read);
      },
      // Not cached either: they are thousands, read once.
      selectIds: (table, organization, selection) => source.selectIds(table, organization, selection),
    };
  }

  /** Drops results that may have changed. Must be called before each use. */
  fresh(): Reader {
    const version = this.version();
    if (version !== this.#version) this.#clear();
    this.#version = version;
    return this.#reader;
  }

  async #cached<Result>(call: readonly unknown[], read: () => Promise<Result>): Promise<Result> {
    const query = JSON.stringify(call);
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
