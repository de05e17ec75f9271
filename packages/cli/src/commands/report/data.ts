import { computedFields, computedValue } from '@mkt/sdk/contract/resources';
import { campaigns } from '../../api/labels.js';
import { idOf, nameOf } from '../../api/organization.js';
import { changesIn, type RecordedChange } from '../../history/changes.js';
import type { HistoryFile } from '../../history/database.js';
import type { Place } from '../../history/open.js';
import { growthIn, type Point, readingsAround, seriesIn } from '../../history/series.js';
import { computedIn } from '../../lists/presenter.js';
import type { Observed } from '../../lists/whole-list.js';
import { cellText, type Row, valueAt } from '../../text/row.js';

/** A campaign as the report names it. */
export interface Named {
  readonly id: string | number;
  readonly name: string;
}

export interface Priced extends Named {
  /** Used amount per thousand views. */
  readonly effective_cpm: number;
}

export interface Ending extends Named {
  readonly left: number;
  readonly used_per_day: number;
  /** The day on which the budget ends at this pace. */
  readonly ends_on: string;
}

/** The time that a report is about, in UTC. */
export interface Period {
  readonly since: string;
  readonly until: string;
  /** The readings of the record that are next to its borders; null without a record. */
  readonly from_reading: string | null;
  readonly to_reading: string | null;
  /** Whether a reading is so far from its border, a tenth of the period, that the figures are not exact. */
  readonly estimated: boolean;
}

/** What the history knows of the period. */
export interface Development {
  /** The start of the period, or the first reading if that is later. */
  readonly since: string;
  readonly used: number;
  readonly views: number;
  readonly used_per_day: number;
  readonly ends_soonest: readonly Ending[];
  readonly series: { readonly used: readonly Point[]; readonly views: readonly Point[] };
}

const { used_percent, effective_cpm } = computedFields.campaigns;

/** The computed numbers of all campaigns of a currency together, from the sums of their fields. */
type ComputedNumbers = Readonly<Record<keyof typeof computedFields.campaigns, number | null>>;

/** One currency. */
export interface CurrencyReport extends ComputedNumbers {
  readonly currency: string;
  readonly campaigns: number;
  readonly budget: number;
  readonly used: number;
  /** What active and paused campaigns can still spend. */
  readonly left: number;
  /** What finished campaigns did not spend. */
  readonly unspent: number;
  readonly views: number;
  /** Created, published and finished in the period. */
  readonly new: number;
  readonly published: number;
  /** Null without a history. */
  readonly finished: number | null;
  readonly best: Priced | null;
  readonly worst: Priced | null;
  /** Null with less than two readings. */
  readonly period: Development | null;
}

export interface Attention extends Named {
  readonly resource: 'campaigns' | 'collabs';
  readonly reason: string;
}

export interface Report {
  readonly organization: { readonly id: string | number; readonly name: string };
  readonly period: Period;
  readonly currencies: readonly CurrencyReport[];
  readonly attention: readonly Attention[];
  /** Null without a history. */
  readonly changes: readonly RecordedChange[] | null;
}

const DAY = 86_400_000;

const numberAt = (row: Row, field: string): number => Number(valueAt(row, field) ?? 0);
const textAt = (row: Row, field: string): string => cellText(valueAt(row, field));
const named = (row: Row): Named => ({ id: valueAt(row, 'id') as string | number, name: nameOf(row) });
const rounded = (value: number): number => Math.round(value * 100) / 100;
const sum = (rows: readonly Row[], field: string): number => rows.reduce((all, row) => all + numberAt(row, field), 0);
const sinceIn = (rows: readonly Row[], field: string, start: string): number =>
  rows.filter((row) => Date.parse(textAt(row, field)) >= Date.parse(start)).length;

/** The day on which `left` is used up; null if that is more than ten years away, or never. */
function endOf(left: number, perDay: number, now: string): string | null {
  const days = left / perDay;
  if (!(perDay > 0) || !(left > 0) || days > 3650) return null;
  return new Date(Date.parse(now) + days * DAY).toISOString().slice(0, 10);
}

function prices(rows: readonly Row[]): Priced[] {
  return rows
    .filter((row) => numberAt(row, 'used_amount') > 0)
    .flatMap((row) => {
      const cost = computedValue(effective_cpm, row);
      return cost === null ? [] : [{ ...named(row), effective_cpm: cost }];
    })
    .sort((left, right) => left.effective_cpm - right.effective_cpm);
}

/** What the history knows, for all currencies. */
interface Recorded {
  readonly used: ReadonlyMap<string, Point[]>;
  readonly views: ReadonlyMap<string, Point[]>;
  /** How much each campaign used in the period. */
  readonly growth: ReadonlyMap<string, number>;
  readonly around: ReturnType<typeof readingsAround>;
  readonly finished: ReadonlySet<string>;
  readonly changes: readonly RecordedChange[];
}

export function recordedIn(file: HistoryFile, place: Place, since: string): Recorded {
  const byCurrency = ({ currency }: { currency: string }) => currency;
  const finished = file.all(
    `select distinct resource_id from changes where host = ? and organization_id = ? and resource = 'campaigns'
       and field = 'status' and at >= ? and after = '"finished"'`,
    place.host,
    place.organization,
    since,
  );
  return {
    used: seriesIn(file, { ...place, field: 'used_amount', since }, byCurrency),
    views: seriesIn(file, { ...place, field: 'view_count', since }, byCurrency),
    growth: growthIn(file, { ...place, field: 'used_amount', since }),
    around: readingsAround(file, place, since),
    finished: new Set(finished.map(({ resource_id }) => String(resource_id))),
    changes: changesIn(file, { ...place, since }),
  };
}

