import { NotFoundError } from '@mkt/sdk';
import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { listCommand } from '../api/errors/subject.js';
import { withErrorContext } from '../api/errors/with-context.js';
import type { Resource } from '../api/labels.js';
import { type Operations, operationsOf } from '../api/operations.js';
import { rowsNamed } from '../api/organization.js';
import type { Invocation } from '../context/command.js';
import type { Context, Organization } from '../context/context.js';
import { failure, toType, usageError } from '../errors/cli-error.js';
import type { OpenReading } from '../history/journal.js';
import { nearest } from '../text/nearest.js';
import { idOf, type Row, sanitizeLine, textAt, valueAt } from '../text/values.js';
import { cutTo } from '../text/width.js';
import type { Api, Listing } from './presenter.js';
import { readAll } from './read-pages.js';

/** `campaign 12 "Summer UGC"`, as receipts and questions name a resource. */
export function labelOf(resource: Resource, row: Row): string {
  const title = sanitizeLine(textAt(row, resource.title));
  const name = title === '' ? '' : ` "${cutTo(title, 50)}"`;
  return `${resource.singular} ${idOf(row)}${name}`;
}

/** A resource of the service, in the organization that it belongs to, and how commands reach and name it. */
export class Connection {
  constructor(
    readonly context: Context,
    readonly shown: Listing,
    readonly api: Api,
    readonly organization: Organization | undefined,
  ) {}

  /** Runs a call, and explains its errors; `action` and `id` say what failed. */
  explained<Result>(action: string, id: string | undefined, work: () => PromiseLike<Result>): Promise<Result> {
    const { context, organization } = this;
    return withErrorContext(context, { action, resource: this.shown.resource, id, organization }, work);
  }

  get operations(): Operations {
    const { client, organization, options } = this.api;
    return operationsOf(this.shown.resource, client, organization, options);
  }

  /** One of the operations, for a command that the resource has only with it. */
  operation<Name extends keyof Operations>(name: Name): NonNullable<Operations[Name]> {
    const found = this.operations[name];
    if (found) return found;
    throw new Error(`There is no operation ${this.shown.resource.name}.${name}.`);
  }

  /** The list, for the history, if it is read to its end. */
  reading(): OpenReading | undefined {
    const { journal, settings } = this.context;
    if (this.shown.isBelow) return undefined;
    return journal.open(settings.requiredBaseUrl, this.api.organization, this.shown.resource.command);
  }

  /** ` in Acme Cosmetics`, or nothing for a resource of the user. */
  async place(): Promise<string> {
    return this.organization === undefined ? '' : ` in ${await this.organization.name()}`;
  }

  /** A note with a count and a place, which are those of all organizations that say the same. */
  async noteAbout(text: (count: number, where: string) => string, count: number): Promise<void> {
    const { context, organization } = this;
    if (organization === undefined) return context.note(text(count, context.onService));
    await context.noteAbout(
      ({ organizations, counts: [all = 0] }) => text(all, ` in ${organizations}${context.onService}`),
      [count],
    );
  }

  /** ` in Acme Cosmetics on api.example.com`, for questions and receipts of changes. */
  async where(): Promise<string> {
    return (await this.place()) + this.context.onService;
  }

  /** Reports what was done: `Created campaign 12 "Summer UGC" in Acme Cosmetics`, and what is not as it was sent. */
  async receipt(done: string, row: Row, sent: Row): Promise<void> {
    this.context.note(`${done} ${labelOf(this.shown.resource, row)}${await this.where()}`);
    await this.warnLeftOut(sent, row);
  }

  /** Says what the service left out of the briefs that were sent. */
  async warnLeftOut(sent: Row, row: Row): Promise<void> {
    const { resource } = this.shown;
    if (!fieldsOfKind(resource.fields, 'richText').some((field) => typeof valueAt(sent, field) === 'string')) return;
    const { leftOutOf } = await import('../fields/brief.js');
    for (const [field, parts] of leftOutOf(resource, sent, row))
      this.context.warn(`The service left out of the ${field} of ${labelOf(resource, row)}: ${parts}.`);
  }
}

