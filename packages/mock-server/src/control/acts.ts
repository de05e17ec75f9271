import { resources, type Transition } from '@mkt/sdk/contract';
import type { Context, Reader, Store, TableName, Writer } from '@mkt/server';
import { capitalized, definedFields, type Id, idFrom, type Row, transitionError } from '@mkt/server/extend';
import { type Acts, actInputs, type GivenId } from './act-inputs.js';
import { checkedArguments } from './arguments.js';
import { ControlError, checked } from './errors.js';
import { type NewToken, newToken } from './inputs.js';

export interface CreatedToken {
  readonly id: number | string;
  /** The secret, which is not shown again. */
  readonly token: string;
}

export interface ControlServices extends Pick<Context, 'random' | 'sha256'> {
  readonly store: Store;
  /** The current time in the API's format. */
  readonly now: () => string;
}

async function existing<T extends TableName>(store: Reader, table: T, what: string, key: Id<T>): Promise<Row<T>> {
  const row = await store.get(table, key);
  if (!row) throw new ControlError(`${what} ${String(key)} does not exist.`);
  return row;
}

/** The sums of numbers of a row and of what is added to them. @throws {ControlError} above the largest integer */
function sums<Name extends string>(
  what: string,
  row: Readonly<Record<NoInfer<Name>, number>>,
  more: Readonly<Partial<Record<Name, number | undefined>>>,
): Partial<Record<Name, number>> {
  const added: Partial<Record<Name, number>> = {};
  for (const name of Object.keys(more) as Name[]) {
    const sum = row[name] + (more[name] ?? 0);
    if (!Number.isSafeInteger(sum)) throw new ControlError(`${what} cannot store this amount. The maximum is 2^53-1.`);
    added[name] = sum;
  }
  return added;
}

function checkTransition(name: string, state: string, transition: Transition): void {
  const error = transitionError(name, state, transition);
  if (error) throw new ControlError(error.message);
}

const textId = (prefix: string, name: string, random: (bytes: number) => string): string =>
  `${prefix}_${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}_${random(6)}`;

const { campaigns, collabs } = resources;

/** Performs an act by its name. @throws {ControlError} for invalid arguments */
export function performAct(services: ControlServices, name: keyof Acts, values: readonly unknown[]): Promise<unknown> {
  const act: (...values: never[]) => Promise<unknown> = createActs(services)[name];
  return act(...(checkedArguments(actInputs[name], values) as never[]));
}

export function createActs(services: ControlServices): Acts {
  const { store, now, random, sha256 } = services;
  return {
    fundCampaign: (campaign, amount) =>
      updateRow(services, 'campaigns', campaign, (row, name) =>
        sums(name, row, { total_budget_amount: amount, unused_amount: amount }),
      ),
    finishCampaign: (campaign) =>
      updateRow(services, 'campaigns', campaign, ({ status }, name) => {
        const { finish } = campaigns.states.marketplace;
        checkTransition(name, status, finish);
        return { status: finish.to, paused_at: null };
      }),
    addCampaignResults: (campaign, results) =>
      updateRow(services, 'campaigns', campaign, (row, name) => {
        const { used_amount = 0 } = results;
        if (used_amount > row.unused_amount)
          throw new ControlError(`${name} has only ${row.unused_amount} left. Fund it first.`);
        return { ...sums(name, row, results), unused_amount: row.unused_amount - used_amount };
      }),
    reviewCollab: (collab, state) =>
      updateRow(services, 'collabs', collab, (row, name) => {
        const { approve, reject } = collabs.states.marketplace;
        checkTransition(name, row.state, state === approve.to ? approve : reject);
        return { state, published_at: state === 'published' ? now() : null };
      }),
    addCollabResults: (collab, results) =>
      updateRow(services, 'collabs', collab, (row, name) => sums(name, row, results)),
    async addMember(organization, { user, name, email, role = 'member' }) {
      const key = checkedId(store, 'organization', organization);
      return store.transact(async (writer) => {
        await writer.lock('organizations', key);
        await existing(writer, 'organizations', 'Organization', key);
        const joining = user === undefined ? await newUser(writer, random, name, email) : await findUser(writer, user);
        if (await writer.find('memberships', 'byOrganizationAndUser', [key, joining.id]))
          throw new ControlError(`${joining.email} is already a member of organization ${key}.`);
        const row = await writer.insert('memberships', {
          id: textId('mem', `${key}-${joining.name}`, random),
          organization_id: key,
          user_id: joining.id,
          role,
          is_owner: false,
          created_at: now(),
          updated_at: now(),
        });
        return { id: row.id, user: joining.id };
      });
    },
    async setSubscription(organization, has_active_subscription) {
      const key = checkedId(store, 'organization', organization);
      await store.transact(async (writer) => {
        await existing(writer, 'organizations', 'Organization', key);
        await writer.update('organizations', key, { has_active_subscription });
      });
    },
    async revokeToken(token) {
      await store.transact(async (writer) => {
        const row = await writer.find('access_tokens', 'byDigest', [sha256(token)]);
        if (!row) throw new ControlError('No token has this secret.');
        await writer.update('access_tokens', row.id, { revoked_at: now() });
      });
    },
    async syncSocialAccount(account, { status = 'verified', ...metrics } = {}) {
      const key = checkedId(store, 'account', account);
      await store.transact(async (writer) => {
        await existing(writer, 'social_accounts', 'Social account', key);
        const synced = status === 'pending' ? {} : { last_synced_at: now() };
        const changes = { ...definedFields(metrics), ...synced, status, updated_at: now() };
        await writer.update('social_accounts', key, changes);
      });
    },
  };
}

