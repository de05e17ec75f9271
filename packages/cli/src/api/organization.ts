import { checkedBaseUrl, type Setting } from '../config/settings.js';
import type { Context, Organization } from '../context/context.js';
import { serviceFlags } from '../context/flags.js';
import { type FlagStyle, failure, type Hint, signIn, toType, usageError } from '../errors/cli-error.js';
import { nearest } from '../text/nearest.js';
import { type Row, sanitizeLine, textAt } from '../text/values.js';
import { listCommand } from './errors/subject.js';
import { withErrorContext } from './errors/with-context.js';
import { organizations } from './labels.js';

export const idOf = (row: Row): string => textAt(row, 'id');
export const nameOf = (row: Row): string => sanitizeLine(textAt(row, 'name'));

/** `name` is called when a message needs it; if it returns an empty name, the id is used. */
const organizationWith = (id: string, name: () => Promise<string>): Organization => ({
  id,
  name: async () => (await name()) || `organization ${id}`,
  label: async () => ((await name()) ? `${await name()} (organization ${id})` : `organization ${id}`),
});

const known = (row: Row): Organization => organizationWith(idOf(row), async () => nameOf(row));

export function organizationById(context: Context, id: string): Organization {
  let name: Promise<string> | undefined;
  const fetchName = async (): Promise<string> => {
    const client = await context.client();
    return nameOf(await client.organizations.get(id, { signal: context.signal }));
  };
  return organizationWith(id, () => {
    // Messages are still correct without the name.
    name ??= fetchName().catch(() => '');
    return name;
  });
}

/** The rows with this id, else with this name, else with this name in other letters. */
export function rowsNamed<Item extends Row>(
  rows: readonly Item[],
  word: string,
  namesOf: (row: Item) => readonly string[],
) {
  const name = sanitizeLine(word).trim();
  const tests: readonly ((row: Item) => boolean)[] = [
    (row) => idOf(row) === word,
    (row) => namesOf(row).includes(name),
    (row) => namesOf(row).some((each) => each.toLowerCase() === name.toLowerCase()),
  ];
  return tests.map((test) => rows.filter(test)).find(({ length }) => length > 0) ?? [];
}

const LISTED = 10;

const listed = (rows: readonly Row[]): string[] =>
  rows.slice(0, LISTED).map((row) => `${idOf(row).padEnd(6)} ${nameOf(row)}`);

/** Where the rest of a long list is. */
const restOf = (context: Context, rows: readonly Row[]): Hint[] =>
  rows.length > LISTED ? [toType(`${listCommand(context, organizations)} --all`, `${rows.length - LISTED} more`)] : [];

/** All organizations that the token has access to. */
export async function allOrganizations(context: Context): Promise<readonly Row[]> {
  const client = await context.client();
  return withErrorContext(context, { action: 'list', resource: organizations }, () =>
    client.organizations.list({ signal: context.signal }).all(),
  );
}

/** A profile is for one service, so it cannot hold an organization of another one. @throws {CliError} */
export function checkProfileService({ settings }: Context): void {
  const { baseUrl } = settings;
  const name = settings.profileName.value;
  const { base_url: own } = settings.config.profiles[name] ?? {};
  if (baseUrl === undefined || own === undefined) return;
  const stored = checkedBaseUrl(own, `profile "${name}"`);
  if (stored === baseUrl.value) return;
  throw usageError(
    `Profile "${name}" is for ${stored}, not for ${baseUrl.value} (from ${baseUrl.origin}).`,
    signIn(`mkt login --base-url ${baseUrl.value} --profile another`, 'To sign in there'),
    'Or set MKT_ORG',
  );
}

/** The organization with this id or name; several of one name are a usage error. `origin` is where the word comes from. */
export const findOrganization = async (context: Context, wanted: string, origin?: string): Promise<Row> =>
  findIn(await allOrganizations(context), context, wanted, origin);

const matching = (rows: readonly Row[], wanted: string) => rowsNamed(rows, wanted, (row) => [nameOf(row)]);

/** The organizations that the command line names with `--all-orgs` or with commas; undefined if it names one. */
export async function severalOrganizations(context: Context): Promise<readonly Organization[] | undefined> {
  if (!context.mayNameSeveral) return undefined;
  if (context.options['all-orgs'] === true) {
    if (context.options.org !== undefined) throw usageError('--all-orgs and --org cannot be used together.');
    return (await allOrganizations(context)).map(known);
  }
  const { value = '', origin } = context.settings.organization ?? {};
  const rows = await allOrganizations(context);
  if (matching(rows, value).length > 0) return undefined;
  const found = new Map<string, Row>();
  let parts = value.split(',');
  while (parts.length > 0) {
    const wordTo = (end: number): string => parts.slice(0, end).join(',').trim();
    // A name may have commas itself: the longest one counts.
    const length = parts.findLastIndex((_, index) => matching(rows, wordTo(index + 1)).length > 0) + 1 || 1;
    const word = wordTo(length);
    if (word !== '') {
      const row = findIn(rows, context, word, origin);
      found.set(idOf(row), row);
    }
    parts = parts.slice(length);
  }
  return [...found.values()].map(known);
}

function findIn(rows: readonly Row[], context: Context, wanted: string, origin?: string): Row {
  const from = (flag: FlagStyle) => {
    if (origin === undefined) return '';
    return ` (${origin === '--org' ? flag('org') : origin})`;
  };
  const found = matching(rows, wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1) {
    throw usageError(
      (flag) => `${found.length} organizations are named "${wanted}"${from(flag)}. Use an id instead.`,
      ...listed(found),
      ...restOf(context, found),
    );
  }
  const names = rows.map(nameOf);
  const part = sanitizeLine(wanted).trim().toLowerCase();
  const containing = names.filter((each) => each.toLowerCase().includes(part));
  const suggestion = containing.length === 1 ? containing[0] : nearest(wanted, names);
  const question = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  throw failure(
    'not_found',
    (flag) =>
      `Organization "${sanitizeLine(wanted)}"${from(flag)} was not found, or this token has no access to it.${question}`,
    toType(listCommand(context, organizations)),
  );
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

/** The organization that a value names; `origin` is where the value comes from, for messages. */
export async function organizationFor(context: Context, { value, origin }: Setting): Promise<Organization> {
  // Digits are an id and cost no request; everything else may be an opaque id or a name.
  if (/^\d+$/.test(value)) return organizationById(context, value);
  return known(await findOrganization(context, value, origin));
}

export async function resolveOrganization(context: Context): Promise<Organization> {
  if ((await severalOrganizations(context)) !== undefined)
    throw usageError('This command works in one organization, not in several.');
  const setting = context.settings.organization;
  if (setting !== undefined) return organizationFor(context, setting);
  const rows = await allOrganizations(context);
  const [only] = rows;
  if (only === undefined) {
    throw usageError(
      'You are not a member of any organization yet.',
      toType(`mkt organizations create --name NAME${serviceFlags(context)}`),
    );
  }
  const row = rows.length === 1 ? only : await pickOrganization(context, rows, 'Which organization?');
  if (row === undefined) {
    throw usageError(
      (flag) => `${flag('org')} is required: you are a member of ${rows.length} organizations.`,
      ...listed(rows).map(
        (line): Hint =>
          (flag) =>
            `${flag('org')} ${line}`,
      ),
      ...restOf(context, rows),
      toType(`mkt organizations use ID${serviceFlags(context)}`, 'To set a default'),
    );
  }
  return known(row);
}
