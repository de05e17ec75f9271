import type { Filter, Flag, FlagValues } from '../commands/command.js';
import { usageError } from '../errors/cli-error.js';
import { cellText, type Row, valueAt } from '../output/row.js';

export type Test = (row: Row) => boolean;

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(cellText) : [cellText(value)]);

const testFor = ({ field, match }: Filter, wanted: readonly string[]): Test => {
  const lowered = wanted.map((text) => text.toLowerCase());
  return (row) =>
    textsOf(valueAt(row, field)).some((text) => {
      const value = text.toLowerCase();
      return match === 'contains' ? lowered.some((part) => value.includes(part)) : lowered.includes(value);
    });
};

/** What the filters among the flags ask for; undefined where none is given. */
export function filterFrom(flags: readonly Flag[], values: FlagValues): Test | undefined {
  const tests = flags.flatMap(({ name, filter }) => {
    const wanted = values[name];
    if (filter === undefined || wanted === undefined) return [];
    return [testFor(filter, Array.isArray(wanted) ? wanted.map(String) : [String(wanted)])];
  });
  return tests.length === 0 ? undefined : (row) => tests.every((test) => test(row));
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
