import { hasKind, resources } from '@mkt/sdk/contract/resources';
import { type Row, textAt, valueAt } from '../text/values.js';
import type { HistoryFile, Place } from './database.js';

export interface Point {
  readonly at: string;
  readonly value: number;
}

/** Values of a field of campaigns at the times at which they were read. */
export interface SeriesQuery extends Place {
  readonly field: string;
  /** ISO 8601. */
  readonly since: string;
  /** The end of the period; by default the last reading. */
  readonly until?: string | undefined;
}

/** A campaign as the history last knew it. */
export interface KnownCampaign {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly value: number;
  readonly gone: boolean;
}

interface Step {
  readonly id: string;
  readonly at: string;
  /** How much the value grew. */
  readonly by: number;
  /** Whether the campaign was created then, so that it had no value before. */
  readonly born: boolean;
}

/** All campaigns that the history knows, with their present value of a field. */
export const knownCampaigns = (file: HistoryFile, { host, organization }: Place, field: string): KnownCampaign[] =>
  file
    .all(
      `select resource_id, gone, json_extract(row, '$.name') as name, json_extract(row, '$.currency') as currency,
         json_extract(row, ?) as value from mkt_rows
       where host = ? and organization_id = ? and resource = 'campaigns'`,
      `$."${field.replaceAll('"', '')}"`,
      host,
      organization,
    )
    .map(({ resource_id, gone, name, currency, value }) => ({
      id: String(resource_id),
      name: typeof name === 'string' ? name : '',
      currency: typeof currency === 'string' ? currency : '',
      value: typeof value === 'number' ? value : 0,
      gone: gone === 1,
    }));

/** The fields of campaigns that have numbers, without the id. */
export const numberFields = (file: HistoryFile, { host, organization }: Place): string[] =>
  file
    .all(
      `select distinct key from mkt_rows, json_each(row) where host = ? and organization_id = ?
         and resource = 'campaigns' and type in ('integer', 'real') and key <> 'id' order by key`,
      host,
      organization,
    )
    .map(({ key }) => String(key));

/** Each growth of a field since a time, the latest last. */
function* stepsIn(file: HistoryFile, { host, organization, field, since }: SeriesQuery): Generator<Step> {
  const path = `$."${field.replaceAll('"', '')}"`;
  const list = "host = ? and organization_id = ? and resource = 'campaigns'";
  const statement = file.database.prepare(
    `select resource_id, at, cast(after as real) - cast(before as real) as growth, 0 as born
       from changes where ${list} and field = ? and at > ?
     union all
     select resource_id, at, coalesce(json_extract(after, ?), 0) - coalesce(json_extract(before, ?), 0), kind = 'created'
       from changes where ${list} and field is null and at > ?
     order by at`,
  );
  const values = [host, organization, field, since, path, path, host, organization, since];
  for (const { resource_id, at, growth, born } of statement.iterate(values))
    yield { id: String(resource_id), at: String(at), by: Number(growth ?? 0), born: born === 1 };
}

/** The readings of all campaigns next to a time: the last one until then, and the first one after it. */
export function readingsAround(file: HistoryFile, { host, organization }: Place, time: string) {
  const list = "from observations where host = ? and organization_id = ? and resource = 'campaigns'";
  const values = [host, organization, time];
  const [around] = file.all<{ before: string | null; after: string | null }>(
    `select (select max(at) ${list} and at <= ?) as before, (select min(at) ${list} and at > ?) as after`,
    ...values,
    ...values,
  );
  return { before: around?.before ?? undefined, after: around?.after ?? undefined };
}

/**
 * The part of what grew between two readings that grew after a time in between. A counter is known only when it is read; it
 * is taken to grow evenly, so that periods that follow each other add up to the whole.
 */
function shareAfter({ before, after }: ReturnType<typeof readingsAround>, time: string): number {
  if (before === undefined || after === undefined) return 1;
  return (Date.parse(after) - Date.parse(time)) / (Date.parse(after) - Date.parse(before));
}

/** Whether a field moves by itself between two readings. Others, such as budgets, are changed at one moment. */
const movesByItself = (field: string): boolean =>
  hasKind(resources.campaigns.fields, field, 'counter') || hasKind(resources.campaigns.fields, field, 'derived');

/** How much a counter of each campaign grew in a period. What campaigns had when they were first seen does not count. */
export function growthIn(file: HistoryFile, { until, ...query }: SeriesQuery): Map<string, number> {
  const growth = growthSince(file, query);
  if (until !== undefined)
    for (const [id, later] of growthSince(file, { ...query, since: until }))
      growth.set(id, (growth.get(id) ?? 0) - later);
  return growth;
}

function growthSince(file: HistoryFile, query: SeriesQuery): Map<string, number> {
  const around = readingsAround(file, query, query.since);
  const share = shareAfter(around, query.since);
  const growth = new Map<string, number>();
  for (const { id, at, by, born } of stepsIn(file, { ...query, since: around.before ?? query.since })) {
    const counted = around.after !== undefined && at <= around.after ? by * share : by;
    if (!born) growth.set(id, (growth.get(id) ?? 0) + counted);
  }
  return growth;
}

export const DAY = 86_400_000;

/** How often lists of an organization were read, counted up to `most`. */
export const readingCount = (file: HistoryFile, { host, organization }: Place, most: number): number =>
  file.all('select 1 from observations where host = ? and organization_id = ? limit ?', host, organization, most)
    .length;

