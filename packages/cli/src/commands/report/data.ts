import { computedFields, computedValue, fieldsOfKind } from '@mkt/sdk/contract/resources';
import { campaigns } from '../../api/labels.js';
import { changesIn } from '../../history/changes.js';
import type { HistoryFile, Place } from '../../history/database.js';
import { DAY, endOf, type Point, paceIn, readingsAround, readTimes, seriesIn } from '../../history/series.js';
import { type GroupField, groupsOf, sum } from '../../lists/groups.js';
import { computedIn } from '../../lists/presenter.js';
import type { Observed } from '../../lists/whole-list.js';
import { idOf, nameOf, numberAt, type Row, textAt, valueAt } from '../../text/values.js';

/** When a period begins and ends, in UTC. */
export interface Borders {
  readonly since: string;
  readonly until: string;
}

export type Report = ReturnType<typeof reportOf>;
export type CurrencyReport = Report['currencies'][number];
/** A campaign as the report names it. */
export type Named = ReturnType<typeof named>;
export type Period = Report['period'];

const { used_percent, effective_cpm } = computedFields.campaigns;

/** The counters that the report has under the name of their field: views and the used amount have names of their own. */
export const otherCounters = fieldsOfKind(campaigns.fields, 'counter').filter(
  (field) => field !== 'used_amount' && field !== 'view_count',
);

const named = (row: Row) => ({ id: valueAt(row, 'id') as string | number, name: nameOf(row) });
const rounded = (value: number): number => Math.round(value * 100) / 100;
const countIn = (rows: readonly Row[], field: string, { since, until }: Borders): number =>
  rows.filter((row) => {
    const at = Date.parse(textAt(row, field));
    return at >= Date.parse(since) && at < Date.parse(until);
  }).length;

/** The used amount per thousand views of each campaign, the lowest first. */
function prices(rows: readonly Row[]) {
  return rows
    .filter((row) => numberAt(row, 'used_amount') > 0)
    .flatMap((row) => {
      const cost = computedValue(effective_cpm, row);
      return cost === null ? [] : [{ ...named(row), effective_cpm: cost }];
    })
    .sort((left, right) => left.effective_cpm - right.effective_cpm);
}

type Recorded = ReturnType<typeof recordedIn>;

/** What the history knows of a period, for all currencies. @param isPast whether the period ended before the last reading */
export function recordedIn(file: HistoryFile, place: Place, { since, until }: Borders, isPast: boolean) {
  const byCurrency = ({ currency }: { currency: string }) => currency;
  const query = { ...place, since, until: isPast ? until : undefined };
  // Null if the history begins after the period.
  const isKnown = readingsAround(file, place, until).before !== undefined;
  const changes = isKnown ? changesIn(file, { ...query, isSinceIncluded: false }) : null;
  const finished = changes?.filter(
    ({ resource, field, after }) => resource === 'campaigns' && field === 'status' && after === 'finished',
  );
  return {
    used: seriesIn(file, { ...query, field: 'used_amount' }, byCurrency),
    views: seriesIn(file, { ...query, field: 'view_count' }, byCurrency),
    paceOf: paceIn(file, place, query),
    period: periodWith(file, place, { since, until }),
    finished: finished ? new Set(finished.map(({ id }) => String(id))) : null,
    changes,
  };
}

const growthOf = (points: readonly Point[]): number => (points.at(-1)?.value ?? 0) - (points[0]?.value ?? 0);

/** What was used and viewed, and in how many days; null with less than two readings. */
function grownIn(currency: string, { used: usedBy, views: viewsBy }: Recorded) {
  const used = usedBy.get(currency) ?? [];
  const views = viewsBy.get(currency) ?? [];
  const [first, last] = [used[0], used.at(-1)];
  const days = first && last ? (Date.parse(last.at) - Date.parse(first.at)) / DAY : 0;
  if (first === undefined || days <= 0) return null;
  const spent = growthOf(used);
  const figures = { used: spent, views: growthOf(views), used_per_day: rounded(spent / days) };
  return { since: first.at, figures, series: { used, views } };
}

function periodOf(currency: string, rows: readonly Row[], recorded: Recorded, now: Date) {
  const grown = grownIn(currency, recorded);
  if (grown === null) return null;
  const active = rows.filter((row) => textAt(row, 'status') === 'active');
  const soonest = active.flatMap((row) => {
    const perDay = recorded.paceOf(row) ?? 0;
    const left = numberAt(row, 'unused_amount');
    const ends = left > 0 ? endOf(left, perDay, now) : null;
    return ends === null ? [] : [{ ...named(row), left, used_per_day: rounded(perDay), ends_on: ends }];
  });
  const { since, figures, series } = grown;
  const ends_soonest = soonest.sort((left, right) => left.ends_on.localeCompare(right.ends_on));
  return { since, ...figures, ends_soonest, series };
}

/** Created, published and finished in a period. Null if the history knows nothing of it. */
const happened = (rows: readonly Row[], recorded: Recorded | null, borders: Borders) => ({
  new: countIn(rows, 'created_at', borders),
  published: countIn(rows, 'published_at', borders),
  finished: recorded?.finished ? rows.filter((row) => recorded.finished?.has(idOf(row))).length : null,
});

