import pMap from 'p-map';
import { explain } from '../api/errors/explain.js';
import type { Subject } from '../api/errors/subject.js';
import { countOf, organizations as organizationsResource } from '../api/labels.js';
import { severalOrganizations } from '../api/organization.js';
import type { Context, Note, Organization } from '../context/context.js';
import { placeFlags } from '../context/flags.js';
import { CliError, exitCodes, firstHints, usageError } from '../errors/cli-error.js';
import { Printer } from '../output/printer.js';
import { namesOf, type View } from '../output/view.js';
import { groupBy, idValue, type Row, sanitizeLine } from '../text/values.js';
import { padTo, widthOf } from '../text/width.js';
import { filterFrom } from './filters.js';
import { comparedFields, firstRows, type ListInvocation, list } from './list.js';
import { type Listing, listView, withColumns } from './presenter.js';

const concurrency = 4;
const NAMED = 3;

class Collector extends Printer {
  readonly found: Row[] = [];
  readonly texts: string[] = [];
  view: View | undefined;

  constructor({ stdout, print }: Context, { format } = print.options) {
    super(stdout, { ...print.options, format });
  }

  override async rows(pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>, view: View): Promise<void> {
    this.view = view;
    for await (const page of pages) this.found.push(...page);
  }

  override async write(text: string): Promise<void> {
    this.texts.push(text);
  }
}

export const withOrganization = (view: View): View => ({
  ...view,
  columns: [{ field: 'organization.name', header: 'ORGANIZATION', priority: 0 }, ...view.columns],
  fields: async () => ['organization.id', 'organization.name', ...(await namesOf(view.fields))],
});

/** What was read of one organization, or why it could not be. */
export interface Part<Value> {
  readonly organization: Organization;
  /** As rows show it. */
  readonly named: { readonly id: string | number; readonly name: string };
  readonly value?: Value;
  readonly error?: CliError;
}

/** Reads several organizations at the same time. If one fails, the others are read. @throws the first error if all fail */
export async function readOrganizations<Value>(
  context: Context,
  organizations: readonly Organization[],
  subject: Subject,
  read: (organization: Organization) => Promise<Value>,
): Promise<readonly Part<Value>[]> {
  const readOne = async (organization: Organization): Promise<Part<Value>> => {
    const named = { id: idValue(organization.id), name: await organization.name() };
    try {
      return { organization, named, value: await read(organization) };
    } catch (failed) {
      const error = await explain(failed, { ...subject, organization }, context);
      // A command line that is wrong is wrong for all of them.
      if (context.signal.aborted || !(error instanceof CliError) || error.exitCode === exitCodes.usage) throw error;
      return { organization, named, error };
    }
  };
  const parts = await context.withProgress(`Reading ${countOf(organizationsResource, organizations.length)}`, () =>
    pMap(organizations, readOne, { concurrency }),
  );
  const errors = parts.flatMap(({ error }) => error ?? []);
  if (errors[0] !== undefined && errors.length === parts.length) throw errors[0];
  return parts;
}

/** @throws an error that names the organizations that could not be read */
export async function checkParts(parts: readonly Part<unknown>[], done: string): Promise<void> {
  const failed = parts.flatMap(({ organization, error }) => (error === undefined ? [] : [{ organization, error }]));
  if (failed.length === 0) return;
  const labels = await Promise.all(failed.map(({ organization }) => organization.label()));
  throw new CliError({
    code: 'partly_done',
    exitCode: exitCodes.partial,
    message: `${done} ${parts.length - failed.length} of ${parts.length} organizations.`,
    hints: firstHints(failed.map(({ error }) => error.details)),
    lines: failed.map(({ error }, index) => `${labels[index]}: ${error.message}`),
    results: failed.map(({ organization, error }) => ({
      organization: idValue(organization.id),
      ok: false,
      error: error.message,
    })),
  });
}

/** Prints notes of commands in several organizations; those that differ only in what they name and count become one. */
function printNotes(context: Context, parts: readonly Part<{ readonly notes: readonly Note[] }>[]): void {
  const place = placeFlags(context);
  const notes = parts.flatMap(({ value }) => value?.notes ?? []);
  const groups = groupBy(notes, ({ isWarning, text, counts }) => {
    const about = { organizations: '', isSeveral: true, counts: counts.map(() => 0), place };
    return `${isWarning} ${text(about)}`;
  });
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const names = group.map(({ organization }) => organization);
    const organizations =
      names.length > NAMED
        ? `${names.length} organizations`
        : [names.slice(0, -1).join(', ') || [], names.at(-1)].flat().join(' and ');
    const counts = first.counts.map((_, index) => group.reduce((all, note) => all + (note.counts[index] ?? 0), 0));
    // The rows are above, not below it.
    const text = first.text({ organizations, isSeveral: true, counts, place }).replace(/:$/, '.');
    if (first.isWarning) context.warn(text);
    else context.note(text);
  }
}

