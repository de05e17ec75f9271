import { TransitionError } from '@mkt/sdk';
import type { Endpoint } from '@mkt/sdk/contract';
import { hasKind } from '@mkt/sdk/contract/resources';
import { capital, mayHaveArrived, past } from '../api/errors/explain.js';
import { countOf } from '../api/labels.js';
import type { Context } from '../context/context.js';
import { placeFlags } from '../context/flags.js';
import { CliError, exitCodes, failure, interrupted } from '../errors/cli-error.js';
import { remember } from '../lists/completion-cache.js';
import { labelOf } from '../lists/connection.js';
import { changedView, detailView, goneView, type Listing, shownFields } from '../lists/presenter.js';
import type { View } from '../output/view.js';
import { cellText, idValue, type Row, sanitizeLine, textAt, valueAt } from '../text/values.js';
import { confirm } from './confirm.js';
import { combinedError, type Done, inParallel, type Outcome } from './outcomes.js';
import { undeletable } from './service-rules.js';
import {
  type BulkAction,
  type BulkInvocation,
  explained,
  type Job,
  jobFor,
  type Target,
  targetsOf,
} from './targets.js';

/** In the receipt: `Published`, or `Would publish`. */
const doneText = ({ action, isDryRun }: Job): string =>
  isDryRun ? `Would ${action.name}` : capital(past(action.name));

const PLAN_LINES = 200;

/** Lists the resources by name, then asks for confirmation. */
async function confirmAll(job: Job, targets: readonly Target[], mayChange: (row: Row) => boolean): Promise<void> {
  const { connection, action } = job;
  const { context, api } = connection;
  const { resource } = connection.shown;
  const { singular, plural, states } = resource;
  // A target that was not read may be possible.
  const count = targets.filter(({ row, error }) => error === undefined && (row === undefined || mayChange(row))).length;
  // Without any to change, the errors follow.
  if (context.options.yes || job.isDryRun || count === 0) return;
  if (context.interactive || context.print.isHumanReadable) {
    const actionName = capital(action.name);
    const place = placeFlags(context);
    const where = await connection.where();
    const several = targets.length > 1;
    if (several) context.note(`${actionName} ${targets.length} ${plural}${where}:`);
    for (const { id, row, error } of targets.slice(0, PLAN_LINES)) {
      const label = row ? labelOf(resource, row) : `${singular} ${sanitizeLine(id)}`;
      const state = row && states ? sanitizeLine(textAt(row, states.field)).replaceAll('_', ' ') : '';
      const skipped = row && !mayChange(row) ? [`cannot be ${past(action.name)}`] : [];
      const remark = error?.exitCode === exitCodes.notFound ? 'not found' : [state || [], ...skipped].flat().join(', ');
      const follows =
        row && skipped.length === 0 ? [await action.consequence?.(row, api), action.gaps?.(row, place)] : [];
      const sentences = follows.filter(Boolean).join(' ');
      if (several) {
        context.note(`  ${label}${remark === '' ? '' : ` (${remark})`}`);
        if (sentences !== '') context.note(`    ${sentences}`);
      } else {
        const problem = remark === '' || remark === state ? '' : ` (${remark})`;
        const does = `${actionName}${action.name.endsWith('sh') ? 'es' : 's'}`;
        context.note(`${does} ${label}${problem}${where}. ${sentences}`.trimEnd());
      }
    }
    const more = targets.length - PLAN_LINES;
    if (more > 0) context.note(`  ... and ${more} more. To see all: ${context.commandWith({ 'dry-run': true })}`);
  }
  const [only] = targets;
  const named = only?.row === undefined ? `this ${singular}` : labelOf(resource, only.row);
  const several = count < targets.length ? `${count} of these ${targets.length}` : `these ${count}`;
  const what = targets.length === 1 ? named : `${several} ${plural}`;
  await confirm(context, `Really ${action.name} ${what}`);
}

function noteGaps({ action, connection: { context, shown } }: Job, row: Row): void {
  const gaps = action.gaps?.(row, placeFlags(context), capital(labelOf(shown.resource, row))) ?? '';
  if (gaps !== '') context.note(gaps);
}

