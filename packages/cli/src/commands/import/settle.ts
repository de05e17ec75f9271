import { idOf } from '../../api/organization.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import type { CheckedRow, Fields } from './check.js';
import type { Memory, Remembered } from './memory.js';
import { nameKey, type Survey } from './survey.js';

/** What a look into the organization tells about a row whose answer was lost. */
export type Settled = { readonly row: CheckedRow } & (
  | { readonly found: string | number }
  | { readonly found: undefined; readonly candidates: readonly string[] }
);

type Unknown = readonly [row: CheckedRow, remembered: Remembered];

/** Fields that a list does not show (D44). */
const UNLISTED = ['brief'];

const comparable = (value: unknown): string => {
  // Blank counts as empty, and empty is null in answers (D19).
  if (typeof value === 'string') return JSON.stringify(value.trim() === '' ? null : value.trim());
  return JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
};

/** Whether every field that was sent stands there as it was sent; what a list does not show decides nothing. */
function matches(fields: Fields, thing: Row): boolean {
  return Object.entries(fields).every(([field, sent]) => {
    if (UNLISTED.includes(field)) return true;
    const there = valueAt(thing, field);
    if (field === 'name') return nameKey(String(sent)) === nameKey(cellText(there));
    return there === undefined || comparable(there) === comparable(sent);
  });
}

const listedKey = ({ fields }: CheckedRow): string =>
  JSON.stringify(
    Object.entries(fields)
      .filter(([field]) => !UNLISTED.includes(field))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

/** Rows that lists cannot tell apart stand or fall together; those that say most come first. */
function groups(unknown: readonly Unknown[]): Unknown[][] {
  const byFields = new Map<string, Unknown[]>();
  for (const each of unknown) {
    const key = listedKey(each[0]);
    byFields.set(key, [...(byFields.get(key) ?? []), each]);
  }
  const said = ([first]: readonly Unknown[]): number => Object.keys(first?.[0].fields ?? {}).length;
  return [...byFields.values()].sort((one, other) => said(other) - said(one));
}

/**
 * Finds the rows whose answer was lost among what the organization holds: what was not there before the run, belongs to
 * no other row, and has every field that was sent. As many as there are rows, or fewer: they are those. None, and
 * nothing else that is new bears the name: the row was not created. Anything else is left to a person.
 */
export function settle(unknown: readonly Unknown[], memory: Memory, { things }: Survey): Settled[] {
  const taken = new Set(memory.claimed);
  const free = (thing: Row, { existing }: Remembered): boolean => {
    const id = idOf(thing);
    return id !== '' && !taken.has(id) && !existing.has(id);
  };
  const settled: Settled[] = [];
  const missing: Unknown[] = [];
  for (const group of groups(unknown)) {
    const found = things.filter((thing) =>
      group.every(([{ fields }, remembered]) => free(thing, remembered) && matches(fields, thing)),
    );
    const alike = new Set(group.map(([, { key }]) => key)).size === 1;
    // Where some are missing of rows that differ in their briefs, nobody can tell which.
    const unclear = found.length > 0 && found.length < group.length && !alike;
    if (unclear || found.length > group.length) {
      const candidates = found.map(idOf);
      settled.push(...group.map(([row]) => ({ row, found: undefined, candidates })));
      continue;
    }
    for (const [index, each] of group.entries()) {
      const thing = found[index];
      if (thing === undefined) missing.push(each);
      else {
        taken.add(idOf(thing));
        settled.push({ row: each[0], found: valueAt(thing, 'id') as string | number });
      }
    }
  }
  // Perhaps the service wrote a field in its own way: the same name is too like to create another one.
  for (const [row, remembered] of missing) {
    const similar = things.filter((thing) => free(thing, remembered) && sameName(row, thing));
    settled.push({ row, found: undefined, candidates: similar.map(idOf) });
  }
  return settled;
}

const sameName = ({ name }: CheckedRow, thing: Row): boolean =>
  name !== undefined && nameKey(name) === nameKey(cellText(valueAt(thing, 'name')));
