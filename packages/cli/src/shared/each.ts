import { explain } from '../api/errors/explain.js';
import { type Resource, type Verbs, viewOf } from '../api/resources/resource.js';
import type { Invocation, Run } from '../context/command.js';
import type { Context, Organization } from '../context/context.js';
import { commandWith } from '../context/next-command.js';
import { CliError, interrupted } from '../errors/cli-error.js';
import { exitCodes } from '../errors/exit-codes.js';
import type { View } from '../output/view.js';
import type { Row } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';
import { confirm } from './confirm.js';
import { labelOf } from './label.js';
import { pool } from './pool.js';

/** How many run at the same time. */
const WIDTH = 4;

export interface EachStep {
  /** In the sentence and as the name of the web action: `publish`, `delete`. */
  readonly verb: string;
  /** In the receipt: `Published`. */
  readonly done: string;
  /** Whether one alone asks too: what it does cannot be taken back. */
  readonly severe: boolean;
  /** Whether the thing is there afterwards, to be shown. */
  readonly keeps: boolean;
  readonly work: (verbs: Verbs, id: string) => PromiseLike<Row | undefined>;
}

/** What programs read of a thing that is gone. */
const goneView: View = { columns: [], fields: ['id', 'ok', 'result'] };

interface Outcome {
  readonly id: string;
  readonly row?: Row | undefined;
  readonly error?: CliError;
}

interface Job {
  readonly context: Context;
  readonly invocation: Invocation;
  readonly resource: Resource;
  readonly step: EachStep;
  readonly organization: Organization | undefined;
  readonly verbs: Verbs;
}

/** What will be done, with names, before it is asked whether to. A thing that cannot be shown is named by its id. */
async function plan({ context, resource, step, organization, verbs }: Job, ids: readonly string[]): Promise<void> {
  const labels = await pool(ids, WIDTH, async (id) => {
    try {
      const row = await verbs.get?.(id);
      return row === undefined ? `${resource.noun} ${id}` : labelOf(resource, row);
    } catch (error) {
      if (context.io.interrupted.aborted) throw interrupted('Interrupted; nothing was changed.');
      const told = await explain(error, { verb: 'show', resource, id, organization }, context);
      if (told instanceof CliError && told.exitCode === exitCodes.notFound) return `${resource.noun} ${id} (not found)`;
      throw told;
    }
  });
  const where = organization === undefined ? '' : ` in ${await organization.name()}`;
  const [only] = labels;
  const verb = `${step.verb.charAt(0).toUpperCase()}${step.verb.slice(1)}`;
  if (labels.length === 1) context.note(`${verb} ${only}${where}`);
  else
    context.note(
      [`${verb} ${labels.length} ${resource.plural}${where}:`, ...labels.map((label) => `  ${label}`)].join('\n'),
    );
}

async function ask(job: Job, ids: readonly string[]): Promise<void> {
  const { context, invocation, resource, step } = job;
  const asks = step.severe || (ids.length > 1 && context.interactive);
  if (!asks || context.options.yes) return;
  if (context.interactive) await plan(job, ids);
  const what = ids.length === 1 ? `this ${resource.noun}` : `these ${ids.length} ${resource.plural}`;
  await confirm(context, `Really ${step.verb} ${what}?`, commandWith(invocation, context, {}));
}

async function one({ context, resource, step, organization, verbs }: Job, id: string): Promise<Outcome> {
  if (context.io.interrupted.aborted) return { id, error: interrupted('Not begun: interrupted.') };
  try {
    return { id, row: await step.work(verbs, id) };
  } catch (error) {
    const told = await explain(error, { verb: step.verb, resource, id, organization }, context);
    if (told instanceof CliError) return { id, error: told };
    throw told;
  }
}

/** What a script reads of one: the representation after an action, or that it is gone. */
const asData = ({ id, row, error }: Outcome, step: EachStep): Row => {
  if (error !== undefined) return { id, ok: false, error: error.message, code: error.details.code };
  return row ?? { id, ok: true, result: step.done.toLowerCase() };
};

async function printDone({ context }: Job, outcomes: readonly Outcome[], step: EachStep, view: View, single: boolean) {
  const rows = outcomes.filter(({ error }) => error === undefined);
  const [only] = rows;
  if (context.print.forPeople && context.options.jq === undefined) {
    const shown = rows.flatMap(({ row }) => (row === undefined ? [] : [row]));
    if (shown.length > 0) await context.print.rows([shown], view);
  } else if (single && only !== undefined) {
    await context.print.row(asData(only, step), view);
  } else {
    await context.print.rows([outcomes.map((outcome) => asData(outcome, step))], view);
  }
}

function failure(failed: readonly Outcome[], outcomes: readonly Outcome[], job: Job): CliError {
  const { resource, step } = job;
  const [first] = failed;
  const results = outcomes.map((outcome) => ({
    id: outcome.id,
    ok: outcome.error === undefined,
    ...(outcome.error && { error: outcome.error.message }),
  }));
  const stopped = failed.find(({ error }) => error?.exitCode === exitCodes.interrupted);
  const none = failed.length === outcomes.length;
  const count = outcomes.length - failed.length;
  return new CliError({
    code: stopped !== undefined ? 'interrupted' : none ? (first?.error?.details.code ?? 'failed') : 'partly_done',
    exitCode:
      stopped !== undefined
        ? exitCodes.interrupted
        : none
          ? (first?.error?.exitCode ?? exitCodes.unexpected)
          : exitCodes.partial,
    message: `${step.done} ${none ? 'none' : count} of ${outcomes.length} ${resource.plural}.`,
    hints: failed
      .map(({ error }) => error?.details.hints?.[0])
      .filter((hint, index, all): hint is string => hint !== undefined && all.indexOf(hint) === index),
    results,
  });
}

/** `delete <id...>`, `publish <id...>` and the like: one question, four at a time, a line for each. */
export const each =
  (resource: Resource, step: EachStep): Run =>
  async (context, invocation) => {
    const ids = [...new Set(invocation.args)];
    const client = await context.client();
    const organization = resource.inOrganization ? await context.organization() : undefined;
    const { format } = context.print.options;
    const view = step.keeps ? await viewOf(resource, 'one', context.print.needsFields) : goneView;
    context.print.checkKnown(view);
    const verbs = resource.verbs(client, organization?.id ?? '', { signal: context.io.interrupted });
    const job: Job = { context, invocation, resource, step, organization, verbs };
    await ask(job, ids);

    const single = ids.length === 1;
    const outcomes = await context.withProgress(`${step.done} `, async (progress) => {
      let finished = 0;
      return pool(ids, WIDTH, async (id) => {
        const outcome = await one(job, id);
        finished += 1;
        if (!single) progress.update(finished, ids.length);
        return outcome;
      });
    });
    const where = organization === undefined ? '' : ` in ${await organization.name()}`;
    const failed = outcomes.filter(({ error }) => error !== undefined);
    const [only] = failed;
    if (single && only?.error !== undefined) throw only.error;
    // Of a failure, a program reads one line on stderr: the error, with the results in it.
    const alone = failed.length > 0 && (format === 'json' || format === 'ndjson');
    for (const { id, row, error } of alone ? [] : outcomes) {
      if (error === undefined)
        context.note(
          `${step.done} ${row === undefined ? `${resource.noun} ${sanitizeLine(id)}` : labelOf(resource, row)}${where}`,
        );
      else if (context.print.forPeople) context.warn(error.message);
    }
    if (failed.length < outcomes.length) await printDone(job, outcomes, step, view, single);
    if (failed.length > 0) throw failure(failed, outcomes, job);
  };
