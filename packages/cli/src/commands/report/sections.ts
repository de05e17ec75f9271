import { computedFields } from '@mkt/sdk/contract/resources';
import { capital } from '../../api/errors/explain.js';
import { campaigns as resource } from '../../api/labels.js';
import { changeCells, changeColumns, subjectOf } from '../../history/changes.js';
import { DAY } from '../../history/series.js';
import { type GroupField, groupsText } from '../../lists/groups.js';
import type { Column } from '../../output/view.js';
import { clock, timeZone } from '../../text/local-time.js';
import { cellText, grouped, sanitizeLine } from '../../text/values.js';
import { type CurrencyReport, type Named, otherCounters, type Period, type Report } from './data.js';

/** A part of the report, as every format shows it. */
export interface Section {
  readonly title: string;
  readonly text: readonly string[];
  readonly table?: {
    /** Without headers, the first column has the names of the values in the second one. */
    readonly columns: readonly Column[];
    readonly rows: readonly (readonly string[])[];
  };
  /** How many rows a terminal shows without --verbose. */
  readonly most?: number;
  /** The currency whose figures and series these are. Text shows them only with --verbose. */
  readonly currency?: CurrencyReport;
}

/** The days within which the budgets end that are listed. JSON has all. */
const ENDING_DAYS = 30;

const column = (header: string, priority = 0): Column => ({ field: header, header, priority });
const figure = (header: string, priority = 0): Column => ({ ...column(header, priority), whole: true, align: 'right' });

/** A pace, without fractions of large amounts. */
const pace = (perDay: number): string => grouped(perDay < 100 ? perDay : Math.round(perDay));

const campaign = ({ id, name }: Named): string => `${sanitizeLine(name)} (${sanitizeLine(String(id))})`;

const code = ({ currency }: CurrencyReport): string => sanitizeLine(currency).toUpperCase() || 'No currency';

const ofField = (header: Column, field: string, unit = ''): Figure => [
  header,
  (given) => {
    const value = (given as unknown as Readonly<Record<string, unknown>>)[field];
    return typeof value === 'number' ? `${grouped(value)}${unit}` : null;
  },
];

/** The computed numbers that there are. Amounts are in the currency of the table. */
const computed = Object.entries(resource.computed).map(([name, { label, unit }]) =>
  ofField(figure(label, 3), name, unit === 'percent' ? ' %' : ''),
);

const counted = otherCounters.map((field) =>
  ofField(figure(capital(field.replace(/_count$/, '').replaceAll('_', ' ')), 6), field),
);

type Figure = readonly [Column, (given: CurrencyReport) => string | null];

/** The figures of a currency. One that no currency has is left out. */
const figures: readonly Figure[] = [
  [figure('Campaigns', 4), ({ campaigns }) => grouped(campaigns)],
  [figure('Budget', 1), ({ budget }) => grouped(budget)],
  [figure('Used'), ({ used }) => grouped(used)],
  [figure('Left'), ({ left, used }) => (left === 0 && used > 0 ? 'used up' : grouped(left))],
  [figure('Left in drafts', 5), ({ left_in_drafts: left }) => (left > 0 ? grouped(left) : null)],
  [figure('Left in finished', 5), ({ unspent }) => (unspent > 0 ? grouped(unspent) : null)],
  [figure('Used in period', 1), ({ period }) => period && grouped(period.used)],
  [figure('Used per day', 2), ({ period }) => period && pace(period.used_per_day)],
  [figure('Views in period', 1), ({ period }) => period && grouped(period.views)],
  [figure('Views', 2), ({ views }) => grouped(views)],
  ...computed,
  ...counted,
  [figure('New', 4), ({ new: created }) => grouped(created)],
  [figure('Published', 4), ({ published }) => grouped(published)],
  [figure('Finished', 4), ({ finished }) => (finished === null ? null : grouped(finished))],
];

/** How little is known of the pace. */
function basis(currencies: readonly CurrencyReport[], begin: string): string[] {
  if (currencies.length === 0) return ['No campaigns.'];
  const spans = currencies.flatMap(({ period }) => {
    const [first, last] = [period?.series.used[0], period?.series.used.at(-1)];
    return first && last ? [Math.ceil((Date.parse(last.at) - Date.parse(first.at)) / 60_000)] : [];
  });
  if (spans.length === 0) return [`Pace and trends need two readings or more. To begin: ${begin}`];
  const minutes = Math.min(...spans);
  if (minutes >= 24 * 60) return [];
  const span = minutes < 120 ? `${minutes} minute${minutes === 1 ? '' : 's'}` : `${Math.floor(minutes / 60)} hours`;
  return [`The pace is that of ${span}. Readings over a day or more make it reliable.`];
}

