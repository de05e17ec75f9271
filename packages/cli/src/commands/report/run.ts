import { extname } from 'node:path';
import type { Context } from '../../context/context.js';
import { placeFlags } from '../../context/next-command.js';
import { toType, usageError } from '../../errors/cli-error.js';
import { pastTime, timeFrom } from '../../fields/past-time.js';
import { HistoryUnusable, openHistory } from '../../history/database.js';
import { placeOf } from '../../history/open.js';
import { historyPath } from '../../history/place.js';
import { observe } from '../../lists/whole-list.js';
import { writeTo } from '../../output/file-target.js';
import type { View } from '../../output/view.js';
import { jsonText } from '../../text/json.js';
import { idValue } from '../../text/row.js';
import { type Report, recordedIn, reportOf } from './data.js';

interface ReportFlags {
  readonly since?: string;
  readonly out?: string;
}

const view: View = {
  columns: [],
  fields: ['organization', 'period', 'currencies', 'attention', 'changes'],
};

type Render = (report: Report, begin: string) => Promise<string>;

const formats: Readonly<Record<string, Render>> = {
  '.html': async (report, begin) => (await import('./html.js')).reportHtml(report, begin),
  '.md': async (report, begin) => (await import('./markdown.js')).reportMarkdown(report, begin),
  '.json': async (report) => jsonText(report),
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

/** Reports the present state, and what the history knows of the period. */
export async function report(context: Context, { since = '7d', out }: ReportFlags): Promise<void> {
  // Checked before anything is requested.
  timeFrom('since', since, context.io.now());
  const render = out === undefined || out === '-' ? undefined : formatOf(out);
  await context.print.checkKnown(view);
  const organization = await context.organization();
  const observed = await observe(context, organization);
  for (const reading of observed.readings) context.journal.read(reading);
  const until = context.journal.now();
  const start = new Date(pastTime('since', since, new Date(until))).toISOString();
  // Recorded first, so that the series end now.
  await context.journal.save();
  const recorded = await readHistory(context, (file) => recordedIn(file, placeOf(context, organization), start));
  const shown = { id: idValue(organization.id), name: await organization.name() };
  const made = reportOf(shown, observed, recorded, { since: start, until });
  const begin = `mkt watch --once${placeFlags(context)} (in cron)`;
  if (render !== undefined && out !== undefined) {
    const text = await render(made, begin);
    await writeTo({ path: out, stdout: context.stdout, example: 'week.html' }, (sink) => sink.write(text));
    context.note(`Wrote the report on ${shown.name} to ${out}.`);
    return;
  }
  const { print, options } = context;
  if (!print.isHumanReadable || print.options.fields !== undefined) return print.row(made, view);
  const { reportText } = await import('./text.js');
  const { width, style } = print.options;
  await print.write(reportText(made, begin, { style, width, verbose: options.verbose === true }));
}

/** What `work` finds in the history; null without one. */
async function readHistory<Result>(
  context: Context,
  work: (file: Awaited<ReturnType<typeof openHistory>>) => Result,
): Promise<Result | null> {
  const path = historyPath(context.io);
  if (path === undefined) return null;
  try {
    const file = await openHistory(path);
    try {
      return work(file);
    } finally {
      file.close();
    }
  } catch (error) {
    // Saving has warned already.
    if (error instanceof HistoryUnusable) return null;
    throw error;
  }
}
