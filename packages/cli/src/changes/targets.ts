import { explain, past } from '../api/errors/explain.js';
import { idInUrl, isProfileUrl } from '../api/url-ids.js';
import { isUrl } from '../config/settings.js';
import type { Invocation } from '../context/command.js';
import type { Context } from '../context/context.js';
import { CliError, exitCodes, interrupted, usageError } from '../errors/cli-error.js';
import { readStdin } from '../fields/read-input.js';
import { type Connection, connect, find, isNumber, pick } from '../lists/connection.js';
import { filterFrom, recordedFilters } from '../lists/filters.js';
import type { Api, Listing } from '../lists/presenter.js';
import { readAll } from '../lists/read-pages.js';
import { cellText, idOf, isObject, parseJson, type Row, sanitizeLine, valueAt } from '../text/values.js';
import { inParallel } from './outcomes.js';

/** An operation on one or several resources. */
export interface BulkAction {
  readonly name: string;
  /** Whether no other action takes it back, so that it always needs a confirmation. */
  readonly isFinal?: boolean;
  /** What follows from it, shown before the prompt. */
  readonly consequence?: (row: Row, api: Api) => string | Promise<string>;
  /** What the resource lacks for it to have an effect: `It has no budget.`; empty if it lacks nothing. */
  readonly gaps?: (row: Row, place: string, subject?: string) => string;
}

export type BulkInvocation = Invocation & { readonly flags: { readonly 'dry-run'?: boolean } };

export interface Job {
  readonly connection: Connection;
  readonly invocation: BulkInvocation;
  readonly action: BulkAction;
  /** Ids and names. */
  readonly words: readonly string[];
  /** The rows that filters chose, instead of words. */
  readonly chosen?: readonly Row[];
  /** Whether filters or stdin chose: mkt always asks, and prints a list. */
  readonly isBulk: boolean;
  /** Whether the user chose the resource in a picker. */
  readonly isPicked: boolean;
  readonly isDryRun: boolean;
}

const ONLY_IDS = "mkt ... list --jq '.[].id' | mkt ... -";

/** The ids of a line. The numbers in a table or in a name are not ids, even if campaigns have them. */
function idsOfLine(line: string): string[] {
  const words = line.split(/\s+/).filter((word) => word !== '');
  const numbers = words.filter(isNumber).length;
  if (/\S(?:\t| {2,})\S/.test(line) || (numbers > 0 && numbers < words.length))
    throw usageError('The piped text is a table or contains other words, not only ids.', ONLY_IDS);
  return words;
}

/** Ids separated by white space, or the output of a list as JSON or NDJSON. */
function idsIn(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return text.split('\n').flatMap(idsOfLine);
  const value = parseJson(text);
  const items: readonly unknown[] = Array.isArray(value) ? value : text.trim().split('\n').map(parseJson);
  return items.map((item) => {
    const id = cellText(isObject(item) ? valueAt(item, 'id') : item);
    if (id !== '') return id;
    throw usageError('The piped JSON is not a list of objects with ids.', ONLY_IDS);
  });
}

