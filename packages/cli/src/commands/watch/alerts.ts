import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { computedFields, computedValue } from '@mkt/sdk/contract/resources';
import { capital } from '../../api/errors/explain.js';
import { type DraftResource, drafts } from '../../api/labels.js';
import type { Context } from '../../context/context.js';
import type { HistoryFile } from '../../history/database.js';
import type { Place } from '../../history/open.js';
import { labelOf } from '../../lists/connection.js';
import { computedIn } from '../../lists/presenter.js';
import type { Observed } from '../../lists/whole-list.js';
import { checkJq, filterWithJq } from '../../output/jq.js';
import { idOf, type Row, sanitizeLine, textAt, valueAt } from '../../text/values.js';

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
