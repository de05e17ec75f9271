import { body, imageType, maxImageBytes } from '@mkt/sdk/contract';
import leven from 'leven';
import type * as z from 'zod/mini';
import type { Context, Image } from '../../rules/context.js';
import { fieldLabel, RuleError } from '../../rules/errors.js';
import { checkedFields } from '../../rules/fields.js';
import { richText } from '../../rules/rich-text.js';
import { fromBase64 } from '../../store/json-rows.js';
import type { Writer } from '../../store/store.js';
import type { IdFormat, Row, TableName } from '../../store/tables.js';
import { timeline } from '../timeline.js';
import type { SeedObject } from './schema.js';
import { type Path, pathText, type SeedProblem, type SeedSource } from './source.js';

export interface SeedOptions extends Pick<Context, 'sha256' | 'random'> {
  /** The format of ids of the store that the seed is for. @default 'integer' */
  readonly ids?: IdFormat;
  /** Reads an image that the seed names by its path. */
  readonly readImage?: (path: string) => Promise<Uint8Array>;
}

type Mapping = Readonly<Record<string, unknown>>;
export const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What rules get besides fields. */
export const noExtras = { purge: false, image: null, prefill: null };

/** The entries or the items under `name`, so that the inside of an object with problems is checked too. */
export const entriesOf = (value: unknown, name: string): [string, unknown][] => {
  const mapping = isMapping(value) ? value[name] : undefined;
  return isMapping(mapping) ? Object.entries(mapping) : [];
};
export const itemsOf = (value: unknown, name: string): readonly unknown[] => {
  const items = isMapping(value) ? value[name] : undefined;
  return Array.isArray(items) ? items : [];
};

export interface Users {
  readonly handles: readonly string[];
  /** Ids by handle, without users that have problems. */
  readonly ids: ReadonlyMap<string, string>;
  readonly tokens: Record<string, string>;
}

/** What a seed may say about the number and the id of a row. */
interface Numbered {
  readonly id?: number | string | undefined;
  readonly position?: number | undefined;
}

/** Columns by table that replace what a rule inserts. */
export type Overrides = { readonly [T in TableName]?: Partial<Row<T>> };

/** The rows of a table by number, and all numbers that the file gives, read or not. */
interface Numbering {
  readonly given: ReadonlySet<unknown>;
  /** A function, because most places are never shown. */
  readonly places: Map<number, () => string>;
  last: number;
}

/** Reads the objects of a seed file and collects what is wrong with them, so that one run reports everything. */
export class SeedReader {
  readonly problems: SeedProblem[] = [];
  /** Returns the timestamps that the file leaves out. */
  readonly nextTimestamp = timeline(undefined, 60_000);
  readonly #numberings = new Map<TableName, Numbering>();
  readonly #texts = new Map<string, Path>();
  /** The opaque ids that the file gives, by table and number. */
  readonly opaqueIds = new Map<string, string>();

  constructor(
    readonly source: SeedSource,
    readonly store: Writer,
    readonly options: SeedOptions,
  ) {}

  report(path: Path, message: string, at?: 'key'): void {
    this.problems.push(this.source.problem(path, message, at));
  }

  /** An object, checked like a request to the API, except that unknown fields are problems. Null if it has problems. */
  object<Shape extends z.core.$ZodLooseShape>({ singular, schema }: SeedObject<Shape>, path: Path, value: unknown) {
    if (!isMapping(value)) {
      this.report(path, `This must be a mapping: the fields of a ${singular}.`);
      return null;
    }
    const names = Object.keys(schema.shape);
    const unknown = Object.keys(value).filter((name) => !names.includes(name));
    for (const name of unknown) {
      const hint = didYouMean(name, names) ?? `It has ${names.join(', ')}.`;
      this.report([...path, name], `A ${singular} has no field ${name}. ${hint}`, 'key');
    }
    try {
      const fields = checkedFields(body(singular, schema), value, richText) as z.infer<z.ZodMiniObject<Shape>>;
      return unknown.length > 0 ? null : fields;
    } catch (error) {
      this.#reportRuleError(path, error);
      return null;
    }
  }

  /** Handles cannot be numbers: JavaScript would put such keys before the others, and the order of members matters. */
  checkHandle(handle: string, path: Path): void {
    if (/^[a-z][a-z0-9_-]{0,63}$/.test(handle)) return;
    this.report(path, 'A handle starts with a lowercase letter, followed by lowercase letters, digits, - or _.', 'key');
  }

  /** Runs a rule of the API. Null if it rejects what it is given. */
  async apply<Result>(path: Path, rule: () => Promise<Result>): Promise<Result | null> {
    try {
      return await rule();
    } catch (error) {
      this.#reportRuleError(path, error);
      return null;
    }
  }

  /** Collects the numbers that the file gives to the rows of a table, before these are read. */
  numberRows(table: TableName, rows: readonly unknown[]): void {
    const given = new Set(rows.flatMap((row) => (isMapping(row) ? [row.id, row.position] : [])));
    this.#numberings.set(table, { given, places: new Map(), last: 0 });
  }

  /** The number of a row: its id, or its position if its id is opaque. */
  rowNumber(table: TableName, given: Numbered, path: Path): number {
    const { id, position } = given;
    if (typeof id === 'number') return this.number(table, id, path, 'id');
    const number = this.number(table, position, path, 'position');
    if (id === undefined) return number;
    const idPath = [...path, 'id'];
    if (this.options.ids !== 'opaque')
      this.report(idPath, 'Id must be an integer, because the ids of this marketplace are integers (--ids opaque).');
    else if (this.isUnique(`id of ${table}`, id, idPath)) this.opaqueIds.set(`${table} ${number}`, id);
    return number;
  }

