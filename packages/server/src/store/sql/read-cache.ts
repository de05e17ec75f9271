import type { Key, Reader, Slice } from '../store.js';
import type { Id, ListRow, Row, TableName } from '../tables.js';
import type { SqliteReader } from './sqlite-access.js';

/** Roughly, in characters: when the answers take more, all of them are forgotten. */
const budget = 8 * 1024 * 1024;
/** What a row takes beside its text. */
const rowWeight = 200;

/** Pictures are large and asked for once: browsers keep them. */
const passedBy: ReadonlySet<TableName> = new Set(['images']);

const keyText = (key: Key): string =>
  key.map((value) => (typeof value === 'number' ? `#${value}` : value)).join('\u0000');

function weightOf(row: object): number {
  let weight = rowWeight;
  for (const value of Object.values(row)) if (typeof value === 'string') weight += value.length;
  return weight;
}

/**
 * Keeps what was read until the data changes. `version` tells whether it did: it differs from the last time when any
 * other connection, in this process or another one, has committed since. So an answer from here is the answer that the
 * database would give. The same rows come out as the same frozen objects, whose JSON is then made once.
 */
export class CachedReader implements Reader {
  readonly #answers = new Map<string, unknown>();
  #weight = 0;
  #version = -1;

  constructor(
    private readonly source: SqliteReader,
    private readonly version: () => number,
  ) {}

  /** Forgets what may have changed. To be called before each use. */
  fresh(): Reader {
    const version = this.version();
    if (version !== this.#version) {
      this.#forget();
      this.#version = version;
    }
    return this;
  }

  get<T extends TableName>(table: T, id: Id<T>): Promise<Row<T> | null> {
    if (passedBy.has(table)) return this.source.get(table, id);
    return this.#row(`get ${table} ${keyText([id as string | number])}`, () => this.source.get(table, id));
  }

  find<T extends TableName>(table: T, index: string, key: Key): Promise<Row<T> | null> {
    return this.#row(`find ${table} ${index} ${keyText(key)}`, () => this.source.find(table, index, key));
  }

  getMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<ListRow<T>[]> {
    const asked = keyText(ids as readonly (string | number)[]);
    return this.#rows(`getMany ${table} ${asked}`, () => this.source.getMany(table, ids));
  }

  page<T extends TableName>(table: T, index: string, key: Key, slice: Slice): Promise<ListRow<T>[]> {
    const asked = `${slice.offset} ${slice.limit} ${keyText(key)}`;
    return this.#rows(`page ${table} ${index} ${asked}`, () => this.source.page(table, index, key, slice));
  }

  async count<T extends TableName>(table: T, index: string, key: Key): Promise<number> {
    const asked = `count ${table} ${index} ${keyText(key)}`;
    const known = this.#answers.get(asked) as number | undefined;
    if (known !== undefined) return known;
    const version = this.#version;
    return this.#keep(asked, await this.source.count(table, index, key), rowWeight, version);
  }

  async #row<R extends object>(asked: string, read: () => Promise<R | null>): Promise<R | null> {
    const known = this.#answers.get(asked) as R | null | undefined;
    if (known !== undefined) return known;
    const version = this.#version;
    const row = await read();
    return this.#keep(asked, row && Object.freeze(row), row ? weightOf(row) : rowWeight, version);
  }

  async #rows<R extends object>(asked: string, read: () => Promise<R[]>): Promise<R[]> {
    const known = this.#answers.get(asked) as R[] | undefined;
    if (known !== undefined) return known;
    const version = this.#version;
    const rows = await read();
    for (const row of rows) Object.freeze(row);
    const weight = rows.reduce((sum, row) => sum + weightOf(row), rowWeight);
    return this.#keep(asked, Object.freeze(rows) as R[], weight, version);
  }

  #keep<Answer>(asked: string, answer: Answer, weight: number, version: number): Answer {
    // Another read has seen a commit since this one asked: the answer may be the one from before it.
    if (version !== this.#version) return answer;
    if (this.#weight + weight > budget) this.#forget();
    this.#answers.set(asked, answer);
    this.#weight += weight + asked.length;
    return answer;
  }

  #forget(): void {
    this.#answers.clear();
    this.#weight = 0;
  }
}
