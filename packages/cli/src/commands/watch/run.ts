import { setTimeout as wait } from 'node:timers/promises';
import { explain } from '../../api/errors/explain.js';
import { countOf, drafts } from '../../api/labels.js';
import type { Context, Organization } from '../../context/context.js';
import { CliError, exitCodes, interrupted, usageError } from '../../errors/cli-error.js';
import { duration } from '../../fields/past-time.js';
import { changeFields, changeLine, countText, type RecordedChange, recordedSince } from '../../history/changes.js';
import { keepAhead } from '../../history/clock.js';
import { type HistoryFile, HistoryUnusable } from '../../history/database.js';
import { type Place, placeOf, withHistory, withoutHistory } from '../../history/open.js';
import { Recorder } from '../../history/record.js';
import { inOrganizations } from '../../lists/definitions.js';
import { observe } from '../../lists/whole-list.js';
import type { View } from '../../output/view.js';
import { clock, clockDifference } from '../../text/local-time.js';
import { pick } from '../../text/row.js';
import { type Alert, alertText, conditionsFrom, forget, raise, runCommand } from './alerts.js';

/** The time between two readings. */
const PAUSE = '10min';

interface WatchFlags {
  readonly every?: string;
  readonly once?: boolean;
  readonly 'budget-used'?: number;
  readonly when?: string;
  readonly exec?: string;
}

/** What a watch has warned of, which it does once. */
interface Warned {
  clock: boolean;
}

interface Watch {
  readonly context: Context;
  readonly file: HistoryFile;
  readonly organization: Organization;
  readonly place: Place;
  readonly conditions: Awaited<ReturnType<typeof conditionsFrom>>;
  readonly command: string | undefined;
  readonly isOnce: boolean;
  /** Its conditions and its command. */
  readonly name: string;
  /** The row of `changes` up to which it has reported; undefined before its first report. */
  reported?: number;
  readonly warned: Warned;
}

const computed = [...new Set(Object.values(drafts).flatMap((resource) => Object.keys(resource.computed)))];
const watchFields = [...changeFields, 'condition', 'text', ...computed];
const view: View = { columns: [], fields: watchFields };

/** An alert as `--json` prints it. */
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

/** Prints lines, or rows: in one list with --once, else line by line as they come. */
async function print(
  { context, isOnce }: Watch,
  changes: readonly RecordedChange[],
  alerts: readonly Alert[],
  at: string,
): Promise<void> {
  const { print: own } = context;
  const rows = [...changes, ...alerts.map((alert) => alertRow(alert, at))];
  if (!own.isHumanReadable || own.options.fields !== undefined) {
    const printer = isOnce || own.options.jq !== undefined ? own : context.printerFor('ndjson');
    if (isOnce || rows.length > 0) await printer.rows([rows], view);
    return;
  }
  const most = own.options.width === undefined ? undefined : 50;
  for (const change of changes) await own.write(`${changeLine(change, most)}\n`);
  const style = context.styleOf('stdout');
  for (const alert of alerts) await own.write(`${clock(at)}  ${style('red', 'ALERT')} ${alertText(alert)}\n`);
}