  /** The given number, or the next one that the file does not give to another row. */
  number(table: TableName, wanted: number | undefined, path: Path, column: 'id' | 'position'): number {
    const numbering = this.#numbering(table);
    const { given, places } = numbering;
    const taken = wanted === undefined ? undefined : places.get(wanted);
    if (taken !== undefined)
      this.report([...path, column], `${fieldLabel(column)} ${wanted} is already used by ${taken()}.`);
    let number = wanted;
    if (number === undefined || taken !== undefined) {
      number = numbering.last + 1;
      while (given.has(number) || places.has(number)) number += 1;
    }
    places.set(number, () => this.#placeOf(path, [...path, column]));
    numbering.last = number;
    return number;
  }

  largestNumber = (table: TableName): number =>
    [...this.#numbering(table).places.keys()].reduce((most, number) => Math.max(most, number), 0);

  /** Reports a text that another object of this kind has. The text may be a secret, so it is not shown. */
  isUnique(kind: string, text: string, path: Path): boolean {
    const key = `${kind} ${text}`;
    const first = this.#texts.get(key);
    if (first === undefined) this.#texts.set(key, path);
    else this.report(path, `This ${kind} is already used by ${this.#placeOf(first)}.`);
    return first === undefined;
  }

  /** `organizations.acme (line 7)` */
  #placeOf(path: Path, at = path): string {
    return `${pathText(path)} (line ${this.source.problem(at, '').line})`;
  }

  /** The image of the field `name`, a data URL or a path. Null if there is none, or if it or its key has a problem. */
  async image(path: Path, name: string, reference: string | null | undefined, key: string | undefined) {
    const image = typeof reference === 'string' ? await this.#readImage([...path, name], reference) : null;
    if (key === undefined) return image;
    const keyPath = [...path, `${name}_key`];
    if (image) return this.isUnique('image key', key, keyPath) ? image : null;
    this.report(keyPath, `${fieldLabel(`${name}_key`)} needs an image. Give ${name} too, or leave this out.`);
    return null;
  }

  async #readImage(path: Path, reference: string): Promise<Image | null> {
    const { readImage } = this.options;
    const reject = (message: string) => {
      this.report(path, `${fieldLabel(String(path.at(-1)))} ${message}.`);
      return null;
    };
    let bytes: Uint8Array | null;
    if (reference.startsWith('data:')) {
      bytes = bytesOfDataUrl(reference);
      if (!bytes) return reject('must be a data URL such as data:image/png;base64,...');
    } else {
      if (!readImage) return reject('must be a data URL: only seeds that are files can name other files');
      try {
        bytes = await readImage(reference);
      } catch (error) {
        return reject(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (bytes.length > maxImageBytes) return reject('must be at most 5 MiB');
    const type = imageType(bytes);
    return type === null ? reject('must be a PNG, JPEG, WebP or GIF image') : { type, bytes };
  }

  /**
   * The context for a rule that runs as `userId` at `now`. `overrides` replaces columns of what the rule inserts: this is
   * how seeds get ids, states and counts that the API does not let clients write.
   */
  context(userId: string, now: string, overrides: Overrides): Context {
    const { store } = this;
    return {
      store: {
        ids: store.ids,
        insert: (table, row) => store.insert(table, { ...row, ...overrides[table] }),
        update: (...change) => store.update(...change),
        delete: (table, id) => store.delete(table, id),
        deleteOrganization: (id) => store.deleteOrganization(id),
        lock: (table, id) => store.lock(table, id),
        get: (table, id) => store.get(table, id),
        getMany: (table, ids) => store.getMany(table, ids),
        find: (table, index, key) => store.find(table, index, key),
        page: (table, index, key, slice) => store.page(table, index, key, slice),
        scan: (table, index, key, scan) => store.scan(table, index, key, scan),
        count: (table, index, key) => store.count(table, index, key),
      },
      caller: { userId, permission: 'write' },
      now,
      random: this.options.random,
      sha256: this.options.sha256,
      page: { number: '1', size: 1 },
    };
  }

  #numbering(table: TableName): Numbering {
    const numbering = this.#numberings.get(table);
    if (!numbering) throw new Error(`The rows of ${table} are not numbered.`);
    return numbering;
  }

  #reportRuleError(path: Path, error: unknown): void {
    if (!(error instanceof RuleError)) throw error;
    const fields = Object.entries(error.fields);
    if (fields.length === 0) this.report(path, error.message);
    for (const [field, messages] of fields) {
      for (const message of messages) this.report(field === 'base' ? path : [...path, field], message);
    }
  }
}

function bytesOfDataUrl(url: string): Uint8Array | null {
  const base64 = /^data:[\w/+.-]*;base64,([A-Za-z0-9+/\s]*={0,2})$/.exec(url)?.[1]?.replace(/\s/g, '');
  if (base64 === undefined || base64.replace(/=+$/, '').length % 4 === 1) return null;
  return fromBase64(base64);
}

const letters = (word: string): string => [...word].sort().join('');

/** `Did you mean name?` for a word that differs from one of `words` by few letters or by their order. */
export function didYouMean(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((candidate) => ({
      candidate,
      distance: letters(candidate) === letters(word) ? 1 : leven(word, candidate),
    }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((left, right) => left.distance - right.distance);
  return best && `Did you mean ${best.candidate}?`;
}