function currencyReport(currency: string, rows: readonly Row[], { recorded, previous, period, now }: Basis) {
  const priced = prices(rows);
  const ofStatus = (...status: readonly string[]) => rows.filter((row) => status.includes(textAt(row, 'status')));
  const fields = new Set(Object.values(campaigns.computed).flatMap(({ part, whole }) => [part, whole]));
  const sums = Object.fromEntries([...fields].map((field) => [field, sum(rows, field)]));
  return {
    currency,
    campaigns: rows.length,
    budget: sum(rows, 'total_budget_amount'),
    used: sum(rows, 'used_amount'),
    // What they can still spend.
    left: sum(ofStatus('active', 'paused'), 'unused_amount'),
    left_in_drafts: sum(ofStatus('draft'), 'unused_amount'),
    unspent: sum(ofStatus('finished'), 'unused_amount'),
    views: sum(rows, 'view_count'),
    ...Object.fromEntries(otherCounters.map((field) => [field, sum(rows, field)])),
    ...(computedIn(campaigns, sums) as Record<keyof typeof computedFields.campaigns, number | null>),
    ...happened(rows, recorded, period),
    best: priced[0] ?? null,
    worst: priced.length > 1 ? (priced.at(-1) ?? null) : null,
    // Null with less than two readings.
    period: recorded && periodOf(currency, rows, recorded, now),
    ...(previous && {
      previous: {
        ...(grownIn(currency, previous)?.figures ?? { used: null, views: null, used_per_day: null }),
        ...happened(rows, previous, previous.period),
      },
    }),
  };
}

interface Reason {
  readonly reason: string;
  /** The most urgent kind first, and in each kind the largest value. */
  readonly order: readonly [kind: number, value: number];
}

function reasonsFor(row: Row, now: number): Reason[] {
  const status = textAt(row, 'status');
  const share = computedValue(used_percent, row);
  const daysSince = (field: string) => Math.floor((now - Date.parse(textAt(row, field))) / DAY);
  const [paused, created] = [daysSince('paused_at'), daysSince('created_at')];
  const isRunning = status === 'active' || status === 'paused';
  const reasons: Reason[] = [];
  const add = (reason: string, ...order: Reason['order']) => reasons.push({ reason, order });
  if (isRunning && share !== null && share >= 80)
    add(share >= 100 ? 'the budget is used up' : `${share} % of the budget is used`, 0, share);
  if (status === 'active' && numberAt(row, 'total_budget_amount') === 0) add('active without a budget', 1, 0);
  if (status === 'paused' && paused > 14) add(`paused for ${paused} days`, 3, paused);
  if (status === 'draft' && created > 30) add(`a draft for ${created} days`, 4, created);
  return reasons;
}

function attentionFor({ campaigns, collabs }: Pick<Observed, 'campaigns' | 'collabs'>, now: number) {
  const found = [
    ...campaigns.flatMap((row) =>
      reasonsFor(row, now).map((reason) => ({ resource: 'campaigns' as const, ...named(row), ...reason })),
    ),
    ...collabs
      .filter((row) => textAt(row, 'state') === 'submitted_for_review')
      .map((row) => ({ resource: 'collabs' as const, ...named(row), reason: 'in review', order: [2, 0] as const })),
  ];
  return found
    .sort(({ order: [one, larger] }, { order: [other, smaller] }) => one - other || smaller - larger)
    .map(({ order: _, ...attention }) => attention);
}

function periodWith(file: HistoryFile, place: Place, { since, until }: Borders) {
  const { last } = readTimes(file, place, 'campaigns');
  const nearest = (border: string) => {
    const { before, after } = readingsAround(file, place, border);
    const [one, other] = [before, after].map((at) => Math.abs(Date.parse(at ?? '') - Date.parse(border)));
    return (after === undefined || (one ?? 0) < (other ?? 0) ? before : after) ?? null;
  };
  const length = Date.parse(until) - Date.parse(since);
  const isFar = (reading: string | null, border: string): boolean =>
    reading !== null && Math.abs(Date.parse(reading) - Date.parse(border)) > length / 10;
  const from_reading = nearest(since);
  const to_reading = last === undefined ? null : nearest(until);
  return {
    since,
    until,
    from_reading,
    to_reading,
    // A reading is so far from its border that the figures are not exact.
    estimated: isFar(from_reading, since) || isFar(to_reading, until),
  };
}

interface Basis {
  readonly recorded: Recorded | null;
  readonly previous: Recorded | null;
  readonly period: Borders;
  readonly now: Date;
}

/** The report, from the present state and what the history knows of the period. @param isWanted chooses campaigns and collabs */
export function reportOf(
  organization: { readonly id: string | number; readonly name: string },
  observed: Pick<Observed, 'campaigns' | 'collabs'>,
  basis: Basis,
  { groupBy, isWanted }: { readonly groupBy: GroupField | undefined; readonly isWanted: (row: Row) => boolean },
) {
  const { recorded, previous, period, now } = basis;
  const [campaigns, collabs] = [observed.campaigns.filter(isWanted), observed.collabs.filter(isWanted)];
  const leftOut = new Set(
    (['campaigns', 'collabs'] as const).flatMap((name) =>
      observed[name].flatMap((row) => (isWanted(row) ? [] : `${name} ${idOf(row)}`)),
    ),
  );
  const counts = new Map<string, number>();
  for (const row of campaigns) {
    const currency = textAt(row, 'currency');
    counts.set(currency, (counts.get(currency) ?? 0) + 1);
  }
  const currencies = [...counts].sort(([, one], [, other]) => other - one).map(([currency]) => currency);
  return {
    organization,
    // Totals are those of now, also in the report on an earlier period.
    totals_at: now.toISOString(),
    period: recorded?.period ?? { ...period, from_reading: null, to_reading: null, estimated: false },
    ...(previous && { previous_period: previous.period }),
    ...(groupBy && { groups: groupsOf(campaigns, groupBy) }),
    currencies: currencies.map((currency) =>
      currencyReport(
        currency,
        campaigns.filter((row) => textAt(row, 'currency') === currency),
        basis,
      ),
    ),
    attention: attentionFor({ campaigns, collabs }, now.getTime()),
    changes: recorded?.changes?.filter(({ resource, id }) => !leftOut.has(`${resource} ${id}`)) ?? null,
  };
}