/** Receipts on stderr, data on stdout, and one error if any failed. */
async function printOutcomes(job: Job, outcomes: readonly Outcome[], view: View): Promise<void> {
  const { connection } = job;
  const { context } = connection;
  const { print } = context;
  const [only] = outcomes;
  if (outcomes.length === 1 && only?.error !== undefined) throw only.error;
  const where = await connection.where();
  const succeeded = outcomes.flatMap((outcome) => (outcome.error === undefined ? [outcome] : []));
  const done = succeeded.map(({ data }) => data);
  const failed = done.length < outcomes.length;
  const changed = succeeded.filter(({ isUnchanged }) => isUnchanged !== true);
  // The table has a row for each, so that receipts would show it a second time.
  const isSummed = view.columns.length > 0 && (job.isDryRun || (changed.length > 1 && print.isHumanReadable));
  // For programs that read JSON, stderr must be only the error with its results.
  const hasNotes = !failed || (print.options.format !== 'json' && print.options.format !== 'ndjson');
  if (hasNotes) {
    for (const outcome of outcomes) {
      if (outcome.error !== undefined) {
        if (print.isHumanReadable) context.warn(outcome.error.message);
      } else if (!isSummed || outcome.isUnchanged) context.note(`${outcome.receipt}${where}`);
    }
    if (isSummed && changed.length > 0)
      await connection.noteAbout(
        (all, place) =>
          `${doneText(job)} ${countOf(connection.shown.resource, all)}${place}${print.isHumanReadable ? ':' : '.'}`,
        changed.length,
      );
  }
  if (print.isHumanReadable) {
    const rows = isSummed ? changed.map(({ data }) => data) : done;
    if (view.columns.length > 0 && rows.length > 0) await print.rows([rows], view);
  } else if (outcomes.length === 1 && done[0] !== undefined && !job.isBulk) await print.row(done[0], view);
  else if (done.length > 0 || !failed) {
    const rows = outcomes.map((outcome) =>
      outcome.error === undefined
        ? outcome.data
        : { id: idValue(outcome.id), ok: false, error: outcome.error.message, code: outcome.error.details.code },
    );
    await print.rows([rows], view);
  }
  // Otherwise the prompt has named what is missing.
  if (hasNotes && (job.isDryRun || context.options.yes)) for (const { data } of changed) noteGaps(job, data);
  if (failed) throw combinedError(outcomes, doneText(job), connection.shown.resource.plural);
}

/** The outcomes that a change of state and a deletion differ in. */
interface Steps<Result> {
  readonly view: View;
  readonly send: (id: string) => PromiseLike<Result>;
  /** The outcome of a target that needs no request. */
  readonly unsent: (target: Target, row: Row) => Promise<Outcome | undefined>;
  readonly sent: (target: Target, result: Result) => Outcome;
  /** What completion offers from then on: what exists, and for actions what is in the right state. */
  readonly changed: (done: readonly Done[]) => { readonly rows?: readonly Row[]; readonly gone?: readonly string[] };
}

/** Sends a request for each resource that was found. If one fails, the others continue. */
async function sendAll<Result>(job: Job, targets: readonly Target[], steps: Steps<Result>): Promise<void> {
  const { connection, action } = job;
  const { context } = connection;
  /** What stops all that were not sent yet: a service that asks to wait for too long. */
  let stopped: CliError | undefined;
  const outcomes = await inParallel(
    context,
    `${capital(action.name)} ${connection.shown.resource.plural}`,
    targets,
    async (target): Promise<Outcome> => {
      const { id, row, error } = target;
      if (error !== undefined) return { id, error };
      const finished = row && (await steps.unsent(target, row));
      if (finished !== undefined) return finished;
      const { resource } = connection.shown;
      const label = row ? labelOf(resource, { ...row, id }) : `${resource.singular} ${sanitizeLine(id)}`;
      const notStarted = (): CliError => {
        const details = stopped?.details ?? { code: 'interrupted' as const };
        return new CliError({ ...details, message: `Not started: ${label}.` });
      };
      if (context.io.interrupted.aborted || stopped !== undefined) return { id, error: notStarted() };
      try {
        return steps.sent(target, await steps.send(id));
      } catch (error) {
        if (context.signal.aborted)
          return {
            id,
            error: mayHaveArrived(error)
              ? interrupted(`Interrupted: ${label} may have been ${past(action.name)}.`)
              : notStarted(),
          };
        const explanation = await explained(job, action.name, id, error);
        if (explanation.exitCode !== exitCodes.rateLimited) return { id, error: explanation };
        stopped ??= explanation;
        return { id, error: targets.length === 1 ? explanation : notStarted() };
      }
    },
  );
  const { rows = [], gone = [] } = steps.changed(outcomes.filter((outcome) => outcome.error === undefined));
  remember(connection, rows, { gone });
  await printOutcomes(job, outcomes, steps.view);
}

/** A row with what changes in it: in a table `active -> paused`, and for programs in `changes`. */
function planned({ connection: { context, shown } }: Job, row: Row, fields: Row): Row {
  const changed = shownFields(fields);
  const changes = Object.entries(changed).map(
    ([field, to]) => [field, { from: valueAt(row, field) ?? null, to }] as const,
  );
  if (!context.print.isText) return { ...row, ...changed, changes: Object.fromEntries(changes) };
  const text = (value: unknown): string => sanitizeLine(cellText(value)) || 'none';
  const cells = changes.map(([field, { from, to }]) => [
    field,
    hasKind(shown.resource.fields, field, 'richText') || text(from) === text(to) ? to : `${text(from)} -> ${text(to)}`,
  ]);
  return { ...row, ...Object.fromEntries(cells) };
}

