import { NotFoundError } from '@mkt/sdk';
import { listCommand } from '../api/errors/subject.js';
import { rowsNamed } from '../api/organization.js';
import type { Invocation } from '../context/command.js';
import type { Context } from '../context/context.js';
import { failure, toType, usageError } from '../errors/cli-error.js';
import { nearest } from '../text/nearest.js';
import { idOf, type Row, sanitizeLine, textAt } from '../text/values.js';
import { type Connection, connect } from './connection.js';
import type { Listing } from './presenter.js';
import { readAll } from './read-pages.js';

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