/** A row for each currency, after the cells of its own. */
function figuresTable(
  columns: readonly Column[],
  given: readonly { readonly cells: readonly string[]; readonly each: CurrencyReport }[],
) {
  const shown = figures.filter(([, text]) => given.some(({ each }) => text(each) !== null));
  return {
    columns: [...columns, column('Currency'), ...shown.map(([each]) => each)],
    rows: given.map(({ cells, each }) => [...cells, code(each), ...shown.map(([, text]) => text(each) ?? '')]),
  };
}

function currenciesSection(currencies: readonly CurrencyReport[], begin: string): Section {
  const table = figuresTable(
    [],
    currencies.map((each) => ({ cells: [], each })),
  );
  const isPart = currencies.some((each) => each.left_in_drafts + each.unspent > 0);
  const left = isPart ? ['Left is what active and paused campaigns can still spend; Budget is that of all.'] : [];
  return {
    title: 'Currencies',
    text: [...left, ...basis(currencies, begin)],
    ...(currencies.length > 0 && { table }),
  };
}

type Compared = Omit<NonNullable<CurrencyReport['previous']>, 'finished'>;

/** The period next to the one before it; none without `--compare`. */
function comparedSections({ currencies, previous_period: previous }: Report): Section[] {
  if (previous === undefined) return [];
  const texts = ({ used, views, used_per_day, new: created, published }: Compared): string[] =>
    [used, used_per_day && Math.round(used_per_day), views, created, published].map((each) =>
      each === null ? 'not recorded' : grouped(each),
    );
  const rows = currencies.flatMap((each) => {
    const now = each.period ?? { used: null, views: null, used_per_day: null };
    const before = each.previous ? [[code(each), 'before', ...texts(each.previous)]] : [];
    return [[code(each), 'this one', ...texts({ ...each, ...now })], ...before];
  });
  const { since, until } = previous;
  const names = ['Used', 'Used per day', 'Views', 'New', 'Published'];
  return [
    {
      title: `Compared with ${clock(since)} to ${clock(until)} ${timeZone()}`,
      text: [basisOf(previous) || []].flat(),
      ...(rows.length > 0 && {
        table: { columns: [column('Currency'), column('Period'), ...names.map((name) => figure(name))], rows },
      }),
    },
  ];
}

function groupSections({ groups }: Report): Section[] {
  const [first] = groups ?? [];
  if (groups === undefined || first === undefined) return [];
  const by = Object.keys(first)[0] as GroupField;
  const names = Object.keys(first);
  return [
    {
      title: `By ${by}`,
      text: [groupsText(by)],
      table: {
        columns: names.map((name) =>
          (name === by || name === 'currency' ? column : figure)(capital(name.replace('_', ' '))),
        ),
        rows: groups.map((group) =>
          Object.values(group).map((each) => (typeof each === 'number' ? grouped(each) : sanitizeLine(cellText(each)))),
        ),
      },
    },
  ];
}

/** The budgets that end soon at the pace of the period; none without a period. */
function endingSections({ currencies, totals_at: at }: Report): Section[] {
  if (currencies.every(({ period }) => period === null)) return [];
  const last = new Date(Date.parse(at) + ENDING_DAYS * DAY).toISOString();
  const rows = currencies
    .flatMap((each) => (each.period?.ends_soonest ?? []).map((ending) => ({ currency: code(each), ...ending })))
    .filter(({ ends_on: end }) => end <= last)
    .sort((one, other) => one.ends_on.localeCompare(other.ends_on))
    .map((each) => [campaign(each), each.currency, grouped(each.left), pace(each.used_per_day), each.ends_on]);
  const columns = [
    column('Campaign'),
    column('Currency', 1),
    figure('Left'),
    figure('Used per day', 1),
    { ...column('Ends on'), whole: true },
  ];
  return [
    {
      title: `Budgets that end within ${ENDING_DAYS} days`,
      text: rows.length === 0 ? ['None, at the pace of the period.'] : [],
      ...(rows.length > 0 && { table: { columns, rows }, most: 6 }),
    },
  ];
}