/** The client, and the organization to work in if the resource belongs to one. */
export async function connect(context: Context, shown: Listing): Promise<Connection> {
  const client = await context.client();
  const organization = shown.resource.inOrganization ? await context.organization() : undefined;
  const options = { signal: context.signal };
  return new Connection(context, shown, { client, organization: organization?.id ?? '', options }, organization);
}

/** A whole number is always an id; other words may be opaque ids or names. */
export const isNumber = (word: string): boolean => /^\d+$/.test(word);
/** Ids are one segment of a path. */
const mayBeId = (word: string): boolean => !/[\s/?#@"]/.test(word);

/** What users may call a resource: its title, and the e-mail address of a member. */
const namesOf = ({ resource }: Listing, row: Row): string[] =>
  [resource.title, 'user.email'].map((path) => sanitizeLine(textAt(row, path))).filter((name) => name !== '');

/** The resource with this id, or else with this name. Exact names come before those that differ in case. */
async function findInList(connection: Connection, word: string): Promise<Row> {
  const { context, shown: listing, organization } = connection;
  const { resource } = listing;
  const rows = await readAll(context, resource.plural, connection.operation('list')());
  const name = sanitizeLine(word);
  const found = rowsNamed(rows, word, (row) => namesOf(listing, row));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1) {
    throw usageError(
      `${found.length} ${resource.plural} are named "${name}". Use an id instead.`,
      ...found.map((row) => [idOf(row), ...namesOf(listing, row)].join('  ')),
    );
  }
  // E-mail addresses of one company are all alike.
  const suggestion = name.includes('@')
    ? undefined
    : nearest(name, [...new Set(rows.flatMap((row) => namesOf(listing, row)))]);
  throw failure(
    'not_found',
    `No ${resource.singular}${await connection.place()} has the id or name "${name}".${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`,
    toType(listCommand(context, resource, organization)),
  );
}

/** The resource that a word names by its id or its unique name, with all its fields. */
export function find(connection: Connection, word: string): Promise<Row> {
  const { get } = connection.operations;
  return connection.explained('show', word, async () => {
    if (get === undefined) return findInList(connection, word);
    try {
      if (mayBeId(word)) return await get(word);
    } catch (error) {
      if (isNumber(word) || !(error instanceof NotFoundError)) throw error;
    }
    return get(idOf(await findInList(connection, word)));
  });
}

/** The id that a word is or that the resource with this name has. A whole number costs no request. */
export const findId = async (connection: Connection, word: string): Promise<string> =>
  isNumber(word) ? word : idOf(await find(connection, word));

/** The resource that the user chooses, of those that pass the test, if the command line names none. */
export async function pick(
  context: Context,
  listing: Listing,
  { command, path }: Invocation,
  test?: (row: Row) => boolean,
): Promise<Row> {
  const { resource } = listing;
  const prompter = await context.prompter();
  if (prompter === undefined) {
    const name = command.args?.[0]?.name ?? 'id';
    throw usageError(`Missing required argument "${name}".`, toType(`mkt ${path} --help`));
  }
  const connection = await connect(context, listing);
  const rows = await connection.explained('list', undefined, () =>
    readAll(context, resource.plural, connection.operation('list')(), test),
  );
  const [action] = path.split(' ').slice(-1);
  if (rows.length === 0) {
    throw usageError(`There are no ${resource.plural}${await connection.place()} to ${action}.`);
  }
  const picked = await prompter.select(
    `Which ${resource.singular}?`,
    rows.map((row) => ({
      value: idOf(row),
      label: namesOf(listing, row).join(', ') || idOf(row),
      hint: `id ${idOf(row)}`,
    })),
  );
  const row = rows.find((each) => idOf(each) === picked);
  if (row === undefined) throw new Error(`The prompt returned ${picked}, which it did not offer.`);
  return row;
}

/** The word that names a resource on the command line, or the id of the one that the user chooses. */
export const namedOrPicked = async (context: Context, listing: Listing, invocation: Invocation): Promise<string> =>
  invocation.args[0] ?? idOf(await pick(context, listing, invocation));
