import type { ListPromise } from '@mkt/sdk';
import { draftsNote, type Resource } from '../api/labels.js';
import type { Invocation } from '../context/command.js';
import type { Filter, Flag, FlagValues } from '../context/flags.js';
import { unknownName, usageError } from '../errors/cli-error.js';
import { pastTime, timeFrom } from '../fields/past-time.js';
import { isDraft } from '../history/targets.js';
import { cellText, type Row, sanitizeLine, textAt, valueAt } from '../text/values.js';
import type { Connection } from './connection.js';
import { withComputed } from './presenter.js';
import { readAll } from './read-pages.js';

type FilteredResource = Pick<Resource, 'command' | 'computed'>;

/** The filter flags of one command line. */
export interface Selection {
  readonly test: (row: Row) => boolean;
  /** Sentences about values that none of the tested rows has: they may be mistyped, or drafts that only admins see. */
  readonly unmet: () => { readonly values: string; readonly drafts: string };
  /** Values that are not in the contract. Call it after the test of all rows. @throws a usage error for one that no row has */
  readonly checkUnknown: () => void;
  /** Whether there are such values. */
  readonly hasUnknown: boolean;
}

const noneUnmet = { values: '', drafts: '' };

/** A selection whose values are never misspelt. */
const selectionOf = (test: Selection['test']): Selection => ({
  test,
  unmet: () => noneUnmet,
  checkUnknown: () => undefined,
  hasUnknown: false,
});

/** Checks a time before anything is requested. @throws a usage error */
function checkTime(flag: string, { match }: Filter, text: string, now: Date): void {
  if (match === 'since' || match === 'recordedSince') pastTime(flag, text, now);
  else if (timeFrom(flag, text, now) <= now.getTime() && match === 'recordedUntil')
    throw usageError((named) => `${named(flag)} ${sanitizeLine(text)} is not in the future.`, 'Give a date');
}

const NAMED_VALUES = 12;

function selectionFor(
  { name: flag, filter }: { readonly name: string; readonly filter: Filter },
  wanted: readonly string[],
  now: () => Date,
  resource: FilteredResource,
): Selection {
  const { field, match, known } = filter;
  const text = wanted.join();
  if (match === 'since' || match === 'before') {
    checkTime(flag, filter, text, now());
    let limit: number | undefined;
    return selectionOf((row) => {
      // By the clock of the service, which is known from its first response.
      limit ??= timeFrom(flag, text, now());
      const time = Date.parse(textAt(row, field));
      return match === 'before' ? time < limit : time >= limit;
    });
  }
  if (match === 'atLeast') {
    const least = Number(text);
    if (least < 0) throw usageError((named) => `${named(flag)} takes a number from 0, not ${text}.`);
    return selectionOf((row) => Number(valueAt(row, field) ?? Number.NaN) >= least);
  }
  const lowered = wanted.map((text) => text.toLowerCase());
  const unknown = known === undefined ? [] : lowered.filter((value) => !known.includes(value));
  const met = new Set<string>();
  return {
    hasUnknown: unknown.length > 0,
    checkUnknown: () => checkValues(flag, unknown, known ?? [], [...met]),
    test: (row) => {
      const texts = [valueAt(row, field)].flat().map(cellText);
      const values = texts.map((text) => text.toLowerCase());
      if (match === 'contains') return values.some((value) => lowered.some((part) => value.includes(part)));
      for (const text of texts) met.add(text);
      return values.some((value) => lowered.includes(value)) !== (match === 'excludes');
    },
    unmet: () => {
      if (match === 'excludes') return noneUnmet;
      if ([...met].some((text) => lowered.includes(text.toLowerCase()))) return noneUnmet;
      const values = [...met].filter((text) => text !== '').sort();
      if (values.length === 0) return noneUnmet;
      const drafts = lowered.some((value) => isDraft(resource.command, { [field]: value })) ? ` ${draftsNote}` : '';
      const named = values.slice(0, NAMED_VALUES).map(sanitizeLine);
      if (values.length > NAMED_VALUES) named.push(`and ${values.length - NAMED_VALUES} more`);
      return { values: ` No row has --${flag} ${wanted.join(',')}. Values found: ${named.join(', ')}.`, drafts };
    },
  };
}

/** @throws a usage error for a value that is neither in the contract nor in the data of the service */
function checkValues(flag: string, values: readonly string[], known: readonly string[], seen: readonly string[]): void {
  const all = [...new Set([...known, ...seen.filter((text) => text !== '').map(sanitizeLine)])];
  for (const value of values) {
    if (all.some((each) => each.toLowerCase() === value.toLowerCase())) continue;
    const hint = `Values: ${all.slice(0, NAMED_VALUES).join(', ')}`;
    throw unknownName((named) => `${named(flag)} ${sanitizeLine(value)} is unknown.`, value, all, { hint });
  }
}

/**
 * Reads the list if a filter has a value that is not in the contract, which a service may have.
 * @throws a usage error if it has not, before anything is printed
 */
export async function checkSelection(
  { context, shown }: Connection,
  selection: Selection | undefined,
  list: () => ListPromise<Row>,
): Promise<void> {
  if (selection?.hasUnknown !== true) return;
  await readAll(context, shown.resource.plural, list(), selection.test);
  selection.checkUnknown();
}

const isRecorded = (filter?: Filter): boolean => filter?.match.startsWith('recorded') === true;

/** The given filters that need the history. */
export const recordedFilters = ({ command, flags }: Pick<Invocation, 'command' | 'flags'>): readonly Flag[] =>
  (command.flags ?? []).filter(({ name, filter }) => isRecorded(filter) && flags[name] !== undefined);

/** The selection of the given filters; undefined if there are none. */
export function filterFrom(
  flags: readonly Flag[],
  values: FlagValues,
  now: () => Date,
  resource: FilteredResource,
): Selection | undefined {
  const selections = flags.flatMap(({ name, filter }) => {
    const wanted = values[name];
    if (filter === undefined || wanted === undefined) return [];
    if (isRecorded(filter)) {
      checkTime(name, filter, String(wanted), now());
      return [];
    }
    return [
      selectionFor({ name, filter }, Array.isArray(wanted) ? wanted.map(String) : [String(wanted)], now, resource),
    ];
  });
  if (selections.length === 0) return undefined;
  return {
    // Every filter tests every row, so that `unmet` is right for each of them.
    test: (row) => selections.map(({ test }) => test(withComputed(resource, row))).every(Boolean),
    unmet: () => {
      const all = selections.map(({ unmet }) => unmet());
      return {
        values: all.map(({ values }) => values).join(''),
        drafts: all.find(({ drafts }) => drafts !== '')?.drafts ?? '',
      };
    },
    checkUnknown: () => {
      for (const { checkUnknown } of selections) checkUnknown();
    },
    hasUnknown: selections.some(({ hasUnknown }) => hasUnknown),
  };
}
