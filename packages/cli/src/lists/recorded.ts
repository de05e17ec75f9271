import type { ListPromise } from '@mkt/sdk';
import { resources } from '@mkt/sdk/contract/resources';
import { countOf } from '../api/labels.js';
import type { Invocation } from '../context/command.js';
import { pastTime, timeFrom } from '../fields/past-time.js';
import { type HistoryFile, type Place, placeOf, withHistory } from '../history/database.js';
import { DAY, endOf, growthIn, paceIn, readingsAround, readTimes, stateTimes } from '../history/series.js';
import { clock, timeZone } from '../text/local-time.js';
import { idOf, numberAt, type Row, textAt } from '../text/values.js';
import type { Connection } from './connection.js';
import { recordedFilters } from './filters.js';
import { readAll } from './read-pages.js';

/** The period whose pace `--ends-before` takes. */
const PACE_MS = 7 * DAY;

interface HistoryAtTime {
  readonly file: HistoryFile;
  readonly place: Place;
  /** By the clock of the service. */
  readonly now: Date;
}

/** What the history adds to a row that matches; false for one that does not, and undefined if the history is too short. */
type Find = (row: Row) => Row | boolean | undefined;

const isActive = (row: Row): boolean => textAt(row, resources.campaigns.states.field) === 'active';
/** Active campaigns whose budget ends before a day, at the pace of a day or more. One whose budget is used up has no `ends_on`. */
function endsBefore(text: string, { file, place, now }: HistoryAtTime): Find {
  const day = clock(timeFrom('ends-before', text, now)).slice(0, 10);
  const paceOf = paceIn(file, place, { since: new Date(now.getTime() - PACE_MS).toISOString(), least: DAY });
  return (row) => {
    if (!isActive(row) || numberAt(row, 'total_budget_amount') === 0) return false;
    const left = numberAt(row, 'unused_amount');
    const pace = paceOf(row);
    const used_per_day = pace === undefined ? null : Math.round(pace * 100) / 100;
    if (left <= 0) return { used_per_day, ends_on: null };
    if (pace === undefined) return undefined;
    const ends_on = endOf(left, pace, now);
    return ends_on !== null && ends_on < day && { used_per_day, ends_on };
  };
}

/** Active campaigns that got no submission since a time. */
function noSubmissions(text: string, { file, place, now }: HistoryAtTime): Find {
  const start = pastTime('no-submissions-for', text, now);
  const query = { ...place, field: 'submissions_count', since: new Date(start).toISOString() };
  const growth = growthIn(file, query);
  const { before } = readingsAround(file, place, query.since);
  return (row) => {
    if (!isActive(row) || !(Date.parse(textAt(row, 'published_at')) <= start)) return false;
    if (numberAt(row, query.field) === 0) return true;
    if ((growth.get(idOf(row)) ?? 0) > 0) return false;
    return before === undefined ? undefined : true;
  };
}

/** Collabs that have been in review since a time. */
function inReview(text: string, { file, place, now }: HistoryAtTime): Find {
  const start = pastTime('in-review-for', text, now);
  const submitted = stateTimes(file, place, 'collabs', resources.collabs.states.field);
  const { first = now.toISOString() } = readTimes(file, place, 'collabs');
  return (row) => {
    if (textAt(row, resources.collabs.states.field) !== 'submitted_for_review') return false;
    const found = submitted.get(idOf(row));
    // A state is at least as old as the last change of the row, and as the reading that found it.
    const since = Math.min(Date.parse(textAt(row, 'updated_at')), Date.parse(found ?? first));
    if (since <= start) return { in_review_since: new Date(since).toISOString() };
    return found === undefined && Date.parse(textAt(row, 'created_at')) <= start ? undefined : false;
  };
}

const finders: Readonly<Record<string, (text: string, known: HistoryAtTime) => Find>> = {
  'ends-before': endsBefore,
  'no-submissions-for': noSubmissions,
  'in-review-for': inReview,
};

/** Reads the whole list, records it, and finds the rows that match by what the history knows of them. */
export async function readRecorded(
  connection: Connection,
  invocation: Invocation,
  list: ListPromise<Row>,
  test: (row: Row) => boolean = () => true,
) {
  const { context, shown } = connection;
  const { resource } = shown;
  const given = recordedFilters(invocation);
  const place = placeOf(context, await context.organization());
  const rows = await readAll(context, resource.plural, list, undefined, connection.reading());
  const found = new Set<Row>();
  await withHistory(context, async (file) => {
    await context.journal.record();
    const known = { file, place, now: new Date(context.journal.now()) };
    const finds = given.map(({ name }) => finders[name]?.(String(invocation.flags[name]), known) ?? (() => false));
    const unknown: Row[] = [];
    for (const row of rows) {
      if (!test(row)) continue;
      const added = finds.map((find) => find(row));
      if (added.includes(false)) continue;
      if (added.includes(undefined)) unknown.push(row);
      else found.add(Object.assign(row, ...added.filter((each) => typeof each === 'object')));
    }
    const { first = '' } = readTimes(file, place, resource.command);
    await context.noteAbout(
      ({ organizations, counts: [count = 0], place }) => {
        const begin = `The history of ${organizations} begins at ${clock(first)} ${timeZone()}`;
        if (unknown.length === 0) return `${begin}.`;
        return `${begin} and does not know enough of ${countOf(resource, count)} yet, which may be missing here. To record more: mkt watch --once${place} (in cron)`;
      },
      [unknown.length],
      unknown.length > 0,
    );
  });
  const page = { items: rows, totalCount: rows.length, hasNext: () => false };
  return { list: { pages: () => [page] }, test: (row: Row) => found.has(row), reading: undefined };
}
