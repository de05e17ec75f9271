import * as accessTokens from '../../rules/access-tokens.js';
import * as address from '../../rules/address.js';
import { sent } from '../../rules/changes.js';
import * as socialAccounts from '../../rules/social-accounts.js';
import { addressEntry, socialAccountEntry, tokenEntry, userEntry } from './entries.js';
import { isMapping, listUnder, type Reading } from './reading.js';
import type { Path } from './source.js';

/** What rules are given beside the fields: no flag, no file, no page of a product. */
export const plainInput = { purge: false, image: null, prefill: null };

interface User {
  /** Null when the user has faults: what is under it is checked, not made. */
  readonly id: string | null;
  readonly handle: string;
  readonly path: Path;
}

export interface Users {
  /** Everybody in the file. */
  readonly handles: readonly string[];
  /** Ids by handle. One that is missing here although the file has it has faults. */
  readonly ids: ReadonlyMap<string, string>;
  /** Secrets that work by `<handle>_<permission>`, as the demo's are named. */
  readonly tokens: Readonly<Record<string, string>>;
}

const capitalised = (handle: string): string => handle.charAt(0).toUpperCase() + handle.slice(1);

/** Users with what is their own: tokens, social accounts, an address. */
export async function readUsers(reading: Reading, users: Readonly<Record<string, unknown>>): Promise<Users> {
  const ids = new Map<string, string>();
  const tokens: Record<string, string> = {};
  for (const [handle, value] of Object.entries(users)) {
    const path = ['users', handle];
    reading.checkHandle(handle, path);
    const user = { id: await readUser(reading, handle, path, value), handle, path };
    if (user.id !== null) ids.set(handle, user.id);
    for (const [index, token] of listUnder(value, 'tokens').entries()) {
      await readToken(reading, user, index, token, tokens);
    }
    for (const [index, account] of listUnder(value, 'social_accounts').entries()) {
      await readSocialAccount(reading, user, index, account);
    }
    const address = isMapping(value) ? value.address : undefined;
    if (address !== null && address !== undefined) await readAddress(reading, user, address);
  }
  return { handles: Object.keys(users), ids, tokens };
}

async function readUser(reading: Reading, handle: string, path: Path, value: unknown): Promise<string | null> {
  // A handle with nothing after its colon is a user with all defaults.
  const { columns } = reading.entry(userEntry, path, value ?? {}) ?? {};
  if (!columns) return null;
  const { id = `usr_${handle}`, name = capitalised(handle), email = `${handle}@example.com` } = columns;
  const isNew = reading.isUnique('user id', id, columns.id === undefined ? path : [...path, 'id']);
  const isReachable = reading.isUnique(
    'e-mail address',
    email,
    columns.email === undefined ? path : [...path, 'email'],
  );
  if (!isNew || !isReachable) return null;
  await reading.store.insert('users', { id, name, email });
  return id;
}

async function readToken(
  reading: Reading,
  user: User,
  index: number,
  value: unknown,
  tokens: Record<string, string>,
): Promise<void> {
  const path = [...user.path, 'tokens', index];
  const { fields, columns } = reading.entry(tokenEntry, path, value) ?? {};
  if (!fields || !columns || user.id === null) return;
  const { secret, revoked_at = null, created_at = reading.nextMoment() } = columns;
  const id = reading.number('access_tokens', columns.id, path);
  if (secret !== undefined && !reading.isUnique('secret', secret, [...path, 'secret'])) return;
  const digest = secret === undefined ? {} : { digest: reading.options.sha256(secret) };
  const context = reading.context(user.id, created_at, { access_tokens: { id, revoked_at, ...digest } });
  const permission = fields.permission ?? 'write';
  const description = fields.description ?? `Token ${id}`;
  const { token } = await accessTokens.create(context, { fields: { description, permission }, ...plainInput });
  if (revoked_at === null) tokens[freeName(tokens, `${user.handle}_${permission}`)] = secret ?? token;
}

const freeName = (tokens: Readonly<Record<string, string>>, name: string): string => {
  let free = name;
  for (let count = 2; Object.hasOwn(tokens, free); count += 1) free = `${name}_${count}`;
  return free;
};

async function readSocialAccount(reading: Reading, user: User, index: number, value: unknown): Promise<void> {
  const path = [...user.path, 'social_accounts', index];
  const { fields, columns } = reading.entry(socialAccountEntry, path, value) ?? {};
  if (!fields || !columns || user.id === null) return;
  const { id: number, created_at = reading.nextMoment(), ...given } = columns;
  const id = reading.number('social_accounts', number, path);
  const context = reading.context(user.id, created_at, { social_accounts: { ...sent(given), id } });
  await reading.attempt(path, () => socialAccounts.create(context, { fields, ...plainInput }));
}

async function readAddress(reading: Reading, user: User, value: unknown): Promise<void> {
  const path = [...user.path, 'address'];
  const { fields, columns } = reading.entry(addressEntry, path, value) ?? {};
  if (!fields || !columns || user.id === null) return;
  const { id: number, created_at = reading.nextMoment(), ...given } = columns;
  const id = reading.number('addresses', number, path);
  const context = reading.context(user.id, created_at, { addresses: { ...sent(given), id } });
  await reading.attempt(path, () => address.update(context, { fields, ...plainInput }));
}
