import * as accessTokens from '../rules/access-tokens.js';
import * as addresses from '../rules/address.js';
import { definedFields } from '../rules/changes.js';
import { fieldLabel } from '../rules/errors.js';
import * as socialAccounts from '../rules/social-accounts.js';
import { memoryStore } from '../store/memory.js';
import { randomId } from '../store/opaque-id.js';
import type { Dump, Store } from '../store/store.js';
import type { IdFormat } from '../store/tables.js';
import { readOrganization } from './file/organizations.js';
import { entriesOf, isMapping, itemsOf, noExtras, type SeedOptions, SeedReader, type Users } from './file/reader.js';
import * as schema from './file/schema.js';
import { type Path, SeedError, SeedSource } from './file/source.js';
import { type OpaqueIds, withOpaqueIds } from './opaque.js';

export { exportSeed } from './file/export.js';
export { SeedError } from './file/source.js';

export interface ParsedSeed {
  readonly dump: Dump;
  /** The secrets of tokens that work, by `<handle>_<permission>`; the name of a second one ends in `_2`. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * Reads a seed file, YAML or JSON, or its content as an object. Users and organizations have handles; ids and everything else that is left out follow
 * the API's defaults:
 *
 *     users:
 *       ada:
 *         tokens: [{secret: mkt_for_my_tests}]
 *     organizations:
 *       acme:
 *         name: Acme Cosmetics
 *         members: {ada: owner}
 *         campaigns:
 *           - {name: Summer, status: active, total_budget_amount: 5000}
 *
 * The API's own rules write its content into a new store, so it cannot contain what the API would reject. Import this
 * module lazily: nothing else needs its YAML library.
 * @throws {SeedError} with all problems and their lines
 */
export async function parseSeed(seed: string | object, options: SeedOptions): Promise<ParsedSeed> {
  const source =
    typeof seed === 'string'
      ? new SeedSource(seed, seed.startsWith(twinStart))
      : new SeedSource(JSON.stringify(seed), true);
  const store = memoryStore();
  const { tokens, nextIds, opaqueIds } = await store.transact((writer) =>
    readFile(new SeedReader(source, writer, options)),
  );
  const { tables, serials } = await store.dump();
  const dump = { tables, serials: { ...serials, ...nextIds } };
  const idOf: OpaqueIds = (table, number) => opaqueIds.get(`${table} ${number}`) ?? randomId();
  return { dump: options.ids === 'opaque' ? withOpaqueIds(dump, idOf) : dump, tokens };
}

/** The rows of a seed after `change`, which gets a store with them. */
export async function changeSeed(seed: Dump, ids: IdFormat, change: (store: Store) => Promise<void>): Promise<Dump> {
  const store = memoryStore(ids, seed);
  await change(store);
  return store.dump();
}

/** The version of twins that this program writes and reads. */
const twinVersion = 1;

/** The start of the file that `mkt twin pull` writes. */
const twinStart = '{\n  "twin": {';

/** Reports a twin of another version first: its other problems would follow from that. @throws {SeedError} */
function checkTwin(reader: SeedReader, value: unknown): void {
  const version = isMapping(value) ? value.version : undefined;
  if (Number.isInteger(version) && Number(version) > twinVersion) {
    const message = `This twin was made by a newer version of mkt. It has version ${version}, and this mkt reads ${twinVersion}. Update mkt.`;
    throw new SeedError([reader.source.problem(['twin', 'version'], message)]);
  }
  if (value !== undefined && value !== null) reader.object(schema.twin, ['twin'], value);
}

async function readFile(reader: SeedReader) {
  const { value } = reader.source;
  if (!isMapping(value)) {
    reader.report([], 'A seed starts with "users:" and the users under it.');
    throw new SeedError(reader.problems);
  }
  checkTwin(reader, value.twin);
  const file = reader.object(schema.file, [], value);
  const userValues = entriesOf(value, 'users').map(([, user]) => user);
  const organizationValues = entriesOf(value, 'organizations').map(([, organization]) => organization);
  const members = organizationValues.flatMap((value) => entriesOf(value, 'members')).map(([, member]) => member);
  const addresses = userValues.map((user) => (isMapping(user) ? user.address : undefined));
  const under = (parents: readonly unknown[], name: string) => parents.flatMap((parent) => itemsOf(parent, name));
  reader.numberRows('access_tokens', under(userValues, 'tokens'));
  reader.numberRows('social_accounts', under(userValues, 'social_accounts'));
  reader.numberRows('addresses', addresses);
  reader.numberRows('organizations', organizationValues);
  reader.numberRows('memberships', members);
  reader.numberRows('campaigns', under(organizationValues, 'campaigns'));
  reader.numberRows('collabs', under(organizationValues, 'collabs'));

  const users = await readUsers(reader, value);
  for (const [handle, organization] of entriesOf(value, 'organizations'))
    await readOrganization(reader, handle, organization, users);
  const nextIds = readNextIds(reader, file?.next_ids);
  if (reader.problems.length > 0) throw new SeedError(reader.problems);
  return { tokens: users.tokens, nextIds, opaqueIds: reader.opaqueIds };
}

/** The ids of the next rows: larger than those of deleted rows, which are not used again. */
function readNextIds(reader: SeedReader, value: unknown): Dump['serials'] {
  if (value === undefined || value === null) return {};
  const nextIds = definedFields(reader.object(schema.nextIds, ['next_ids'], value) ?? {});
  for (const [table, next] of Object.entries(nextIds)) {
    const largest = reader.largestNumber(table as keyof typeof nextIds);
    if (next > largest) continue;
    reader.report(['next_ids', table], `${fieldLabel(table)} go up to ${largest}: this must be more.`);
  }
  return nextIds;
}

interface User {
  readonly handle: string;
  readonly path: Path;
  /** Null for a user with problems: what belongs to it is checked, but not stored. */
  readonly id: string | null;
}

async function readUsers(reader: SeedReader, file: unknown): Promise<Users> {
  const users = entriesOf(file, 'users');
  const ids = new Map<string, string>();
  const tokens: Record<string, string> = {};
  for (const [handle, value] of users) {
    const path = ['users', handle];
    reader.checkHandle(handle, path);
    const user = { handle, path, id: await readUser(reader, handle, path, value) };
    if (user.id !== null) ids.set(handle, user.id);
    for (const [index, token] of itemsOf(value, 'tokens').entries())
      await readToken(reader, user, [...path, 'tokens', index], token, tokens);
    for (const [index, account] of itemsOf(value, 'social_accounts').entries())
      await readSocialAccount(reader, user, [...path, 'social_accounts', index], account);
    const address = isMapping(value) ? (value.address ?? null) : null;
    if (address !== null) await readAddress(reader, user, [...path, 'address'], address);
  }
  return { handles: users.map(([handle]) => handle), ids, tokens };
}

async function readUser(reader: SeedReader, handle: string, path: Path, value: unknown): Promise<string | null> {
  // A handle without a value is a user with all defaults.
  const user = reader.object(schema.user, path, value ?? {});
  if (!user) return null;
  const name = user.name ?? handle.charAt(0).toUpperCase() + handle.slice(1);
  const { id = `usr_${handle}`, email = `${handle}@example.com` } = user;
  const isNew = reader.isUnique('user id', id, user.id === undefined ? path : [...path, 'id']);
  const emailPath = user.email === undefined ? path : [...path, 'email'];
  if (!reader.isUnique('e-mail address', email, emailPath) || !isNew) return null;
  await reader.store.insert('users', { id, name, email });
  return id;
}

async function readToken(reader: SeedReader, user: User, path: Path, value: unknown, tokens: Users['tokens']) {
  const given = reader.object(schema.token, path, value);
  if (!given || user.id === null) return;
  const { secret, permission = 'write', revoked_at = null, created_at = reader.nextTimestamp() } = given;
  const id = reader.rowNumber('access_tokens', given, path);
  if (secret !== undefined && !reader.isUnique('secret', secret, [...path, 'secret'])) return;
  const digest = secret === undefined ? {} : { digest: reader.options.sha256(secret) };
  const context = reader.context(user.id, created_at, { access_tokens: { id, revoked_at, ...digest } });
  const fields = { permission, description: given.description ?? `Token ${id}` };
  const { token } = await accessTokens.create(context, { fields, ...noExtras });
  if (revoked_at !== null) return;
  const name = `${user.handle}_${permission}`;
  let freeName = name;
  for (let count = 2; Object.hasOwn(tokens, freeName); count += 1) freeName = `${name}_${count}`;
  tokens[freeName] = secret ?? token;
}

async function readSocialAccount(reader: SeedReader, user: User, path: Path, value: unknown): Promise<void> {
  const given = reader.object(schema.socialAccount, path, value);
  if (!given || user.id === null) return;
  const { id: _id, position: _position, ...account } = given;
  const id = reader.rowNumber('social_accounts', given, path);
  const now = account.created_at ?? reader.nextTimestamp();
  const context = reader.context(user.id, now, { social_accounts: { ...definedFields(account), id } });
  await reader.apply(path, () => socialAccounts.create(context, { fields: account, ...noExtras }));
}

async function readAddress(reader: SeedReader, user: User, path: Path, value: unknown): Promise<void> {
  const address = reader.object(schema.address, path, value);
  if (!address || user.id === null) return;
  const { id: _id, position: _position, created_at, updated_at, ...fields } = address;
  const id = reader.rowNumber('addresses', address, path);
  const now = created_at ?? reader.nextTimestamp();
  const context = reader.context(user.id, now, { addresses: { ...definedFields({ updated_at }), id } });
  await reader.apply(path, () => addresses.update(context, { fields, ...noExtras }));
}