/** When a list was first and last read. */
export function readTimes(file: HistoryFile, { host, organization }: Place, resource: string) {
  const [found] = file.all<{ first: string | null; last: string | null }>(
    'select min(at) as first, max(at) as last from observations where host = ? and organization_id = ? and resource = ?',
    host,
    organization,
    resource,
  );
  return { first: found?.first ?? undefined, last: found?.last ?? undefined };
}

/**
 * What a campaign used per day in a period, or from the first reading in it; undefined if there are not two readings.
 * @param period until the last reading by default; `least`: the milliseconds that must be known
 */
export function paceIn(
  file: HistoryFile,
  place: Place,
  { since, until, least = 1 }: { readonly since: string; readonly until?: string | undefined; readonly least?: number },
) {
  const { before, after } = readingsAround(file, place, since);
  const first = Date.parse((before === undefined ? after : since) ?? '');
  const end = Date.parse(until ?? readTimes(file, place, 'campaigns').last ?? '');
  const growth = growthIn(file, { ...place, field: 'used_amount', since, until });
  return (campaign: Row): number | undefined => {
    const published = Date.parse(textAt(campaign, 'published_at'));
    const isNew = published > Date.parse(since) && published < end;
    // It has used nothing before.
    const isWhole = isNew && until === undefined;
    const start = isWhole ? published : isNew ? Math.max(published, first) : first;
    if (!(end - start >= least)) return undefined;
    const used = isWhole ? Number(valueAt(campaign, 'used_amount')) : growth.get(textAt(campaign, 'id'));
    return ((used ?? 0) * DAY) / (end - start);
  };
}

/** When the present state of each row was found, by id; without those that have had it since the first reading. */
export const stateTimes = (
  file: HistoryFile,
  { host, organization }: Place,
  resource: string,
  field: string,
): Map<string, string> =>
  new Map(
    file
      .all(
        `select resource_id, max(at) as at from changes where host = ? and organization_id = ? and resource = ?
           and (field = ? or (field is null and kind = 'created')) group by resource_id`,
        host,
        organization,
        resource,
        field,
      )
      .map(({ resource_id, at }) => [String(resource_id), String(at)]),
  );

/** The day on which the budget is used up, in UTC; null if that is more than ten years away, or never. */
export function endOf(left: number, perDay: number, now: Date): string | null {
  const days = left / perDay;
  if (!(perDay > 0) || days > 3650) return null;
  return new Date(now.getTime() + days * DAY).toISOString().slice(0, 10);
}

/** The times at which all campaigns were read, the first one until `since`. */
function timesIn(file: HistoryFile, query: SeriesQuery, first: string | undefined): string[] {
  const { host, organization, since } = query;
  const after = file.all(
    `select distinct at from observations where host = ? and organization_id = ? and resource = 'campaigns' and at > ? order by at`,
    host,
    organization,
    since,
  );
  return [...(first === undefined ? [] : [first]), ...after.map(({ at }) => String(at))];
}

/**
 * The series of several groups of campaigns: the sum of their values at each reading. They are computed backwards from the
 * present, so that they need only what has changed since then. At `since`, a counter has the value between the readings
 * around that time.
 * @param groupOf the group of a campaign; undefined if it is in none
 */
export function seriesIn<Group>(
  file: HistoryFile,
  { until, ...query }: SeriesQuery,
  groupOf: (campaign: KnownCampaign) => Group | undefined,
): Map<Group, Point[]> {
  const series = seriesSince(file, query, groupOf);
  if (until === undefined) return series;
  const later = seriesSince(file, { ...query, since: until }, groupOf);
  for (const [group, points] of series) {
    // The value at the end is the one with which the next period begins.
    const [end] = later.get(group) ?? [];
    series.set(group, [...points.filter(({ at }) => at < until), ...(end?.at === until ? [end] : [])]);
  }
  return series;
}

function seriesSince<Group>(
  file: HistoryFile,
  query: SeriesQuery,
  groupOf: (campaign: KnownCampaign) => Group | undefined,
): Map<Group, Point[]> {
  const { field, since } = query;
  const groups = new Map<string, Group>();
  const values = new Map<Group, number>();
  for (const campaign of knownCampaigns(file, query, field)) {
    const group = groupOf(campaign);
    if (group === undefined) continue;
    groups.set(campaign.id, group);
    values.set(group, (values.get(group) ?? 0) + (campaign.gone ? 0 : campaign.value));
  }
  const sizes = new Map<Group, number>();
  for (const group of groups.values()) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const around = readingsAround(file, query, since);
  const steps = [...stepsIn(file, { ...query, since: around.before ?? since })];
  const points = new Map<Group, Point[]>([...values.keys()].map((group) => [group, []]));
  const ended = new Set<Group>();
  for (const at of timesIn(file, query, around.before).reverse()) {
    for (let step = steps.at(-1); step !== undefined && step.at > at; step = steps.at(-1)) {
      steps.pop();
      const group = groups.get(step.id);
      if (group === undefined) continue;
      values.set(group, (values.get(group) ?? 0) - step.by);
      // A single campaign has no value before it exists.
      if (step.born && sizes.get(group) === 1) ended.add(group);
    }
    for (const [group, list] of points) if (!ended.has(group)) list.push({ at, value: values.get(group) ?? 0 });
  }
  const share = movesByItself(field) ? shareAfter(around, since) : 1;
  for (const list of points.values()) {
    list.reverse();
    const [first, second] = list;
    if (first === undefined || first.at !== around.before) continue;
    const value = second === undefined ? first.value : second.value - Math.round((second.value - first.value) * share);
    list[0] = { at: since, value };
  }
  return points;
}
