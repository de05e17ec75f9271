import { setTimeout as wait } from 'node:timers/promises';
import { explain } from '../../api/errors/explain.js';
import { countOf, drafts } from '../../api/labels.js';
import type { Context } from '../../context/context.js';
import { CliError, exitCodes, interrupted, usageError } from '../../errors/cli-error.js';
import { duration } from '../../fields/past-time.js';
import { changeFields, changeLine, countText, type RecordedChange, recordedSince } from '../../history/changes.js';
import { keepAhead } from '../../history/clock.js';
import type { HistoryFile } from '../../history/database.js';
import { placeOf, withHistory } from '../../history/open.js';
import { readingCount } from '../../history/series.js';
import { inOrganizations } from '../../lists/definitions.js';
import { observe } from '../../lists/whole-list.js';
import type { Printer } from '../../output/printer.js';
import type { View } from '../../output/view.js';
import { clock, clockDifference } from '../../text/local-time.js';
import { pick } from '../../text/values.js';
import { type Alert, alertText, conditionsFrom, forget, raise, runCommand } from './alerts.js';

const PAUSE = '10min';

interface WatchFlags {
  readonly every?: string;
  readonly once?: boolean;
  readonly 'budget-used'?: number;
  readonly when?: string;
  readonly exec?: string;
}

interface Watch {
  readonly conditions: Awaited<ReturnType<typeof conditionsFrom>>;
  readonly command: string | undefined;
  readonly isOnce: boolean;
  /** Its conditions and its command. */
  readonly name: string;
  /** By organization, the row of `changes` up to which it has reported. */
  readonly reported: Map<string, number>;
  hasWarnedOfClock: boolean;
}

const computed = [...new Set(Object.values(drafts).flatMap((resource) => Object.keys(resource.computed)))];
const watchFields = [...changeFields, 'condition', 'text', ...computed];
const view: View = { columns: [], fields: watchFields };

const alertRow = ({ resource, row, condition, text }: Alert, at: string) => ({
  at,
  resource,
  id: (row as { id?: unknown }).id,
  name: (row as { name?: unknown }).name,
  kind: 'alert',
  condition,
  text,
  ...pick(row, computed),
});

async function print(
  context: Context,
  changes: readonly RecordedChange[],
  alerts: readonly Alert[],
  at: string,
  /** For data: one list with --once, else line by line as they come. */
  printer: Printer,
): Promise<void> {
  const { print: own } = context;
  const rows = [...changes, ...alerts.map((alert) => alertRow(alert, at))];
  if (!own.isText) return printer.rows([rows], view);
  const most = own.options.width === undefined ? undefined : 50;
  for (const change of changes) await own.write(`${changeLine(change, most)}\n`);
  const style = context.styleOf('stdout');
  for (const alert of alerts) await own.write(`${clock(at)}  ${style('red', 'ALERT')} ${alertText(alert)}\n`);
}