/** Changes the state of one or several. Asks on a terminal if there are several or if it cannot be undone. */
export async function changeState(
  context: Context,
  invocation: BulkInvocation,
  listing: Listing,
  action: BulkAction,
): Promise<void> {
  const { resource } = listing;
  // Lists load this file too, but not the contract.
  const { contract } = await import('@mkt/sdk/contract');
  const endpoints: Readonly<Record<string, Endpoint>> = contract[resource.name];
  const { states } = resource;
  const { operation, transition } = endpoints[action.name] ?? {};
  if (states === undefined || operation === undefined || !transition)
    throw new Error(`The contract has no change of state ${resource.name}.${action.name}.`);
  const { from, to } = transition;
  const stateOf = (row: Row): string => textAt(row, states.field);
  // The service rejects the action in any other state that the contract knows.
  const mayChange = (row: Row): boolean =>
    from.some((state) => state === stateOf(row)) || !states.names.includes(stateOf(row));
  const job = await jobFor(context, invocation, listing, action, mayChange);
  const view = detailView(listing);
  await context.print.checkKnown(view);
  const targets = await targetsOf(job, true);
  const asks = job.isBulk || job.isPicked || action.isFinal === true || (context.interactive && targets.length > 1);
  if (asks) await confirmAll(job, targets, mayChange);
  const send = job.connection.operation('actions')[action.name];
  if (send === undefined) throw new Error(`There is no operation ${resource.name}.${action.name}.`);
  await sendAll(job, targets, {
    view,
    send,
    unsent: async ({ id }, row) => {
      const label = labelOf(resource, row);
      const state = stateOf(row);
      if (state === to)
        return { id, receipt: `${capital(label)} is already ${to.replaceAll('_', ' ')}`, data: row, isUnchanged: true };
      if (!job.isDryRun) return undefined;
      if (mayChange(row))
        return { id, receipt: `${doneText(job)} ${label}`, data: planned(job, row, { [states.field]: to }) };
      return { id, error: await explained(job, action.name, id, new TransitionError(operation, state, to)) };
    },
    sent: ({ id }, row) => ({ id, receipt: `${doneText(job)} ${labelOf(resource, row)}`, data: row }),
    changed: (done) => ({ rows: job.isDryRun ? [] : done.map(({ data }) => data) }),
  });
}

/** Changes the same fields of one or several. Asks on a terminal if there are several. */
export async function changeFields(
  context: Context,
  invocation: BulkInvocation,
  listing: Listing,
  fields: Row,
  action: BulkAction,
): Promise<void> {
  const { resource } = listing;
  const job = await jobFor(context, invocation, listing, action);
  const view = detailView(listing);
  await context.print.checkKnown(view);
  const targets = await targetsOf(job, true);
  if (job.isBulk || (context.interactive && targets.length > 1)) await confirmAll(job, targets, () => true);
  const stored: Row[] = [];
  const sent = sendAll(job, targets, {
    view: changedView(view, Object.keys(fields), { ...targets.find(({ row }) => row !== undefined)?.row, ...fields }),
    send: (id) => job.connection.operation('update')(id, { ...fields }),
    unsent: async ({ id }, row) =>
      job.isDryRun
        ? { id, receipt: `${doneText(job)} ${labelOf(resource, row)}`, data: planned(job, row, fields) }
        : undefined,
    sent: ({ id }, row) => {
      stored.push(row);
      return { id, receipt: `${doneText(job)} ${labelOf(resource, row)}`, data: row };
    },
    changed: (done) => ({ rows: job.isDryRun ? [] : done.map(({ data }) => data) }),
  });
  try {
    await sent;
  } finally {
    for (const row of stored) await job.connection.warnLeftOut(fields, row);
  }
}

/** Deletes one or several. Always asks. */
export async function destroy(
  context: Context,
  invocation: BulkInvocation,
  listing: Listing,
  action: BulkAction,
): Promise<void> {
  const { resource } = listing;
  const mayDelete = (row: Row): boolean => undeletable(resource, row) === undefined;
  const job = await jobFor(context, invocation, listing, action, mayDelete);
  const { print, options, interactive } = context;
  await print.checkKnown(goneView);
  // Without a terminal and --yes, nothing is read.
  const { isBulk, isDryRun } = job;
  if (!interactive && !isBulk && !isDryRun) await confirm(context, '');
  // The prompt shows names, and JSON has the id as the service sent it.
  const targets = await targetsOf(job, !options.yes || isDryRun || !print.isHumanReadable);
  await confirmAll(job, targets, mayDelete);
  const result = past(action.name);
  await sendAll(job, targets, {
    view: goneView,
    send: job.connection.operation('delete'),
    unsent: async ({ id }, row) => {
      const reason = undeletable(resource, row);
      if (reason !== undefined) {
        const label = capital(labelOf(resource, row));
        const code = resource.deletable?.never === undefined ? 'rejected' : 'forbidden';
        return { id, error: failure(code, `${label} cannot be ${result}: ${reason}.`) };
      }
      if (!isDryRun) return undefined;
      const data = { id: valueAt(row, 'id'), ok: true, result: 'planned' };
      return { id, receipt: `${doneText(job)} ${labelOf(resource, row)}`, data };
    },
    sent: ({ id, row }) => ({
      id,
      receipt: `${doneText(job)} ${resource.singular} ${sanitizeLine(id)}`,
      data: { id: row === undefined ? idValue(id) : valueAt(row, 'id'), ok: true, result },
    }),
    changed: (done) => ({ gone: isDryRun ? [] : done.map(({ id }) => id) }),
  });
}
