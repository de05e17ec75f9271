import pMap from 'p-map';
import { explain } from '../api/errors/explain.js';
import { countOf } from '../api/labels.js';
import { severalOrganizations } from '../api/organization.js';
import type { Context, Organization } from '../context/context.js';
import { CliError, exitCodes, firstHints, usageError } from '../errors/cli-error.js';
import { Printer } from '../output/printer.js';
import { namesOf, type View } from '../output/view.js';
import { idValue, type Row } from '../text/row.js';
import { comparedFields, firstRows, type ListInvocation, list } from './list.js';
import { type Listing, listView, withColumns } from './presenter.js';

/** Organizations that are read at the same time. */
const concurrency = 4;

/** Collects the rows of one organization instead of printing them. */
class RowCollector extends Printer {
  readonly found: Row[] = [];

  override async rows(pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>): Promise<void> {
    for await (const page of pages) this.found.push(...page);
  }
}

const withOrganization = (view: View): View => ({
  ...view,
  columns: [{ field: 'organization.name', header: 'ORGANIZATION', priority: 0 }, ...view.columns],
  fields: async () => ['organization', ...(await namesOf(view.fields))],
});

interface Read {
  readonly organization: Organization;
  readonly rows: readonly Row[];
  readonly error?: CliError;
}

/** One list of the rows of several organizations. If one cannot be read, the others are shown. */
export async function listSeveral(context: Context, invocation: ListInvocation, listing: Listing): Promise<void> {
  const organizations = await severalOrganizations(context);
  if (organizations === undefined) return list(context, invocation, listing);
  const { resource } = listing;
  const { page, web, out: file, sort, limit, ...filters } = invocation.flags;
  const single = page !== undefined ? '--page' : web === true ? '--web' : undefined;
  if (single !== undefined) throw usageError(`${single} works in one organization, not in several.`);
  if (limit !== undefined && filters.all === true) throw usageError('--limit and --all cannot be used together.');
  // Sorted together.
  const flags = { ...filters, ...(limit === undefined || sort !== undefined ? { all: true } : { limit }) };
  const { stdout } = context;
  const read = async (organization: Organization): Promise<Read> => {
    const collector = new RowCollector(stdout, context.print.options);
    try {
      await list(context.within(organization, collector), { ...invocation, flags }, listing);
      const named = { id: idValue(organization.id), name: await organization.name() };
      return { organization, rows: collector.found.map((row) => ({ organization: named, ...row })) };
    } catch (failed) {
      const error = await explain(failed, { action: 'list', resource, organization }, context);
      if (context.signal.aborted || !(error instanceof CliError)) throw error;
      return { organization, rows: [], error };
    }
  };
  const out = file === '-' ? undefined : file;
  const target = { out, example: `${resource.command}.csv` };
  const errors: { readonly organization: Organization; readonly error: CliError }[] = [];
  await context.printTo(
    target,
    () => context.print,
    async (print) => {
      const parts = await context.withProgress(`Reading ${organizations.length} organizations`, () =>
        pMap(organizations, read, { concurrency }),
      );
      for (const { organization, error } of parts) if (error !== undefined) errors.push({ organization, error });
      const [failure] = errors;
      if (failure !== undefined && errors.length === parts.length) throw failure.error;
      const all = parts.flatMap(({ rows }) => rows);
      const { rows, mixesCurrencies } =
        sort === undefined
          ? { rows: all.slice(0, limit), mixesCurrencies: false }
          : firstRows(all, sort, limit, listing);
      const compared = comparedFields(invocation.command.flags ?? [], invocation.flags);
      await print.rows([rows], withOrganization(withColumns(listView(listing), compared)));
      const most = limit === undefined ? '' : `, at most ${limit} rows of each`;
      const grouped = mixesCurrencies ? ` Amounts are sorted within each currency${most}.` : '';
      const count = parts.length - errors.length;
      // Without an order, no more than the limit were read.
      const first = sort === undefined && limit !== undefined && rows.length === limit ? 'The first ' : '';
      const readText = `${first}${countOf(resource, rows.length)} of ${count} ${count === 1 ? 'organization' : 'organizations'}.`;
      const more = first === '' ? '' : ' To see all: leave out --limit.';
      if (print.isHumanReadable || out !== undefined) context.note(`${readText}${grouped}${more}`);
    },
  );
  if (errors.length === 0) return;
  const labels = await Promise.all(errors.map(({ organization }) => organization.label()));
  throw new CliError({
    code: 'partly_done',
    exitCode: exitCodes.partial,
    message: `Listed the ${resource.plural} of ${organizations.length - errors.length} of ${organizations.length} organizations.`,
    hints: firstHints(errors.map(({ error }) => error.details)),
    lines: errors.map(({ error }, index) => `${labels[index]}: ${error.message}`),
    results: errors.map(({ organization, error }) => ({
      organization: idValue(organization.id),
      ok: false,
      error: error.message,
    })),
  });
}