/** One reading of an organization: records it, prints what changed, raises alerts. @returns the number of new alerts */
async function read(context: Context, file: HistoryFile, watch: Watch, printer: Printer): Promise<number> {
  const { conditions, command, reported } = watch;
  const organization = await context.organization();
  const place = placeOf(context, organization);
  const latest = () => Number(file.all('select coalesce(max(rowid), 0) as latest from changes')[0]?.latest);
  const own = [place.host, place.organization, watch.name];
  const since =
    reported.get(organization.id) ??
    file.all('select latest from mkt_watches where host = ? and organization_id = ? and watch = ?', ...own)[0]?.latest;
  // A new watch begins with what it finds itself.
  const first = since === undefined ? latest() : Number(since);
  const observed = await observe(context, organization);
  const isFirst = readingCount(file, place, 1) === 0;
  const tokenIds = await context.journal.tokenIds();
  const { changes, until } = file.write((database) => {
    keepAhead(database, place.host, context.journal.ahead);
    for (const reading of observed.readings) file.recorder.reading(reading, tokenIds);
    return { changes: recordedSince(file, place, first), until: latest() };
  });
  const at = context.journal.now();
  const alerts = await raise(file, place, conditions, observed, at, command);
  if (watch.isOnce || changes.length + alerts.length > 0) await print(context, changes, alerts, at, printer);
  reported.set(organization.id, until);
  file.write((database) =>
    database
      .prepare(
        'insert into mkt_watches (host, organization_id, watch, latest) values (?, ?, ?, ?) ' +
          'on conflict do update set latest = max(latest, excluded.latest)',
      )
      .all([...own, until]),
  );
  const difference = clockDifference(-(context.journal.ahead ?? 0));
  if (difference !== undefined && !watch.hasWarnedOfClock) {
    context.warn(difference);
    watch.hasWarnedOfClock = true;
  }
  await context.noteAbout(
    ({ organizations, counts: [campaigns = 0, collabs = 0, count = 0] }) => {
      const read = `${countOf(drafts.campaigns, campaigns)} and ${countOf(drafts.collabs, collabs)}`;
      return isFirst
        ? `First reading of ${organizations}: ${read}. The next one shows what has changed.`
        : `${countText(count)} in ${organizations}: ${read}.`;
    },
    [observed.campaigns.length, observed.collabs.length, changes.length],
  );
  for (const alert of command === undefined ? [] : alerts) {
    const problem = await runCommand(context, command ?? '', alert);
    if (problem === undefined) continue;
    if (context.io.interrupted.aborted) throw interrupted();
    forget(file, place, alert, command);
    context.warn(
      `The command of --exec ${problem}, so the alert is raised again at the next reading: ${alertText(alert)}`,
    );
  }
  return alerts.length;
}

/** Ctrl-C is how a watch ends. */
const stopped = () => new CliError({ code: 'interrupted', message: 'Interrupted.', silent: true });

/** Errors that a later reading may not meet. */
const passing: readonly number[] = [exitCodes.unexpected, exitCodes.network, exitCodes.partial];

/** Reads once, or again and again until it is interrupted: one organization, or all that the command line names. */
export async function watch(context: Context, flags: WatchFlags): Promise<void> {
  const { every, once = false, 'budget-used': percent, when, exec: command } = flags;
  if (percent !== undefined && (percent < 1 || percent > 100))
    throw usageError(`--budget-used takes a percentage from 1 to 100, not ${percent}.`);
  if (once && every !== undefined) throw usageError('--once and --every cannot be used together.');
  const pause = duration('every', every ?? PAUSE);
  const conditions = await conditionsFrom(percent, when);
  if (command !== undefined && conditions.length === 0)
    throw usageError('--exec runs for alerts. Add --budget-used PERCENT or --when JQ.');
  const { options } = context.print;
  if (!context.mayNameSeveral) await context.print.checkKnown(view);
  const isOwn = once || options.jq !== undefined || context.print.isText;
  const printer = isOwn ? context.print : context.printerFor('ndjson');
  const name = JSON.stringify([percent, when, command]);
  const watching: Watch = { conditions, command, isOnce: once, name, reported: new Map(), hasWarnedOfClock: false };
  const readAll = () =>
    inOrganizations(context, { done: 'Read the changes of', isLines: true, print: printer }, async (each) => {
      const raised = await withHistory(each, (file) =>
        read(each, file, watching, each === context ? printer : each.print),
      );
      if (raised > 0) throw new CliError({ code: 'alert', message: `New alerts: ${raised}.`, silent: true });
    });
  if (once) return readAll();
  const { interrupted: signal } = context.io;
  for (;;) {
    if (signal.aborted) throw stopped();
    try {
      await readAll();
    } catch (error) {
      if (signal.aborted) throw stopped();
      const known = await explain(error, { action: 'watch' }, context);
      if (!(known instanceof CliError)) throw known;
      const { code, lines = [] } = known.details;
      const isPassing = passing.includes(known.exitCode) && (code !== 'history' || watching.reported.size > 0);
      if (code !== 'alert') {
        if (!isPassing) throw known;
        context.warn([`${known.message} The next reading follows.`, ...lines].join('\n'));
      }
    }
    await wait(pause, undefined, { signal }).catch(() => undefined);
  }
}