function periodOf(currency: string, rows: readonly Row[], recorded: Recorded, until: string): Development | null {
  const used = recorded.used.get(currency) ?? [];
  const views = recorded.views.get(currency) ?? [];
  const [first, last] = [used[0], used.at(-1)];
  const days = first && last ? (Date.parse(last.at) - Date.parse(first.at)) / DAY : 0;
  if (first === undefined || last === undefined || days <= 0) return null;
  const active = rows.filter((row) => textAt(row, 'status') === 'active');
  const spent = last.value - first.value;
  const soonest = active.flatMap((row): Ending[] => {
    const perDay = (recorded.growth.get(idOf(row)) ?? 0) / days;
    const left = numberAt(row, 'unused_amount');
    const ends = endOf(left, perDay, until);
    return ends === null ? [] : [{ ...named(row), left, used_per_day: rounded(perDay), ends_on: ends }];
  });
  return {
    since: first.at,
    used: spent,
    views: (views.at(-1)?.value ?? 0) - (views[0]?.value ?? 0),
    used_per_day: rounded(spent / days),
    ends_soonest: soonest.sort((left, right) => left.ends_on.localeCompare(right.ends_on)),
    series: { used, views },
  };
}

function currencyReport(
  currency: string,
  rows: readonly Row[],
  recorded: Recorded | null,
  { since, until }: Period,
): CurrencyReport {
  const priced = prices(rows);
  const ofStatus = (...status: readonly string[]) => rows.filter((row) => status.includes(textAt(row, 'status')));
  const fields = new Set(Object.values(campaigns.computed).flatMap(({ part, whole }) => [part, whole]));
  const sums = Object.fromEntries([...fields].map((field) => [field, sum(rows, field)]));
  return {
    currency,
    campaigns: rows.length,
    budget: sum(rows, 'total_budget_amount'),
    used: sum(rows, 'used_amount'),
    left: sum(ofStatus('active', 'paused'), 'unused_amount'),
    unspent: sum(ofStatus('finished'), 'unused_amount'),
    views: sum(rows, 'view_count'),
    ...(computedIn(campaigns, sums) as ComputedNumbers),
    new: sinceIn(rows, 'created_at', since),
    published: sinceIn(rows, 'published_at', since),
    finished: recorded && rows.filter((row) => recorded.finished.has(idOf(row))).length,
    best: priced[0] ?? null,
    worst: priced.length > 1 ? (priced.at(-1) ?? null) : null,
    period: recorded && periodOf(currency, rows, recorded, until),
  };
}

interface Reason {
  readonly reason: string;
  /** The most urgent kind first, and in each kind the largest value. */
  readonly order: readonly [kind: number, value: number];
}

/** Why a campaign needs attention. */
function reasonsFor(row: Row, now: number): Reason[] {
  const status = textAt(row, 'status');
  const share = computedValue(used_percent, row);
  const daysSince = (field: string) => Math.floor((now - Date.parse(textAt(row, field))) / DAY);
  const [paused, created] = [daysSince('paused_at'), daysSince('created_at')];
  const isRunning = status === 'active' || status === 'paused';
  return [
    ...(isRunning && share !== null && share >= 80
      ? [
          {
            reason: share >= 100 ? 'the budget is used up' : `${share} % of the budget is used`,
            order: [0, share] as const,
          },
        ]
      : []),
    ...(status === 'active' && numberAt(row, 'total_budget_amount') === 0
      ? [{ reason: 'active without a budget', order: [1, 0] as const }]
      : []),
    ...(status === 'paused' && paused > 14
      ? [{ reason: `paused for ${paused} days`, order: [3, paused] as const }]
      : []),
    ...(status === 'draft' && created > 30
      ? [{ reason: `a draft for ${created} days`, order: [4, created] as const }]
      : []),
  ];
}

function attentionFor({ campaigns, collabs }: Observed, now: number): Attention[] {
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

function periodWith(around: Recorded['around'] | undefined, since: string, until: string): Period {
  const [start, end] = [Date.parse(since), Date.parse(until)];
  const distance = (reading: string) => Math.abs(Date.parse(reading) - start);
  const { before, after } = around ?? {};
  const isBefore = before !== undefined && (after === undefined || distance(before) < distance(after));
  const from = (isBefore ? before : after) ?? null;
  return {
    since,
    until,
    from_reading: from,
    // The report reads, too.
    to_reading: from === null ? null : until,
    estimated: from !== null && distance(from) > (end - start) / 10,
  };
}

/** The report, from the present state and what the history knows of the period. */
export function reportOf(
  organization: Report['organization'],
  observed: Observed,
  recorded: Recorded | null,
  { since, until }: { readonly since: string; readonly until: string },
): Report {
  const period = periodWith(recorded?.around, since, until);
  const counts = new Map<string, number>();
  for (const row of observed.campaigns) {
    const currency = textAt(row, 'currency');
    counts.set(currency, (counts.get(currency) ?? 0) + 1);
  }
  const currencies = [...counts].sort(([, one], [, other]) => other - one).map(([currency]) => currency);
  return {
    organization,
    period,
    currencies: currencies.map((currency) =>
      currencyReport(
        currency,
        observed.campaigns.filter((row) => textAt(row, 'currency') === currency),
        recorded,
        period,
      ),
    ),
    attention: attentionFor(observed, Date.parse(until)),
    changes: recorded?.changes ?? null,
  };
}