function currencySection(given: CurrencyReport): Section {
  const { campaigns, best, worst } = given;
  const cost = computedFields.campaigns.effective_cpm.label.toLowerCase();
  const rows = [
    ...figures.map(([{ header }, text]) => [header, text(given)] as const),
    ...(['Best', 'Worst'] as const).map((word) => {
      const priced = word === 'Best' ? best : worst;
      return [`${word} ${cost}`, priced && `${grouped(priced.effective_cpm)}: ${campaign(priced)}`] as const;
    }),
  ].flatMap(([name, text]) => (text === null ? [] : [[name, text]]));
  return {
    title: `${code(given)}: ${grouped(campaigns)} campaign${campaigns === 1 ? '' : 's'}`,
    text: [],
    table: { columns: [column(''), column('')], rows },
    currency: given,
  };
}

function sectionsOf(report: Report, begin: string): Section[] {
  const { currencies, attention, changes } = report;
  const compared = comparedSections(report);
  // Within 60 lines for seven currencies.
  const most = compared.length > 0 ? 6 : 12;
  const reasons = attention.map(({ reason, ...each }) => [capital(subjectOf(each)), reason]);
  const withoutChanges =
    changes === null
      ? `This needs a history of the period. To begin: ${begin}`
      : 'Nothing was recorded in the period, apart from counters.';
  // The latest first, because the rest may be left out.
  const changed = (changes ?? []).map((change) => Object.values(changeCells(change))).reverse();
  return [
    {
      title: 'Needs attention',
      text: reasons.length === 0 ? ['Nothing.'] : [],
      ...(reasons.length > 0 && { table: { columns: [column('What'), column('Why')], rows: reasons }, most }),
    },
    currenciesSection(currencies, begin),
    ...compared,
    ...groupSections(report),
    ...endingSections(report),
    {
      title: 'What changed',
      text: changed.length === 0 ? [withoutChanges] : [],
      ...(changed.length > 0 && { table: { columns: changeColumns, rows: changed }, most }),
    },
    ...currencies.map(currencySection),
  ];
}

const headingOf = ({ organization }: Report, ...others: readonly Report[]): string =>
  `${others.length === 0 ? sanitizeLine(organization.name) : `${others.length + 1} organizations`}: campaigns`;

function overviewOf(reports: readonly Report[]): Section {
  const rows = reports.flatMap(({ organization, currencies }) =>
    currencies.map((each) => ({ cells: [sanitizeLine(organization.name)], each })),
  );
  return { title: 'Organizations', text: [], table: figuresTable([column('Organization')], rows) };
}

/** What the history does not know of a period; empty if it knows all of it. */
function basisOf({ since, until, from_reading: reading, to_reading: last, estimated }: Period): string {
  if (reading === null || reading >= until) return 'The history begins later, so it knows nothing of that period.';
  if (!estimated) return '';
  const distance = (at: string, border: string): number => Math.abs(Date.parse(at) - Date.parse(border));
  const isEnd = last !== null && distance(last, until) > distance(reading, since);
  return `The reading nearest to its ${isEnd ? `end is from ${clock(last)}` : `start is from ${clock(reading)}`}: what was used and viewed is an estimate.`;
}

function periodText({ period, totals_at: at, currencies }: Report): string {
  const { since, until, from_reading: reading } = period;
  const text = `${clock(since)} to ${clock(until)} ${timeZone()}${until < at ? `. Totals are those of ${clock(at)}` : ''}`;
  if (reading === null || currencies.length === 0) return text;
  if (currencies.some((each) => each.period !== null && each.period.since > since))
    return `${text}. The record begins at ${clock(reading)}: what was used and viewed is counted from then.`;
  const basis = until === at && reading >= until ? 'The history begins now.' : basisOf(period);
  return basis ? `${text}. ${basis}` : text;
}

/** The reports as every format shows them; of several organizations with a table of all first. @param begin the command with which a history begins */
export function pagesOf(reports: readonly [Report, ...Report[]], begin: string) {
  const pages = reports.map((report) => ({
    heading: headingOf(report),
    period: periodText(report),
    sections: sectionsOf(report, begin),
  }));
  if (reports.length === 1) return pages;
  return [{ heading: headingOf(...reports), period: '', sections: [overviewOf(reports)] }, ...pages];
}