/** One reading: records it, prints what changed, raises alerts. @returns the number of new alerts */
async function readOnce(watch: Watch): Promise<number> {
  const { context, file, organization, place, conditions, command } = watch;
  const latest = () => Number(file.all('select coalesce(max(rowid), 0) as latest from changes')[0]?.latest);
  const own = [place.host, place.organization, watch.name];
  // A new watch begins with what it finds itself.
  watch.reported ??= Number(
    file.all('select latest from mkt_watches where host = ? and organization_id = ? and watch = ?', ...own)[0]
      ?.latest ?? latest(),
  );
  const observed = await observe(context, organization);
  const isFirst =
    file.all(
      'select 1 from observations where host = ? and organization_id = ? limit 1',
      place.host,
      place.organization,
    ).length === 0;
  const tokenIds = await context.journal.tokenIds();
  const { changes, until } = file.write((database) => {
    const recorder = new Recorder(database);
    keepAhead(database, place.host, context.journal.ahead);
    for (const reading of observed.readings) recorder.reading(reading, tokenIds);
    return { changes: recordedSince(file, place, watch.reported ?? 0), until: latest() };
  });
  const at = context.journal.now();
  const alerts = await raise(file, place, conditions, observed, at, command);
  await print(watch, changes, alerts, at);
  watch.reported = until;
  file.write((database) =>
    database
      .prepare(
        'insert into mkt_watches (host, organization_id, watch, latest) values (?, ?, ?, ?) ' +
          'on conflict do update set latest = max(latest, excluded.latest)',
      )
      .all([...own, until]),
  );
  const difference = clockDifference(-(context.journal.ahead ?? 0));
  if (difference !== undefined && !watch.warned.clock) {
    context.warn(difference);
    watch.warned.clock = true;
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
const passing: readonly number[] = [exitCodes.unexpected, exitCodes.network];

async function readAgain(watch: Watch): Promise<void> {
  const { context } = watch;
  try {
    await readOnce(watch);
  } catch (error) {
    if (context.io.interrupted.aborted) throw stopped();
    const known =
      error instanceof HistoryUnusable ? withoutHistory(error) : await explain(error, { action: 'watch' }, context);
    if (!(known instanceof CliError) || !passing.includes(known.exitCode)) throw known;
    context.warn(`${known.message} The next reading follows.`);
  }
}

/** Watches each of the organizations that the command line names: reads all of them, waits, and reads again. */
export async function watchSeveral(context: Context, flags: WatchFlags): Promise<void> {
  const { every, ...others } = flags;
  const pause = duration('every', every ?? PAUSE);
  if (flags.once === true && every !== undefined) throw usageError('--once and --every cannot be used together.');
  const { interrupted: signal } = context.io;
  const warned = { clock: false };
  const isStreamed = flags.once !== true && !context.print.isText;
  const print = isStreamed ? context.printerFor('ndjson') : context.print;
  for (;;) {
    if (signal.aborted) throw stopped();
    try {
      await inOrganizations(context, { done: 'Read the changes of', isLines: true, print }, (each) =>
        watch(each, { ...others, once: true }, warned),
      );
      if (flags.once === true) return;
    } catch (error) {
      if (flags.once === true || !(error instanceof CliError)) throw error;
      if (signal.aborted) throw stopped();
      if (!passing.includes(error.exitCode) && error.exitCode !== exitCodes.partial && error.details.code !== 'alert')
        throw error;
      if (error.details.code !== 'alert')
        context.warn([`${error.message} The next reading follows.`, ...(error.details.lines ?? [])].join('\n'));
    }
    await wait(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** Reads, and reads again until it is interrupted. */
export async function watch(context: Context, flags: WatchFlags, warned: Warned = { clock: false }): Promise<void> {
  const { every = PAUSE, once = false, 'budget-used': percent, when, exec: command } = flags;
  if (percent !== undefined && (percent < 1 || percent > 100))
    throw usageError(`--budget-used takes a percentage from 1 to 100, not ${percent}.`);
  if (once && flags.every !== undefined) throw usageError('--once and --every cannot be used together.');
  const pause = duration('every', every);
  await context.print.checkKnown(view);
  const conditions = await conditionsFrom(percent, when);
  if (command !== undefined && conditions.length === 0)
    throw usageError('--exec runs for alerts. Add --budget-used PERCENT or --when JQ.');
  const organization = await context.organization();
  const raised = await withHistory(context, async (file) => {
    const watching: Watch = {
      context,
      file,
      organization,
      place: placeOf(context, organization),
      conditions,
      command,
      isOnce: once,
      name: JSON.stringify([percent, when, command]),
      warned,
    };
    if (once) return readOnce(watching);
    const { interrupted: signal } = context.io;
    for (;;) {
      if (signal.aborted) throw stopped();
      await readAgain(watching);
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  });
  if (raised > 0) throw new CliError({ code: 'alert', message: `New alerts: ${raised}.`, silent: true });
}
