import { capital, explain, past } from '../api/errors/explain.js';
import type { Resource } from '../api/resources.js';
import type { Invocation } from '../context/command.js';
import type { Context, Organization } from '../context/context.js';
import { commandWith } from '../context/next-command.js';
import { CliError, interrupted } from '../errors/cli-error.js';
import { exitCodes } from '../errors/exit-codes.js';
import type { View } from '../output/view.js';
import type { Row } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';
import { confirm } from './confirm.js';
import { failureCode, inParallel } from './parallel.js';
import { type Api, connect, detailView, labelOf, type Presenter, placeOf } from './presenter.js';

/** The data about a resource that no longer exists. */
export const goneView: View = { columns: [], fields: ['id', 'ok', 'result'] };

/** An operation on one or several resources, each named by its id. */
export interface BulkAction<Result> {
  readonly verb: string;
  /** Reads one, to show its name before the prompt. */
  readonly get?: (api: Api, id: string) => PromiseLike<Row>;
  readonly send: (api: Api, id: string) => PromiseLike<Result>;
}

/** In the receipt: `Published`. */
const doneText = ({ verb }: BulkAction<unknown>): string => capital(past(verb));

interface Job<Result> {
  readonly context: Context;
  readonly invocation: Invocation;
  readonly resource: Resource;
  readonly action: BulkAction<Result>;
  readonly api: Api;
  readonly organization: Organization | undefined;
  readonly ids: readonly string[];
}

/** The result for one id: `label` is for the receipt, `data` for programs. */
type Outcome =
  | { readonly id: string; readonly error: CliError }
  | { readonly id: string; readonly error?: undefined; readonly label: string; readonly data: Row };

async function labelFor({ context, resource, action, api, organization }: Job<unknown>, id: string): Promise<string> {
  try {
    return action.get === undefined ? `${resource.noun} ${id}` : labelOf(resource, await action.get(api, id));
  } catch (error) {
    if (context.io.interrupted.aborted) throw interrupted('Interrupted; nothing was changed.');
    const explained = await explain(error, { verb: 'show', resource, id, organization }, context);
    if (explained instanceof CliError && explained.exitCode === exitCodes.notFound) {
      return `${resource.noun} ${id} (not found)`;
    }
    throw explained;
  }
}

/** Lists the resources by name, then asks for confirmation. */
async function confirmAll(job: Job<unknown>): Promise<void> {
  const { context, invocation, resource, action, organization, ids } = job;
  if (context.options.yes) return;
  if (context.interactive) {
    const labels = await inParallel(context, `Reading ${resource.plural}`, ids, (id) => labelFor(job, id));
    const verb = capital(action.verb);
    const where = await placeOf(organization);
    if (ids.length === 1) context.note(`${verb} ${labels[0]}${where}`);
    else {
      const heading = `${verb} ${labels.length} ${resource.plural}${where}:`;
      context.note([heading, ...labels.map((label) => `  ${label}`)].join('\n'));
    }
  }
  const what = ids.length === 1 ? `this ${resource.noun}` : `these ${ids.length} ${resource.plural}`;
  await confirm(context, `Really ${action.verb} ${what}?`, commandWith(invocation, context, {}));
}

/** Sends a request for each id. If one fails, the others continue. */
async function sendAll<Result>(
  { context, resource, action, api, organization, ids }: Job<Result>,
  succeeded: (id: string, result: Result) => Outcome,
): Promise<Outcome[]> {
  return inParallel(context, `${doneText(action)} `, ids, async (id): Promise<Outcome> => {
    if (context.io.interrupted.aborted) return { id, error: interrupted('Not started: interrupted.') };
    try {
      return succeeded(id, await action.send(api, id));
    } catch (error) {
      const explained = await explain(error, { verb: action.verb, resource, id, organization }, context);
      if (explained instanceof CliError) return { id, error: explained };
      throw explained;
    }
  });
}

function combinedError({ resource, action }: Job<unknown>, outcomes: readonly Outcome[]): CliError {
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  const count = outcomes.length - errors.length;
  return new CliError({
    ...failureCode(errors, count > 0),
    message: `${doneText(action)} ${count} of ${outcomes.length} ${resource.plural}.`,
    hints: [...new Set(errors.flatMap(({ details }) => details.hints?.slice(0, 1) ?? []))],
    results: outcomes.map(({ id, error }) => ({ id, ok: error === undefined, ...(error && { error: error.message }) })),
  });
}

/** Receipts on stderr, data on stdout, and one error if any failed. */
async function printOutcomes(job: Job<unknown>, outcomes: readonly Outcome[], view: View): Promise<void> {
  const { context, organization } = job;
  const { isHumanReadable, options } = context.print;
  const [only] = outcomes;
  if (outcomes.length === 1 && only?.error !== undefined) throw only.error;
  const where = await placeOf(organization);
  const failed = outcomes.some(({ error }) => error !== undefined);
  // For programs that read JSON, stderr must be only the error with its results.
  if (!failed || (options.format !== 'json' && options.format !== 'ndjson')) {
    for (const outcome of outcomes) {
      if (outcome.error === undefined) context.note(`${doneText(job.action)} ${outcome.label}${where}`);
      else if (isHumanReadable) context.warn(outcome.error.message);
    }
  }
  const done = outcomes.flatMap((outcome) => (outcome.error === undefined ? [outcome.data] : []));
  if (done.length > 0) {
    if (isHumanReadable) {
      if (view.columns.length > 0) await context.print.rows([done], view);
    } else if (outcomes.length === 1 && done[0] !== undefined) await context.print.row(done[0], view);
    else {
      const rows = outcomes.map((outcome) =>
        outcome.error === undefined
          ? outcome.data
          : { id: outcome.id, ok: false, error: outcome.error.message, code: outcome.error.details.code },
      );
      await context.print.rows([rows], view);
    }
  }
  if (failed) throw combinedError(job, outcomes);
}

/** Changes the state of one or several. Asks on a terminal if there are several. */
export async function changeState(
  context: Context,
  invocation: Invocation,
  presenter: Presenter,
  action: BulkAction<Row>,
): Promise<void> {
  const { resource } = presenter;
  const ids = [...new Set(invocation.args)];
  const job = { context, invocation, resource, action, ids, ...(await connect(context, resource)) };
  const view = await detailView(presenter, context.print.needsFields);
  context.print.checkKnown(view);
  if (job.ids.length > 1 && context.interactive) await confirmAll(job);
  const outcomes = await sendAll(job, (id, row) => ({ id, label: labelOf(resource, row), data: row }));
  await printOutcomes(job, outcomes, view);
}

/** Deletes one or several. Always asks. */
export async function destroy(
  context: Context,
  invocation: Invocation,
  { resource }: Presenter,
  action: BulkAction<unknown>,
): Promise<void> {
  const ids = [...new Set(invocation.args)];
  const job = { context, invocation, resource, action, ids, ...(await connect(context, resource)) };
  context.print.checkKnown(goneView);
  await confirmAll(job);
  const result = past(action.verb);
  const outcomes = await sendAll(job, (id) => ({
    id,
    label: `${resource.noun} ${sanitizeLine(id)}`,
    data: { id, ok: true, result },
  }));
  await printOutcomes(job, outcomes, goneView);
}
