import { idOf } from '../../api/organization.js';
import type { Context } from '../../context/context.js';
import type { Operations } from '../../shared/operations.js';
import { readAll } from '../../shared/walk.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import type { CheckedRow, Fields } from './check.js';
import type { ImportLog, LoggedRow } from './import-log.js';

/** Names that differ only in white space or in the form of accents count as the same. */
export const nameKey = (name: string): string => name.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
export const nameOf = (resource: Row): string => nameKey(cellText(valueAt(resource, 'name')));

/** The resources of the organization that have the name of a row; all of them if a row has no name. */
export function findExisting(
  context: Context,
  plural: string,
  operations: Operations,
  rows: readonly CheckedRow[],
): Promise<Row[]> {
  const names = new Set(rows.map(({ name }) => (name === undefined ? undefined : nameKey(name))));
  const test = (resource: Row): boolean => names.has(undefined) || names.has(nameOf(resource));
  return readAll(context, plural, operations.list(), test);
}

/** A row whose response was lost. */
export type UnknownRow = readonly [row: CheckedRow, logged: LoggedRow];

/** The id of the resource that a row became; else the ids of those that it may have become, if any. */
type Reconciled = { readonly row: CheckedRow } & (
  | { readonly id: string | number }
  | { readonly id: undefined; readonly candidates: readonly string[] }
);

/** Fields that lists leave out. */
const UNLISTED = ['brief'];

/** Blank text is null in responses, and lists may come in another order. */
const comparable = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value.trim() === '' ? null : value.trim());
  return JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
};

/** Whether the resource has every field as it was sent. Fields that the list leaves out are not compared. */
function matches(fields: Fields, resource: Row): boolean {
  return Object.entries(fields).every(([field, sent]) => {
    if (UNLISTED.includes(field)) return true;
    if (field === 'name') return nameKey(String(sent)) === nameOf(resource);
    const value = valueAt(resource, field);
    return value === undefined || comparable(value) === comparable(sent);
  });
}

const listedFields = ({ fields }: CheckedRow): [string, unknown][] =>
  Object.entries(fields)
    .filter(([field]) => !UNLISTED.includes(field))
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** Rows with the same listed fields form a group. Groups with the most fields come first: they match the least. */
function groupRows(unknown: readonly UnknownRow[]): UnknownRow[][] {
  const groups = new Map<string, UnknownRow[]>();
  for (const each of unknown) {
    const key = JSON.stringify(listedFields(each[0]));
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const fieldCount = ([first]: readonly UnknownRow[]): number => Object.keys(first?.[0].fields ?? {}).length;
  return [...groups.values()].sort((one, other) => fieldCount(other) - fieldCount(one));
}

/**
 * Finds the resources that rows without a response became: they did not exist before the run, belong to no other row
 * and have every field that was sent. If a group of equal rows matches as many resources or fewer, those are its rows.
 * A row that matches nothing, and whose name no other new resource has, was not created. The rest is for a person.
 */
export function reconcile(unknown: readonly UnknownRow[], log: ImportLog, existing: readonly Row[]): Reconciled[] {
  const taken = new Set(log.claimed);
  const isFree = (resource: Row, logged: LoggedRow): boolean => {
    const id = idOf(resource);
    return id !== '' && !taken.has(id) && !logged.existing.has(id);
  };
  const results: Reconciled[] = [];
  const missing: UnknownRow[] = [];
  for (const group of groupRows(unknown)) {
    const found = existing.filter((resource) =>
      group.every(([{ fields }, logged]) => isFree(resource, logged) && matches(fields, resource)),
    );
    const identical = new Set(group.map(([, { key }]) => key)).size === 1;
    // If some are missing of rows that differ only in their briefs, lists cannot tell which.
    const ambiguous = found.length > 0 && found.length < group.length && !identical;
    if (ambiguous || found.length > group.length) {
      const candidates = found.map(idOf);
      results.push(...group.map(([row]) => ({ row, id: undefined, candidates })));
      continue;
    }
    for (const [index, each] of group.entries()) {
      const resource = found[index];
      if (resource === undefined) missing.push(each);
      else {
        taken.add(idOf(resource));
        results.push({ row: each[0], id: valueAt(resource, 'id') as string | number });
      }
    }
  }
  // The service may have stored a field in another form: with an equal name it is too similar to create another.
  for (const [row, logged] of missing) {
    const { name } = row;
    const similar = existing.filter(
      (resource) => name !== undefined && isFree(resource, logged) && nameKey(name) === nameOf(resource),
    );
    results.push({ row, id: undefined, candidates: similar.map(idOf) });
  }
  return results;
}