/** One list of the rows of several organizations. */
export async function listSeveral(context: Context, invocation: ListInvocation, listing: Listing): Promise<void> {
  const organizations = await severalOrganizations(context);
  if (organizations === undefined) return list(context, invocation, listing);
  const { resource } = listing;
  const { command, flags: given } = invocation;
  const { page, web, out: file, sort, limit, ...filters } = given;
  const { 'group-by': groupBy } = filters;
  const groups = groupBy === undefined ? undefined : await import('./groups.js');
  const listed = groups && groupBy ? groups.groupedListing(listing, groupBy) : listing;
  const single = page !== undefined ? '--page' : web === true ? '--web' : undefined;
  if (single !== undefined) throw usageError(`${single} works in one organization, not in several.`);
  if (limit !== undefined && filters.all === true) throw usageError('--limit and --all cannot be used together.');
  // Sorted together.
  const flags = { ...filters, ...(limit === undefined || sort !== undefined ? { all: true } : { limit }) };
  // One for all, because a value is unknown only if no organization has it.
  const selection = filterFrom(command.flags ?? [], given, () => new Date(context.journal.now()), resource);
  const read = async (organization: Organization) => {
    const collected = new Collector(context, { ...context.print.options, format: 'json' });
    const notes: Note[] = [];
    const within = context.within(organization, collected, notes);
    await list(within, { ...invocation, flags }, listing, selection && { ...selection, hasUnknown: false });
    return { rows: collected.found, notes };
  };
  const out = file === '-' ? undefined : file;
  const target = { out, example: `${resource.command}.csv` };
  const countText = (count: number) => (groupBy === undefined ? countOf(resource, count) : `${count} groups`);
  const { parts, printed } = await context.printTo(
    target,
    () => context.print,
    async (print) => {
      const parts = await readOrganizations(context, organizations, { action: 'list', resource }, read);
      selection?.checkUnknown();
      const all = parts.flatMap(({ value, named }) =>
        (value?.rows ?? []).map((row) => ({ organization: named, ...row })),
      );
      const { rows, grouped } = firstRows(all, sort, limit, listed);
      const compared = comparedFields(command.flags ?? [], given);
      await print.rows([rows], withOrganization(withColumns(listView(listed), compared)));
      const count = parts.filter(({ error }) => error === undefined).length;
      // Without an order, no more than the limit were read.
      const isFirst = sort === undefined && rows.length === limit;
      const isCut = isFirst || rows.length < all.length;
      const found = isFirst ? rows.length : all.length;
      const { values = '', drafts = '' } = (found === 0 && selection?.unmet()) || {};
      const text = [
        `${isFirst ? 'The first ' : isCut ? `${rows.length} of ` : ''}${countText(found)} of ${countOf(organizationsResource, count)}.`,
        grouped,
        isCut ? ' To see all: leave out --limit.' : '',
        groups && groupBy ? ` ${groups.groupsText(groupBy)}` : '',
        values,
        drafts,
      ].join('');
      if (print.isHumanReadable || out !== undefined || isCut || groups || drafts !== '') context.note(text);
      return { parts, printed: rows.length };
    },
  );
  if (out !== undefined) context.note(`Wrote ${countText(printed)} to ${out}.`);
  printNotes(context, parts);
  await checkParts(parts, `Listed the ${resource.plural} of`);
}

export interface EachOptions {
  /** What the command has done, for an error: `Read the changes of`. */
  readonly done: string;
  /** Whether its text is lines, which begin with the name of the organization. */
  readonly isLines?: boolean;
  readonly print?: Printer;
}

/**
 * Runs a command that works in one organization in each of those that the command line names. Rows become one table, and
 * text follows text.
 */
export async function inEachOrganization(
  context: Context,
  { done, isLines = false, print = context.print }: EachOptions,
  run: (context: Context) => Promise<void>,
): Promise<void> {
  const organizations = await severalOrganizations(context);
  if (organizations === undefined) return run(context);
  /** An alert is not a failure. */
  let alert: CliError | undefined;
  const parts = await readOrganizations(context, organizations, { action: 'read' }, async (organization) => {
    const collected = new Collector(context);
    const notes: Note[] = [];
    try {
      await run(context.within(organization, collected, notes));
    } catch (error) {
      if (!(error instanceof CliError) || error.details.code !== 'alert') throw error;
      alert = error;
    }
    return { collected, notes };
  });
  const view = parts.map(({ value }) => value?.collected.view).find((each) => each !== undefined);
  const rows = parts.flatMap(({ value, named }) =>
    (value?.collected.found ?? []).map((row) => ({ organization: named, ...row })),
  );
  if (view !== undefined) await print.rows([rows], withOrganization(view));
  const width = Math.max(...parts.map(({ named }) => widthOf(sanitizeLine(named.name))));
  const texts = parts.flatMap(({ value, named }) => {
    const text = value?.collected.texts.join('') ?? '';
    return isLines ? text.replaceAll(/^(?=.)/gm, `${padTo(sanitizeLine(named.name), width)}  `) : text || [];
  });
  if (texts.length > 0) await print.write(texts.join(isLines ? '' : '\n'));
  printNotes(context, parts);
  await checkParts(parts, done);
  if (alert !== undefined) throw alert;
}
