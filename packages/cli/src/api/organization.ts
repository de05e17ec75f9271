import type { Setting } from '../config/settings.js';
import type { Context, Organization } from '../context/context.js';
import { CliError, usageError } from '../errors/cli-error.js';
import { exitCodes } from '../errors/exit-codes.js';
import { cellText, type Row, valueAt } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';

export const idOf = (row: Row): string => cellText(valueAt(row, 'id'));
const nameOf = (row: Row): string => sanitizeLine(cellText(valueAt(row, 'name')));

function known(id: string, name: string): Organization {
  return { id, name: async () => name, label: async () => `${name} (organization ${id})` };
}

/** One whose name is asked for when a sentence needs it. */
function byId(context: Context, id: string): Organization {
  let name: Promise<string | undefined> | undefined;
  const fetchName = (): Promise<string | undefined> => {
    name ??= context
      .client()
      .then((client) => client.organizations.get(id, { signal: context.io.interrupted }))
      // A receipt or an error message is still true without the name.
      .then(
        (row) => nameOf(row) || undefined,
        () => undefined,
      );
    return name;
  };
  return {
    id,
    name: async () => (await fetchName()) ?? `organization ${id}`,
    label: async () => {
      const found = await fetchName();
      return found === undefined ? `organization ${id}` : `${found} (organization ${id})`;
    },
  };
}

const listed = (rows: readonly Row[]): string[] => rows.map((row) => `${idOf(row).padEnd(6)} ${nameOf(row)}`);

/** All organizations that the token sees. */
export async function allOrganizations(context: Context): Promise<readonly Row[]> {
  const client = await context.client();
  return client.organizations.list({ signal: context.io.interrupted }).all();
}

/** The organization with this exact name or id; several of one name are a usage error. */
export async function findOrganization(context: Context, wanted: string, origin: string): Promise<Row> {
  const rows = await allOrganizations(context);
  const byIdentifier = rows.filter((row) => idOf(row) === wanted);
  const found = byIdentifier.length > 0 ? byIdentifier : rows.filter((row) => nameOf(row) === wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1) {
    throw usageError(
      `${found.length} organizations are called "${wanted}" (${origin}): name one by its id.`,
      ...listed(found),
    );
  }
  throw new CliError({
    code: 'not_found',
    exitCode: exitCodes.notFound,
    message: `Organization "${sanitizeLine(wanted)}" (${origin}) was not found, or this token does not see it.`,
    hints: ['mkt organizations list'],
  });
}

export async function pickOrganization(
  context: Context,
  rows: readonly Row[],
  question: string,
): Promise<Row | undefined> {
  const prompter = await context.prompter();
  if (prompter === undefined) return undefined;
  const choices = rows.map((row) => ({ value: idOf(row), label: nameOf(row), hint: `id ${idOf(row)}` }));
  const picked = await prompter.select(question, choices);
  return rows.find((row) => idOf(row) === picked);
}

/** The organization that a value names; `origin` says in words where the value stands. */
export async function organizationFor(context: Context, { value, origin }: Setting): Promise<Organization> {
  // Digits are an id and cost no request; everything else may be an opaque id (D47) or a name.
  if (/^\d+$/.test(value)) return byId(context, value);
  const row = await findOrganization(context, value, origin);
  return known(idOf(row), nameOf(row));
}

export async function resolveOrganization(context: Context): Promise<Organization> {
  const setting = context.settings.organization;
  if (setting !== undefined) return organizationFor(context, setting);
  const rows = await allOrganizations(context);
  const [only] = rows;
  if (only === undefined) {
    throw usageError('You belong to no organization yet.', 'mkt organizations create --name NAME');
  }
  const row = rows.length === 1 ? only : await pickOrganization(context, rows, 'Which organization?');
  if (row === undefined) {
    throw usageError(
      `--org is missing: you belong to ${rows.length} organizations.`,
      ...listed(rows).map((line) => `--org ${line}`),
      'To choose one for good: mkt organizations use ID',
    );
  }
  return known(idOf(row), nameOf(row));
}