/** @throws {ControlError} for what cannot be an id of this store */
function checkedId(store: Store, what: string, value: GivenId): GivenId {
  const id = idFrom(String(value), store);
  if (!id) throw new ControlError(`${what} must be an id.`);
  return id;
}

/** Changes a row. It is read after its organization was locked, so that it cannot change before the write. */
async function updateRow<T extends 'campaigns' | 'collabs'>(
  { store, now }: ControlServices,
  table: T,
  value: GivenId,
  changes: (row: Row<T>, name: string) => Partial<Row<T>>,
): Promise<void> {
  const { singular } = resources[table];
  const key = checkedId(store, singular, value) as Id<T>;
  const name = `${capitalized(singular)} ${key}`;
  await store.transact(async (writer) => {
    const { organization_id } = await existing(writer, table, capitalized(singular), key);
    await writer.lock('organizations', organization_id);
    // The rows of a deleted organization may still exist for a moment.
    if (!(await writer.get('organizations', organization_id))) throw new ControlError(`${name} does not exist.`);
    const row = await existing(writer, table, capitalized(singular), key);
    await writer.update(table, key, { ...changes(row, name), updated_at: now() } as Partial<Row<T>>);
  });
}

async function newUser(writer: Writer, random: (bytes: number) => string, name?: string, email?: string) {
  if (name === undefined || email === undefined)
    throw new ControlError('A new user needs name and email. For an existing user, set user.');
  if (await writer.find('users', 'byEmail', [email]))
    throw new ControlError(`The user ${email} already exists. Set user instead.`);
  return writer.insert('users', { id: textId('usr', name, random), name, email });
}

/** For tests that need another user's permissions: the API creates tokens only for callers that have one. */
export async function createToken(given: NewToken, { store, now, random, sha256 }: ControlServices) {
  const { user, permission, description = 'Created by the control API' } = checked('token', newToken, given);
  const token = `mkt_${random(32)}`;
  return store.transact(async (writer) => {
    const owner = await findUser(writer, user);
    const { id } = await writer.insert('access_tokens', {
      user_id: owner.id,
      digest: sha256(token),
      description,
      permission,
      created_at: now(),
    });
    return { id, token };
  });
}

/** A user by id or e-mail address. @throws {ControlError} if there is no such user */
export async function findUser(store: Reader, user: string): Promise<Row<'users'>> {
  const row = (await store.get('users', user)) ?? (await store.find('users', 'byEmail', [user]));
  if (!row) throw new ControlError(`There is no user ${user}. Use an id, such as usr_ada, or an e-mail address.`);
  return row;
}
