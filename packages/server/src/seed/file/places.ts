import { fieldLabel } from '../../rules/problems.js';
import type { Dump } from '../../store/store.js';
import type { IdFormat, TableName } from '../../store/tables.js';
import { type Path, pathText, type SeedProblem, type SeedSource } from './source.js';

/** What a seed may say about the number and the id of a row. */
interface Numbered {
  readonly id?: number | string | undefined;
  readonly position?: number | undefined;
}

/** The rows of a table by number, and all numbers that the file gives, read or not. */
interface Numbering {
  readonly given: ReadonlySet<unknown>;
  readonly places: Map<number, Path>;
  last: number;
}

/** The numbers, ids and other unique texts of a seed's rows, and the problems that are found while the rows are written. */
export class SeedPlaces {
  readonly problems: SeedProblem[] = [];
  readonly #numberings = new Map<string, Numbering>();
  readonly #texts = new Map<string, Path>();
  /** The opaque ids that the file gives, by table and number. */
  readonly opaqueIds = new Map<string, string>();

  constructor(
    private readonly source: SeedSource,
    private readonly ids: IdFormat = 'integer',
  ) {}

  /** Collects the numbers that the file gives to rows, before these are written. */
  numberRows(rowsOf: { readonly [T in TableName]?: readonly Numbered[] }): void {
    for (const [table, rows] of Object.entries(rowsOf)) {
      const given = new Set(rows.flatMap(({ id, position }) => [id, position]));
      this.#numberings.set(table, { given, places: new Map(), last: 0 });
    }
  }

  /** The number of a row: its id, or its position if its id is opaque. */
  rowNumber(table: TableName, { id, position }: Numbered, path: Path): number {
    if (typeof id === 'number') return this.number(table, id, path, 'id');
    const number = this.number(table, position, path, 'position');
    if (id === undefined) return number;
    const idPath = [...path, 'id'];
    if (this.ids !== 'opaque')
      this.report(idPath, 'Id must be an integer, because the ids of this marketplace are integers (--ids opaque).');
    else if (this.isUnique(`id of ${table}`, id, idPath)) this.opaqueIds.set(`${table} ${number}`, id);
    return number;
  }

  /** The given number, or the next one that the file does not give to another row. */
  number(table: TableName, wanted: number | undefined, path: Path, column: 'id' | 'position'): number {
    const numbering = this.#numberings.get(table);
    if (!numbering) throw new Error(`The rows of ${table} are not numbered.`);
    const { given, places } = numbering;
    const taken = wanted === undefined ? undefined : places.get(wanted);
    if (taken)
      this.report(
        [...path, column],
        `${fieldLabel(column)} ${wanted} is already used by ${this.#placeOf(taken, [...taken, column])}.`,
      );
    let number = wanted;
    if (number === undefined || taken) {
      number = numbering.last + 1;
      while (given.has(number) || places.has(number)) number += 1;
    }
    places.set(number, path);
    numbering.last = number;
    return number;
  }

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

  report(path: Path, message: string, at?: 'key'): void {
    this.problems.push(this.source.problem(path, message, at));
  }

  /** Times have seconds, as in the API, and nothing happens to an item before it is created. */
  checkTimes(path: Path, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { created_at = '' } = value as { created_at?: string };
    for (const [key, inner] of Object.entries(value)) {
      const place = [...path, Array.isArray(value) ? Number(key) : key];
      if (!key.endsWith('_at') || typeof inner !== 'string') this.checkTimes(place, inner);
      else if (inner.includes('.'))
        this.report(place, `${fieldLabel(key)} must be in whole seconds, such as ${inner.slice(0, 19)}Z.`);
      else if (inner < created_at)
        this.report(place, `${fieldLabel(key)} must not be before created at, which is ${created_at}.`);
    }
  }

  /** The ids of the next rows: larger than those of deleted rows, which are not used again. */
  nextIds(nextIds: Dump['serials']): Dump['serials'] {
    for (const [table, next] of Object.entries(nextIds)) {
      const numbers = this.#numberings.get(table)?.places.keys() ?? [];
      const largest = [...numbers].reduce((most, number) => Math.max(most, number), 0);
      if (next <= largest)
        this.report(['next_ids', table], `${fieldLabel(table)} go up to ${largest}: this must be more.`);
    }
    return nextIds;
  }
}
