import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { computedFields, computedValue } from '@mkt/sdk/contract/resources';
import { capital, explain } from '../../api/errors/explain.js';
import { countOf, type DraftResource, drafts } from '../../api/labels.js';
import type { Context } from '../../context/context.js';
import { CliError, exitCodes, interrupted, usageError } from '../../errors/cli-error.js';
import { duration } from '../../fields/past-time.js';
import { changeFields, changeLine, countText, type RecordedChange, recordedSince } from '../../history/changes.js';
import { keepAhead } from '../../history/clock.js';
import { type HistoryFile, type Place, placeOf, withHistory } from '../../history/database.js';
import { readingCount } from '../../history/series.js';
import { labelOf } from '../../lists/connection.js';
import { inOrganizations } from '../../lists/definitions.js';
import { computedIn } from '../../lists/presenter.js';
import { type Observed, observe } from '../../lists/whole-list.js';
import { checkJq, filterWithJq } from '../../output/jq.js';
import type { Printer } from '../../output/printer.js';
import type { View } from '../../output/view.js';
import { clock, clockDifference } from '../../text/local-time.js';
import { idOf, pick, type Row, sanitizeLine, textAt, valueAt } from '../../text/values.js';

interface Condition {
  /** As the history names it. */
  readonly name: string;
  /** The rows for which it is true. */
  readonly matches: (observed: Observed) => Promise<readonly Match[]>;
}

interface Match {
  readonly resource: 'campaigns' | 'collabs';
  readonly row: Row;
  /** Why, on one line. */
  readonly text: string;
}

export interface Alert extends Match {
  readonly condition: string;
}

const budgetUsed = (percent: number): Condition => ({
  name: `budget-used ${percent}`,
  matches: async ({ campaigns }) =>
    campaigns.flatMap((row) => {
      const share = computedValue(computedFields.campaigns.used_percent, row);
      if (share === null || share < percent || valueAt(row, 'status') !== 'active') return [];
      const [used, budget, currency] = ['used_amount', 'total_budget_amount', 'currency'].map((field) =>
        sanitizeLine(textAt(row, field)),
      );
      const text = `${share} % of the budget is used: ${used} of ${budget} ${currency}`;
      return [{ resource: 'campaigns' as const, row, text }];
    }),
});

const when = (expression: string): Condition => ({
  name: `when ${expression}`,
  matches: async ({ campaigns, collabs }) => {
    const rows = [
      ...campaigns.map((row) => ({ resource: 'campaigns' as const, row })),
      ...collabs.map((row) => ({ resource: 'collabs' as const, row })),
    ];
    if (rows.length === 0) return [];
    // A row for which the expression fails does not match, such as a collab without amounts.
    const program = `[.[] | [(${expression})?] | any]`;
    const found: unknown = JSON.parse(
      await filterWithJq(
        rows.map(({ row }) => row),
        program,
        false,
      ),
    );
    return Array.isArray(found)
      ? rows.flatMap((each, index) => (found[index] === true ? [{ ...each, text: expression }] : []))
      : [];
  },
});

/** The conditions of a command line. */
export async function conditionsFrom(
  percent: number | undefined,
  expression: string | undefined,
): Promise<Condition[]> {
  if (expression !== undefined) await checkJq(expression);
  return [
    ...(percent === undefined ? [] : [budgetUsed(percent)]),
    ...(expression === undefined ? [] : [when(expression)]),
  ];
}

/** An alert belongs to its condition together with the command of --exec, so that another watch does not use it up. */
const keyOf = (condition: string, command: string | undefined): string =>
  command === undefined ? condition : `${condition}, exec ${command}`;

/** Raises the alerts that are not raised yet, and ends those whose condition is no longer true. @returns the new ones */
export async function raise(
  file: HistoryFile,
  { host, organization }: Place,
  conditions: readonly Condition[],
  observed: Observed,
  at: string,
  command: string | undefined,
): Promise<Alert[]> {
  const found: Alert[] = [];
  const completed = (resource: DraftResource, rows: readonly Row[]): Row[] =>
    rows.map((row) => ({ ...row, ...computedIn(resource, row) }));
  const rows = {
    ...observed,
    campaigns: completed(drafts.campaigns, observed.campaigns),
    collabs: completed(drafts.collabs, observed.collabs),
  };
  for (const { name, matches } of conditions)
    for (const match of await matches(rows)) found.push({ ...match, condition: name });
  return file.write((database) => {
    const raised = database.prepare(
      'insert or ignore into mkt_alerts (host, organization_id, resource, resource_id, condition, at) ' +
        'values (?, ?, ?, ?, ?, ?) returning 1',
    );
    const fresh = found.filter(
      ({ resource, row, condition }) =>
        raised.all([host, organization, resource, idOf(row), keyOf(condition, command), at]).length > 0,
    );
    const ended = database.prepare(
      `delete from mkt_alerts where host = ? and organization_id = ? and condition = ?
         and resource || ' ' || resource_id not in (select value from json_each(?))`,
    );
    for (const { name } of conditions) {
      const now = found.filter(({ condition }) => condition === name);
      const keys = now.map(({ resource, row }) => `${resource} ${idOf(row)}`);
      ended.all([host, organization, keyOf(name, command), JSON.stringify(keys)]);
    }
    return fresh;
  });
}

/** Forgets an alert whose command failed, so that the next reading raises it again. */
export function forget(
  file: HistoryFile,
  { host, organization }: Place,
  { condition, resource, row }: Alert,
  command: string | undefined,
): void {
  file.write((database) =>
    database
      .prepare(
        'delete from mkt_alerts where host = ? and organization_id = ? and condition = ? and resource = ? and resource_id = ?',
      )
      .all([host, organization, keyOf(condition, command), resource, idOf(row)]),
  );
}

/** `Campaign 3 "Glow": 92 % of the budget is used`. */
export const alertText = ({ resource, row, text }: Alert): string =>
  `${capital(labelOf(drafts[resource], row))}: ${sanitizeLine(text)}`;

const commandTimeout = 60_000;

/** Runs the command of --exec. Its output goes to stderr. @returns what went wrong */
export async function runCommand(context: Context, command: string, alert: Alert): Promise<string | undefined> {
  const { env, interrupted, stderr } = context.io;
  const child = spawn(command, {
    shell: true,
    env: { ...env, MKT_ALERT: alertText(alert) },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: interrupted,
    timeout: commandTimeout,
  });
  // A command that does not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify(alert.row)}\n`);
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `exited with ${code ?? signal}`));
  });
  const [problem, out, errors] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
  for (const output of [out, errors]) if (output.length > 0) stderr.stream.write(output);
  return problem;
}

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
