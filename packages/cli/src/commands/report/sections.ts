import { computedFields } from '@mkt/sdk/contract/resources';
import { capital } from '../../api/errors/explain.js';
import { campaigns as resource } from '../../api/labels.js';
import { type RecordedChange, subjectOf, valueText } from '../../history/changes.js';
import { clock, timeZone } from '../../text/local-time.js';
import { grouped } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import type { Attention, CurrencyReport, Development, Named, Report } from './data.js';

/** A part of the report, as every format shows it. */
export interface Section {
  readonly title: string;
  readonly text: readonly string[];
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** The currency whose series belong here. */
  readonly charts?: CurrencyReport;
}

/** Budgets that end first, of a currency. */
const MOST_ENDING = 5;
/** Rows of a table that a person reads. */
const MOST_ROWS = 40;

/** A pace, without fractions of large amounts. */
const pace = (perDay: number): string => grouped(perDay < 100 ? perDay : Math.round(perDay));

/** Says how short the time is that a pace is computed from, if it is less than a day. */
function basis({ series: { used } }: Development): string[] {
  const [first, last] = [used[0], used.at(-1)];
  const minutes = first && last ? Math.ceil((Date.parse(last.at) - Date.parse(first.at)) / 60_000) : 0;
  if (minutes >= 24 * 60) return [];
  const span = minutes < 120 ? `${minutes} minute${minutes === 1 ? '' : 's'}` : `${Math.floor(minutes / 60)} hours`;
  return [`The pace is that of ${span}. Readings over a day or more make it reliable.`];
}

const campaign = ({ id, name }: Named): string => `${sanitizeLine(name)} (${sanitizeLine(String(id))})`;

function limited(rows: readonly (readonly string[])[]): { rows: (readonly string[])[]; text: string[] } {
  const more = rows.length - MOST_ROWS;
  return { rows: rows.slice(0, MOST_ROWS), text: more > 0 ? [`And ${grouped(more)} more.`] : [] };
}

const cost = computedFields.campaigns.effective_cpm.label.toLowerCase();

/** The computed numbers that there are, with their labels. Amounts are in the currency of the table. */
const computed = (given: Readonly<Record<string, unknown>>): (readonly string[])[] =>
  Object.entries(resource.computed).flatMap(([name, { label, unit }]) => {
    const value = given[name];
    return typeof value === 'number' ? [[label, `${grouped(value)}${unit === 'percent' ? ' %' : ''}`]] : [];
  });

const figures = (given: CurrencyReport): (readonly string[])[] => {
  const { budget, used, left, unspent, views, new: created, published, finished, best, worst, period } = given;
  return [
    ['Budget', grouped(budget)],
    ['Used', grouped(used)],
    ['Left', left === 0 && budget > 0 ? 'used up' : grouped(left)],
    ...(unspent > 0 ? [['Left in finished campaigns', grouped(unspent)]] : []),
    ['Views', grouped(views)],
    ...computed({ ...given }),
    ...(period
      ? [
          ['Used in the period', grouped(period.used)],
          ['Views in the period', grouped(period.views)],
          ['Used per day', pace(period.used_per_day)],
        ]
      : []),
    ['New campaigns', grouped(created)],
    ['Published', grouped(published)],
    ...(finished === null ? [] : [['Finished', grouped(finished)]]),
    ...(best ? [[`Best ${cost}`, `${grouped(best.effective_cpm)}: ${campaign(best)}`]] : []),
    ...(worst ? [[`Worst ${cost}`, `${grouped(worst.effective_cpm)}: ${campaign(worst)}`]] : []),
  ];
};

function currencySections(given: CurrencyReport, begin: string): Section[] {
  const { currency, campaigns, period } = given;
  const title = sanitizeLine(currency).toUpperCase() || 'No currency';
  const count = `${grouped(campaigns)} campaign${campaigns === 1 ? '' : 's'}`;
  const sections: Section[] = [
    {
      title: `${title}: ${count}`,
      text: period ? basis(period) : [`Pace and trends need two readings or more. To begin: ${begin}`],
      table: { head: ['', title], rows: figures(given) },
      ...(period && { charts: given }),
    },
  ];
  if (period && period.ends_soonest.length > 0)
    sections.push({
      title: `${title}: budgets that end first`,
      text: [],
      table: {
        head: ['Campaign', 'Left', 'Used per day', 'Ends on'],
        rows: period.ends_soonest
          .slice(0, MOST_ENDING)
          .map((each) => [campaign(each), grouped(each.left), pace(each.used_per_day), each.ends_on]),
      },
    });
  return sections;
}

const attentionRow = ({ resource, id, name, reason }: Attention): string[] => [
  capital(subjectOf({ resource, id, name })),
  reason,
];

function changeRow(change: RecordedChange): string[] {
  const { at, kind, field, before, after, by } = change;
  const what =
    kind === 'changed' ? `${field}: ${cutTo(valueText(before), 60)} -> ${cutTo(valueText(after), 60)}` : kind;
  return [clock(at), subjectOf(change), what, cutTo(by, 160)];
}

/** The report as sections. @param begin the command with which a history begins */
export function sectionsOf({ currencies, attention, changes }: Report, begin: string): Section[] {
  const attentive = limited(attention.map(attentionRow));
  // The latest first, because the rest may be cut.
  const changed = limited((changes ?? []).map(changeRow).reverse());
  const withoutChanges =
    changes === null ? `This needs a history. To begin: ${begin}` : 'Nothing was recorded in the period.';
  return [
    ...currencies.flatMap((currency) => currencySections(currency, begin)),
    {
      title: 'Needs attention',
      text: attention.length === 0 ? ['Nothing.'] : attentive.text,
      ...(attention.length > 0 && { table: { head: ['What', 'Why'], rows: attentive.rows } }),
    },
    {
      title: 'What changed',
      text: changed.rows.length === 0 ? [withoutChanges] : changed.text,
      ...(changed.rows.length > 0 && {
        table: { head: [`When (${timeZone()})`, 'What', 'Change', 'By'], rows: changed.rows },
      }),
    },
  ];
}

export const headingOf = ({ organization }: Report): string => `${sanitizeLine(organization.name)}: campaigns`;

/** The period, and how well the record knows it. */
export function periodText({ period, currencies }: Report): string {
  const { since, until, from_reading: reading, estimated } = period;
  const text = `${clock(since)} to ${clock(until)} ${timeZone()}`;
  if (reading === null || currencies.length === 0) return text;
  if (currencies.some((each) => each.period !== null && each.period.since > since))
    return `${text}. The record begins at ${clock(reading)}: what was used and viewed is counted from then.`;
  return estimated
    ? `${text}. The reading nearest to its start is from ${clock(reading)}: what was used and viewed is an estimate.`
    : text;
}
