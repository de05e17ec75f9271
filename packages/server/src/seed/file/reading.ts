import type { Context, Image } from '../../rules/context.js';
import { fieldLabel, RuleError } from '../../rules/errors.js';
import { checkedFields } from '../../rules/fields.js';
import { richText } from '../../rules/rich-text.js';
import type { Writer } from '../../store/store.js';
import type { TableName } from '../../store/tables.js';
import { type Timeline, timeline } from '../demo/timeline.js';
import type { SeedFault } from '../seed-error.js';
import { closest } from './closest.js';
import type { Entry } from './entries.js';
import { Numbering } from './numbering.js';
import { PictureFault, pictureOf, type ReadImage } from './pictures.js';
import { type Given, seedingWriter } from './seeding-writer.js';
import { type Path, pathText, type Source } from './source.js';

export interface ReadingOptions extends Pick<Context, 'sha256' | 'random'> {
  readonly readImage?: ReadImage;
}

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The things under `name` of each of `values`, whatever they are: for a look ahead, before anything is checked. */
export const under = (values: readonly unknown[], name: string): readonly unknown[] =>
  values.flatMap((value) => {
    const inside = isMapping(value) ? value[name] : undefined;
    return isMapping(inside) ? Object.values(inside) : Array.isArray(inside) ? inside : [];
  });

/** The list under `name`, also where the fields beside it have faults: its own are told in the same run. */
export const listUnder = (value: unknown, name: string): readonly unknown[] => {
  const list = isMapping(value) ? value[name] : undefined;
  return Array.isArray(list) ? list : [];
};

/** A seed while it is read: faults are gathered, so that one run tells them all. */
export class Reading {
  readonly faults: SeedFault[] = [];
  /** Gives the moments that the file leaves out. */
  readonly nextMoment: Timeline = timeline(undefined, 60_000);
  readonly #numberings = new Map<TableName, Numbering>();
  readonly #texts = new Map<string, string>();

  constructor(
    readonly source: Source,
    readonly store: Writer,
    readonly options: ReadingOptions,
  ) {}

  fault(path: Path, message: string, at: 'value' | 'key' = 'value'): void {
    this.faults.push(this.source.fault(path, message, at));
  }

  /** Not a number alone: JavaScript would put such keys before the others, and order counts here. */
  checkHandle(handle: string, path: Path): void {
    if (/^[a-z][a-z0-9_-]{0,63}$/.test(handle)) return;
    this.fault(path, 'A handle must begin with a lowercase letter, and go on with those, digits, - or _.', 'key');
  }

  /** What an entry says, checked as the API checks a request, and more strictly: unknown names are faults. */
  entry<Fields, Columns>(
    entry: Entry<Fields, Columns>,
    path: Path,
    value: unknown,
  ): { readonly fields: Fields; readonly columns: Columns } | null {
    const noun = entry.request.wrapper;
    if (!isMapping(value)) {
      this.fault(path, `This must be a mapping: the fields of a ${noun}.`);
      return null;
    }
    const unknown = Object.keys(value).filter((name) => !entry.names.includes(name));
    for (const name of unknown) {
      const meant = closest(name, entry.names);
      const hint = meant === null ? `It has ${entry.names.join(', ')}.` : `Did you mean ${meant}?`;
      this.fault([...path, name], `A ${noun} has no field ${name}. ${hint}`, 'key');
    }
    try {
      const values = checkedFields(entry.request, value, richText);
      return unknown.length > 0 ? null : entry.split(values);
    } catch (error) {
      this.#ruleFault(path, error);
      return null;
    }
  }

  /** Does what a rule of the API may refuse, which then is a fault. */
  async attempt<Result>(path: Path, work: () => Promise<Result>): Promise<Result | null> {
    try {
      return await work();
    } catch (error) {
      this.#ruleFault(path, error);
      return null;
    }
  }

  /** The numbers of a table's rows; `values` are all its rows in the file, still unchecked. */
  numberRows(table: TableName, values: readonly unknown[], column = 'id'): void {
    this.#numberings.set(table, new Numbering(values.map((value) => (isMapping(value) ? value[column] : undefined))));
  }

  number(table: TableName, given: number | undefined, path: Path, column = 'id'): number {
    const { id, takenBy } = this.#numbering(table).take(given, pathText(path));
    if (takenBy !== null)
      this.fault([...path, column], `${fieldLabel(column)} ${given} is that of ${takenBy} already.`);
    return id;
  }

  lastNumber(table: TableName): number {
    return this.#numbering(table).largest;
  }

  /** Whether nothing else of this kind has this text; a fault when something has. */
  isUnique(kind: string, text: string, path: Path): boolean {
    const name = `${kind} ${text}`;
    const holder = this.#texts.get(name);
    if (holder === undefined) this.#texts.set(name, pathText(path));
    else this.fault(path, `This ${kind} is that of ${holder} already.`);
    return holder === undefined;
  }

  /** Whether an image may be kept under `key`; without one it gets a random key. */
  isImageKey(key: string | undefined, image: Image | null, path: Path): boolean {
    if (key === undefined) return true;
    if (image) return this.isUnique('image key', key, path);
    this.fault(path, `${fieldLabel(String(path.at(-1)))} is the key of an image. Give the image too, or leave it out.`);
    return false;
  }

  async picture(reference: string | null | undefined, path: Path): Promise<Image | null> {
    if (reference === null || reference === undefined) return null;
    try {
      return await pictureOf(reference, this.options.readImage);
    } catch (error) {
      if (!(error instanceof PictureFault)) throw error;
      this.fault(path, `${fieldLabel(String(path.at(-1)))} ${error.message}.`);
      return null;
    }
  }

  /** What a rule runs in: as `userId` at `now`, with the columns of `given` above what it writes. */
  context(userId: string, now: string, given: Given): Context {
    const { sha256, random } = this.options;
    return {
      store: seedingWriter(this.store, given),
      caller: { userId, permission: 'write' },
      now,
      random,
      sha256,
      page: { number: '1', size: 1 },
    };
  }

  #numbering(table: TableName): Numbering {
    const numbering = this.#numberings.get(table);
    if (!numbering) throw new Error(`The rows of ${table} are not numbered.`);
    return numbering;
  }

  #ruleFault(path: Path, error: unknown): void {
    if (!(error instanceof RuleError)) throw error;
    const fields = Object.entries(error.fields);
    if (fields.length === 0) this.fault(path, error.message);
    for (const [field, messages] of fields) {
      for (const message of messages) this.fault(field === 'base' ? path : [...path, field], message);
    }
  }
}
