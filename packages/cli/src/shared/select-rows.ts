import type { Filter, Flag, FlagValues } from '../context/flags.js';
import { usageError } from '../errors/cli-error.js';
import { cellText, type Row, valueAt } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';

export type Test = (row: Row) => boolean;

/** What the filters among the flags ask for. */
export interface Selection {
  readonly test: Test;
  /** In words, what was asked for and is in none of the rows that were tested: it may be mistyped. */
  readonly unmet: () => string;
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(cellText) : [cellText(value)]);

/** How many values a sentence names. */
const NAMED_VALUES = 12;

function selectionFor(flag: string, { field, match }: Filter, wanted: readonly string[]): Selection {
  const lowered = wanted.map((text) => text.toLowerCase());
  const met = new Set<string>();
  return {
    test: (row) => {
      const values = textsOf(valueAt(row, field)).map((text) => text.toLowerCase());
      if (match === 'contains') return values.some((value) => lowered.some((part) => value.includes(part)));
      for (const value of values) met.add(value);
      return values.some((value) => lowered.includes(value));
    },
    unmet: () => {
      if (lowered.some((value) => met.has(value))) return '';
      const values = [...met].filter((text) => text !== '').sort();
      if (values.length === 0) return '';
      const named = values.slice(0, NAMED_VALUES).map(sanitizeLine).join(', ');
      return ` --${flag} ${wanted.join(',')} is in no row; there are ${named}${values.length > NAMED_VALUES ? ', ...' : ''}.`;
    },
  };
}

/** What the filters among the flags ask for; undefined where none is given. */
export function filterFrom(flags: readonly Flag[], values: FlagValues): Selection | undefined {
  const selections = flags.flatMap(({ name, filter }) => {
    const wanted = values[name];
    if (filter === undefined || wanted === undefined) return [];
    return [selectionFor(name, filter, Array.isArray(wanted) ? wanted.map(String) : [String(wanted)])];
  });
  if (selections.length === 0) return undefined;
  return {
    // Each is asked, whatever the others say: what is unmet is known of all.
    test: (row) => selections.map(({ test }) => test(row)).every(Boolean),
    unmet: () => selections.map(({ unmet }) => unmet()).join(''),
  };
}

let collator: Intl.Collator | undefined;
/** Made at its first use: that takes 6 ms. */
const compareTexts = (left: string, right: string): number => {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(left, right);
};

/** Numbers as numbers, text as people sort it; what has no value comes last, whatever the direction. */
const compare = (left: unknown, right: unknown, direction: 1 | -1): number => {
  const [noLeft, noRight] = [left, right].map((value) => value === null || value === undefined || value === '');
  if (noLeft || noRight) return Number(noLeft) - Number(noRight);
  if (typeof left === 'number' && typeof right === 'number') return direction * (left - right);
  return direction * compareTexts(cellText(left), cellText(right));
};

/** Sorts by a field, `-field` for the largest first; rows that are equal there keep the service's order. */
export function sortRows(rows: readonly Row[], sort: string): Row[] {
  const direction = sort.startsWith('-') ? -1 : 1;
  const field = sort.replace(/^[-+]/, '');
  if (rows.length > 0 && rows.every((row) => valueAt(row, field) === undefined)) {
    throw usageError(
      `--sort ${sort}: there is no field "${field}" here.`,
      `Fields: ${Object.keys(rows[0] ?? {}).join(', ')}`,
    );
  }
  return [...rows].sort((left, right) => compare(valueAt(left, field), valueAt(right, field), direction));
}
