import { extname } from 'node:path';
import { campaigns } from '../../api/labels.js';
import { severalOrganizations } from '../../api/organization.js';
import type { Invocation } from '../../context/command.js';
import type { Context, Organization } from '../../context/context.js';
import { placeFlags } from '../../context/flags.js';
import { CliError, toType, usageError } from '../../errors/cli-error.js';
import { pastTime, timeFrom } from '../../fields/past-time.js';
import { type HistoryFile, placeOf, withHistory } from '../../history/database.js';
import { historyPath } from '../../history/place.js';
import { DAY } from '../../history/series.js';
import { filterFrom } from '../../lists/filters.js';
import type { GroupField } from '../../lists/groups.js';
import { checkParts, readOrganizations } from '../../lists/several.js';
import { type Observed, observe } from '../../lists/whole-list.js';
import { writeTo } from '../../output/file-target.js';
import type { View } from '../../output/view.js';
import { jsonText } from '../../text/values.js';
import { type Borders, type Report, recordedIn, reportOf } from './data.js';

interface ReportFlags {
  readonly since?: string;
  readonly until?: string;
  readonly month?: string;
  readonly compare?: boolean;
  readonly out?: string;
  readonly 'group-by'?: GroupField;
  readonly currency?: readonly string[];
}

const fields = 'organization totals_at period previous_period currencies groups attention changes'.split(' ');
const view: View = { columns: [], fields };
const severalView: View = { columns: [], fields: ['organizations'] };

/** What a report is made of: of one organization, or of several. */
type Reports = readonly [Report, ...Report[]];

const dataOf = (reports: Reports, isSeveral: boolean): object => (isSeveral ? { organizations: reports } : reports[0]);

type Render = (reports: Reports, begin: string, isSeveral: boolean) => Promise<string>;

const formats: Readonly<Record<string, Render>> = {
  '.html': async (reports, begin) => (await import('./html.js')).reportHtml(reports, begin),
  '.md': async (reports, begin) => (await import('./markdown.js')).reportMarkdown(reports, begin),
  '.json': async (reports, _begin, isSeveral) => jsonText(dataOf(reports, isSeveral)),
};

function formatOf(out: string): Render {
  const extension = extname(out).toLowerCase();
  const render = formats[extension === '.htm' ? '.html' : extension === '.markdown' ? '.md' : extension];
  if (render !== undefined) return render;
  throw usageError(
    `--out ${out}: the name ends in none of ${Object.keys(formats).join(', ')}.`,
    toType('mkt report --out week.html'),
  );
}

/** The first day of a month, which may be out of range, in the time zone of the user. */
const monthStart = (year: number, month: number): number => new Date(year, month, 1).getTime();

/** The period of a report, which does not end in the future, and with `--compare` the one before. @throws a usage error */
function periodsOf({ since = '7d', until, month, compare = false }: ReportFlags, now: Date) {
  const iso = (start: number, end: number): Borders => ({
    since: new Date(start).toISOString(),
    until: new Date(Math.min(end, now.getTime())).toISOString(),
  });
  if (month !== undefined) {
    const [, year = '', number = ''] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
    const [y, m] = [Number(year), Number(number) - 1];
    if (year === '') throw usageError(`--month takes a month such as 2026-11, not "${month}".`);
    if (monthStart(y, m) > now.getTime()) throw usageError(`--month ${month} is in the future.`);
    const previous = compare ? iso(monthStart(y, m - 1), monthStart(y, m)) : undefined;
    return { period: iso(monthStart(y, m), monthStart(y, m + 1)), previous };
  }
  const start = pastTime('since', since, now);
  const end = Math.min(until === undefined ? now.getTime() : timeFrom('until', until, now), now.getTime());
  if (end <= start) throw usageError('--until is not after --since.');
  return { period: iso(start, end), previous: compare ? iso(start - (end - start), start) : undefined };
}

/** Reports the present state, and what the history knows of the period. */
export async function report(
  context: Context,
  { command, flags: given }: Invocation & { readonly flags: ReportFlags },
): Promise<void> {
  const { out, 'group-by': groupBy, currency, ...flags } = given;
  if (flags.month !== undefined && (flags.since ?? flags.until) !== undefined)
    throw usageError('--month cannot be used with --since or --until.');
  // Checked before anything is requested, and again by the clock of the service, which may be ahead.
  periodsOf(flags, new Date(context.io.now().getTime() + 7 * DAY));
  const render = out === undefined || out === '-' ? undefined : formatOf(out);
  const several = await severalOrganizations(context);
  await context.print.checkKnown(several ? severalView : view);
  const read = async (organization: Organization): Promise<Observed> => {
    const observed = await observe(context, organization);
    for (const reading of observed.readings) context.journal.read(reading);
    return observed;
  };
  const organizations = several ?? [await context.organization()];
  const parts = await readOrganizations(context, organizations, { action: 'read' }, read);
  const now = new Date(context.journal.now());
  const selection = filterFrom(command.flags ?? [], { currency }, () => now, campaigns);
  const isWanted = selection?.test ?? (() => true);
  const { period, previous } = periodsOf(flags, now);
  // Recorded first, so that the series end now.
  await context.journal.save();
  const made = await withRecord(context, (file) =>
    parts.flatMap(({ organization: each, named, value }) => {
      if (value === undefined) return [];
      const recorded = (borders: typeof period) =>
        file && recordedIn(file, placeOf(context, each), borders, borders.until < now.toISOString());
      return reportOf(
        named,
        value,
        { recorded: recorded(period), previous: previous ? recorded(previous) : null, period, now },
        { groupBy, isWanted },
      );
    }),
  );
  const [first, ...others] = made;
  if (first === undefined) throw usageError('You are not a member of any organization yet.');
  await print(context, [first, ...others], { out, render, isSeveral: several !== undefined });
  const { values = '', drafts = '' } = selection?.unmet() ?? {};
  if (values !== '') context.note(`${values}${drafts}`.trim());
  await checkParts(parts, 'Reported on');
}

interface Output {
  readonly out: string | undefined;
  readonly render: Render | undefined;
  readonly isSeveral: boolean;
}

async function print(context: Context, reports: Reports, { out, render, isSeveral }: Output): Promise<void> {
  const begin = `mkt watch --once${placeFlags(context)} (in cron)`;
  if (render !== undefined && out !== undefined) {
    const text = await render(reports, begin, isSeveral);
    await writeTo({ path: out, stdout: context.stdout, example: 'week.html' }, (sink) => sink.write(text));
    const what = isSeveral ? `${reports.length} organizations` : reports[0].organization.name;
    context.note(`Wrote the report on ${what} to ${out}.`);
    return;
  }
  const { print: printer, options } = context;
  if (!printer.isText) return printer.row(dataOf(reports, isSeveral), isSeveral ? severalView : view);
  const { reportText } = await import('./text.js');
  const { width, style } = printer.options;
  await printer.write(reportText(reports, begin, { style, width, verbose: options.verbose === true }));
}

/** What `work` makes of the history; it gets null without one. */
async function withRecord<Result>(context: Context, work: (file: HistoryFile | null) => Result): Promise<Result> {
  if (historyPath(context.io) === undefined) return work(null);
  try {
    return await withHistory(context, work);
  } catch (error) {
    // Saving has warned already.
    if (error instanceof CliError && error.details.code === 'history') return work(null);
    throw error;
  }
}
