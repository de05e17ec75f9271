import {
  accessTokenFields,
  codesOnly,
  organizationFields,
  problemOf,
  problemText,
  type Schema,
} from '@mkt/sdk/contract';
import { sha256 } from '../digest.js';
import { randomText } from '../random.js';
import { idFrom, membershipId } from '../rules/policy.js';
import { Conflict, type PersistentStore } from '../store/store.js';
import type { AnyRow, DataTableName, Row } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import { fileReason, ServeError } from './errors.js';

// What an operator does to users, tokens and members, on a store that may be in use.

/** Rejects text that a seed exported from this store could not contain. @throws {ServeError} */
function check(name: string, text: string, schema: Schema): void {
  const { error } = schema.safeParse(text, codesOnly);
  for (const issue of error?.issues ?? []) throw new ServeError(`The ${name} ${problemText(problemOf(issue))}.`);
}

/** No index has all rows of these tables, which are the first of a backup. */
async function allRows<T extends DataTableName>(store: PersistentStore, wanted: T): Promise<Row<T>[]> {
  const found: AnyRow[] = [];
  for await (const part of store.backup()) {
    if ('rows' in part && part.table === wanted) found.push(...part.rows);
    else if (found.length > 0) break;
  }
  return found as Row<T>[];
}

const sameEmail = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** @throws {ServeError} if there is no such user. The case of e-mail addresses does not matter. */
async function userWith(store: PersistentStore, email: string): Promise<Row<'users'>> {
  const user = (await allRows(store, 'users')).find((each) => sameEmail(each.email, email));
  if (!user) throw new ServeError(`There is no user with the e-mail address ${email}. "users list" shows all.`);
  return user;
}

export async function listUsers(store: PersistentStore): Promise<readonly (readonly string[])[]> {
  const tokens = new Map<string, number>();
  for (const { user_id } of await activeTokens(store)) tokens.set(user_id, (tokens.get(user_id) ?? 0) + 1);
  return (await allRows(store, 'users')).map(({ id, name, email }) => [email, name, `${tokens.get(id) ?? 0}`]);
}

/** @throws {ServeError} if the e-mail address is taken or a text is not valid */
export async function addUser(store: PersistentStore, email: string, name: string): Promise<void> {
  const { name: filledText } = organizationFields.shape;
  check('e-mail address', email, filledText);
  check('name', name, filledText);
  const taken = () => new ServeError(`There is already a user with the e-mail address ${email}.`);
  if ((await allRows(store, 'users')).some((each) => sameEmail(each.email, email))) throw taken();
  try {
    await store.transact((writer) => writer.insert('users', { id: `usr_${randomText(12)}`, name, email }));
  } catch (error) {
    throw error instanceof Conflict ? taken() : error;
  }
}

const activeTokens = async (store: PersistentStore): Promise<Row<'access_tokens'>[]> =>
  (await allRows(store, 'access_tokens')).filter(({ revoked_at }) => revoked_at === null);

/** The tokens that are not revoked, without their secrets. */
export async function listTokens(store: PersistentStore, email: string | undefined) {
  const only = email === undefined ? null : await userWith(store, email);
  const emails = new Map((await allRows(store, 'users')).map((user) => [user.id, user.email]));
  return (await activeTokens(store))
    .filter(({ user_id }) => only === null || user_id === only.id)
    .map(({ id, user_id, permission, created_at, description }) => [
      String(id),
      emails.get(user_id) ?? user_id,
      permission,
      created_at,
      description,
    ]);
}

/**
 * Passes the secret, which is not stored, to `show`. If that fails, the token is revoked.
 * @throws {ServeError} if there is no such user, a text is not valid, or the secret cannot be shown
 */
export async function addToken(
  store: PersistentStore,
  email: string,
  { permission, description }: { readonly permission: string; readonly description: string },
  show: (secret: string) => Promise<void>,
): Promise<void> {
  check('description', description, accessTokenFields.shape.description);
  const user = await userWith(store, email);
  const secret = `mkt_${randomText(32)}`;
  const { id } = await store.transact((writer) =>
    writer.insert('access_tokens', {
      user_id: user.id,
      digest: sha256(secret),
      description,
      permission,
      created_at: timestamp(Date.now()),
    }),
  );
  try {
    await show(secret);
  } catch (error) {
    await revokeToken(store, String(id));
    throw new ServeError(`The token cannot be printed, so it was revoked: ${fileReason(error)}.`);
  }
}

/** Ends the token and its sessions. @throws {ServeError} if there is no such token */
export async function revokeToken(store: PersistentStore, id: string): Promise<void> {
  await store.transact(async (writer) => {
    const token = await writer.get('access_tokens', idFrom(id, writer));
    if (token?.revoked_at !== null)
      throw new ServeError(`There is no token ${id}, or it was revoked. "tokens list" shows those that work.`);
    await writer.lock('users', token.user_id);
    await writer.update('access_tokens', token.id, { revoked_at: timestamp(Date.now()) });
  });
}

/** Ends all tokens and sessions of a user. @returns the number of tokens @throws {ServeError} if there is no such user */
export async function disableUser(store: PersistentStore, email: string): Promise<number> {
  const { id } = await userWith(store, email);
  return store.transact(async (writer) => {
    await writer.lock('users', id);
    // A user may have made very many tokens, which must all end now: not one after the other.
    for (let count = 0; ; ) {
      const tokens = await writer.page('access_tokens', 'byUser', [id], { offset: 0, limit: 10_000 });
      if (tokens.length === 0) return count;
      const ids = tokens.map((token) => token.id);
      await writer.updateMany('access_tokens', ids, { revoked_at: timestamp(Date.now()) });
      count += ids.length;
    }
  });
}

/**
 * Adds a user to an organization.
 * @returns its name @throws {ServeError} if there is no such user or organization, or the user is a member of it
 */
export async function addMember(
  store: PersistentStore,
  email: string,
  { organization, role }: { readonly organization: string; readonly role: string },
): Promise<string> {
  const user = await userWith(store, email);
  return store.transact(async (writer) => {
    const id = idFrom(organization, writer);
    await writer.lock('organizations', id);
    const row = await writer.get('organizations', id);
    if (!row || (await writer.get('deleted_organizations', row.id)))
      throw new ServeError(`There is no organization ${organization}.`);
    const now = timestamp(Date.now());
    const member = await writer.find('memberships', 'byOrganizationAndUser', [row.id, user.id]);
    if (member)
      throw new ServeError(
        `${user.email} is already in ${row.name}, as ${member.is_owner ? 'its owner' : member.role}.`,
      );
    await writer.insert('memberships', {
      id: membershipId(row.id, user.id),
      organization_id: row.id,
      user_id: user.id,
      role,
      is_owner: false,
      created_at: now,
      updated_at: now,
    });
    return row.name;
  });
}