/** The rows that the filter flags choose, of those that pass the test; undefined without such flags. */
async function chosenRows(
  { connection, invocation, action }: Omit<Job, 'words' | 'isBulk' | 'isPicked'>,
  test: (row: Row) => boolean,
): Promise<readonly Row[] | undefined> {
  const { context, shown } = connection;
  const { resource } = shown;
  const list = connection.operation('list');
  const selection = filterFrom(
    invocation.command.flags ?? [],
    invocation.flags,
    () => new Date(context.journal.now()),
    shown.resource,
  );
  const isRecorded = recordedFilters(invocation).length > 0;
  if (selection === undefined && !isRecorded) return undefined;
  if (invocation.args.length > 0) throw usageError('Ids and filters cannot be used together.');
  const rows = await connection.explained('list', undefined, async () => {
    // Without such a filter, the history is not needed.
    const recorded = isRecorded
      ? await (await import('../lists/recorded.js')).readRecorded(connection, invocation, list(), selection?.test)
      : { list: list(), test: selection?.test };
    return readAll(context, resource.plural, recorded.list, recorded.test);
  });
  selection?.checkUnknown();
  if (rows.length === 0) {
    const { values = '', drafts = '' } = selection?.unmet() ?? {};
    await context.noteAbout(({ organizations, isSeveral }) =>
      isSeveral
        ? `No ${resource.plural} of ${organizations} match.${drafts}`
        : `No ${resource.plural} match.${values}${drafts}`,
    );
  }
  const chosen = rows.filter(test);
  const others = rows.length - chosen.length;
  if (others > 0)
    context.note(
      `Skipping ${others} of ${rows.length} ${resource.plural} that match, which cannot be ${past(action.name)} now.`,
    );
  return chosen;
}

/** `test` limits what filters choose, or the user if the command line names no resource. */
export async function jobFor(
  context: Context,
  invocation: BulkInvocation,
  listing: Listing,
  action: BulkAction,
  test: (row: Row) => boolean = () => true,
): Promise<Job> {
  const { args, flags } = invocation;
  const connection = await connect(context, listing);
  const job = { connection, invocation, action, isDryRun: flags['dry-run'] === true };
  const chosen = await chosenRows(job, test);
  if (chosen !== undefined) return { ...job, words: [], chosen, isBulk: true, isPicked: false };
  if (args.length === 0)
    return { ...job, words: [idOf(await pick(context, listing, invocation, test))], isBulk: false, isPicked: true };
  const isBulk = args.includes('-');
  const piped = isBulk ? idsIn(await readStdin(context.io, '-')) : [];
  if (isBulk && piped.length === 0) context.note('The piped text contains no ids.');
  const ids = piped.map((word) => {
    if (!isUrl(word) || isProfileUrl(context.settings, word, listing.resource.command)) return word;
    const { organization, id } = idInUrl(context.settings, word, listing.resource.command);
    if (organization === (connection.organization?.id ?? '')) return id;
    throw usageError(`${sanitizeLine(word)} is a URL of another organization.`, `To choose it: --org ${organization}`);
  });
  const words = new Set(args.flatMap((word) => (word === '-' ? ids : [word])));
  return { ...job, words: [...words], isBulk, isPicked: false };
}

/** A resource that the command line names, as it was before the operation if that was read. */
export type Target =
  | { readonly id: string; readonly row?: Row; readonly error?: undefined }
  | { readonly id: string; readonly row?: undefined; readonly error: CliError };

export const explained = async (job: Job, action: string, id: string, error: unknown): Promise<CliError> => {
  const { context, organization, shown } = job.connection;
  const message = await explain(error, { action, resource: shown.resource, id, organization }, context);
  if (message instanceof CliError) return message;
  throw message;
};

/** The resources that the command line names by id or by name. */
export async function targetsOf(job: Job, read: boolean): Promise<Target[]> {
  const { connection, words, chosen } = job;
  const { context, shown } = connection;
  if (chosen !== undefined) return chosen.map((row) => ({ id: idOf(row), row }));
  return inParallel(context, `Reading ${shown.resource.plural}`, words, async (id): Promise<Target> => {
    if (!read && isNumber(id)) return { id };
    if (context.io.interrupted.aborted) throw interrupted('Interrupted; nothing was changed.');
    try {
      const row = await find(connection, id);
      return { id: isNumber(id) ? id : idOf(row), row };
    } catch (error) {
      if (context.io.interrupted.aborted) throw interrupted('Interrupted; nothing was changed.');
      const explanation = await explained(job, 'show', id, error);
      // Nothing was changed yet.
      if (explanation.exitCode === exitCodes.rateLimited) throw explanation;
      return { id, error: explanation };
    }
  });
}
