import { fieldsOfKind, organizationFields, resources, type Transition } from '@mkt/sdk/contract';
import type { Context, Reader, Store, TableName, Writer } from '@mkt/server';
import { capitalized, definedFields, type Id, idFrom, type Row, transitionError } from '@mkt/server/extend';
import * as z from 'zod/mini';
import { ControlError, checked, onlyFields } from './errors.js';
import { text } from './matching.js';

/** An id as clients have it: a number or a string. */
export type GivenId = number | string;
export const givenId = z.union([z.number(), z.string()], 'must be an id');
const count = z.int('must be a whole number, 0 or more').check(z.minimum(0, 'must be a whole number, 0 or more'));
const added = z.optional(count);
const metric = z.optional(z.nullable(count));
/** With the API's limit of text length, and storable everywhere. */
const filled = text.check(
  z.refine(
    (value) => organizationFields.shape.name.safeParse(value).success,
    'must not be blank, exceed 255 characters, or contain NUL or an unpaired surrogate',
  ),
);
const flag = z.boolean('must be true or false');
const decimal = 'must be a decimal in a string, such as "4.82"';
const review = z.enum(['published', 'draft'], 'must be published or draft');

const each = <Name extends string, Schema>(names: readonly Name[], schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Readonly<Record<Name, Schema>>;
const { campaigns, collabs, socialAccounts } = resources;

const campaignResults = onlyFields(each(fieldsOfKind(campaigns.fields, 'counter'), added));
/** Results of a campaign. Each number is added to the current one. `used_amount` reduces `unused_amount`. */
export type CampaignResults = Readonly<z.infer<typeof campaignResults>>;

const collabResults = onlyFields({
  ...each(fieldsOfKind(collabs.fields, 'counter'), added),
  /** A collab with approved submissions cannot be deleted. */
  approved_submissions_count: added,
});
/** Results of a collab. Each number is added to the current one. */
export type CollabResults = Readonly<z.infer<typeof collabResults>>;

const accountSnapshot = onlyFields({
  /** @default 'verified' */
  status: z.optional(z.enum(socialAccounts.states.names, 'must be pending, verified or failed')),
  ...each(fieldsOfKind(socialAccounts.fields, 'number'), metric),
  /** A decimal in a string, such as `4.82`. */
  engagement_rate: z.optional(z.nullable(z.string(decimal).check(z.regex(/^\d+(\.\d+)?$/, decimal)))),
});
/** Data of an account on its platform. Omitted fields do not change. */
export type AccountSnapshot = Readonly<z.infer<typeof accountSnapshot>>;

const newMember = z.strictObject(
  {
    user: z.optional(text),
    name: z.optional(filled),
    email: z.optional(filled.check(z.regex(/^\S+@\S+$/, 'must be an e-mail address'))),
    /** @default 'member' */
    role: z.optional(z.enum(['member', 'admin'], 'must be member or admin')),
  },
  'accepts only role, and user (existing) or name and email (new)',
);
/** A new member: `user` (id or e-mail address) for an existing user, `name` and `email` for a new one. */
export type NewMember = Readonly<z.infer<typeof newMember>>;

const newToken = onlyFields({
  /** Id or e-mail address. */
  user: text,
  permission: z.enum(['read', 'write'], 'must be read or write'),
  description: z.optional(filled),
});
export type NewToken = Readonly<z.infer<typeof newToken>>;

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

/** Simulates what the marketplace and its creators do, for which the API has no endpoints. */
export interface Acts {
  /** Adds to `total_budget_amount` and `unused_amount`. */
  fundCampaign(campaign: GivenId, amount: number): Promise<void>;
  /** Ends an active or paused campaign. */
  finishCampaign(campaign: GivenId): Promise<void>;
  /** Adds views, submissions and spending. Spending reduces `unused_amount`. */
  addCampaignResults(campaign: GivenId, results: CampaignResults): Promise<void>;
  /** Publishes a submitted collab, or returns it to draft. */
  reviewCollab(collab: GivenId, outcome: 'published' | 'draft'): Promise<void>;
  /** Adds submissions, approvals and completions. */
  addCollabResults(collab: GivenId, results: CollabResults): Promise<void>;
  /** Updates an account: its status (`verified` by default) and its metrics. */
  syncSocialAccount(account: GivenId, snapshot?: AccountSnapshot): Promise<void>;
  /** Adds a member to an organization. Returns the ids of the membership and of the user. */
  addMember(organization: GivenId, member: NewMember): Promise<{ readonly id: string; readonly user: string }>;
  /** Starts or ends an organization's subscription, which forbids its deletion. */
  setSubscription(organization: GivenId, active: boolean): Promise<void>;
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

type ActServices = Omit<ControlServices, 'sha256'>;

export const createActs = (services: ActServices): Acts => ({
  ...campaignActs(services),
  ...collabActs(services),
  ...organizationActs(services),
  async syncSocialAccount(account, snapshot = {}) {
    const { store, now } = services;
    const key = checkedId(store, 'account', account);
    const { status = 'verified', ...metrics } = checked('snapshot', accountSnapshot, snapshot);
    await store.transact(async (writer) => {
      await existing(writer, 'social_accounts', 'Social account', key);
      const synced = status === 'pending' ? {} : { last_synced_at: now() };
      await writer.update('social_accounts', key, { ...definedFields(metrics), ...synced, status, updated_at: now() });
    });
  },
});

/** @throws {ControlError} for what cannot be an id of this store */
function checkedId(store: Store, what: string, value: GivenId): GivenId {
  const id = idFrom(String(checked(what, givenId, value)), store);
  if (!id) throw new ControlError(`${what} must be an id.`);
  return id;
}

/** Changes a row. It is read after its organization was locked, so that it cannot change before the write. */
async function updateRow<T extends 'campaigns' | 'collabs'>(
  { store, now }: ActServices,
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

const campaignActs = (services: ActServices): Pick<Acts, 'fundCampaign' | 'finishCampaign' | 'addCampaignResults'> => ({
  async fundCampaign(campaign, amount) {
    const more = checked('amount', count, amount);
    await updateRow(services, 'campaigns', campaign, (row, name) =>
      sums(name, row, { total_budget_amount: more, unused_amount: more }),
    );
  },

  finishCampaign: (campaign) =>
    updateRow(services, 'campaigns', campaign, ({ status }, name) => {
      const { finish } = campaigns.states.marketplace;
      checkTransition(name, status, finish);
      return { status: finish.to, paused_at: null };
    }),

  async addCampaignResults(campaign, results) {
    const more = checked('results', campaignResults, results);
    await updateRow(services, 'campaigns', campaign, (row, name) => {
      const { used_amount = 0 } = more;
      if (used_amount > row.unused_amount)
        throw new ControlError(`${name} has only ${row.unused_amount} left. Fund it first.`);
      return { ...sums(name, row, more), unused_amount: row.unused_amount - used_amount };
    });
  },
});

const collabActs = (services: ActServices): Pick<Acts, 'reviewCollab' | 'addCollabResults'> => ({
  async reviewCollab(collab, outcome) {
    const state = checked('outcome', review, outcome);
    await updateRow(services, 'collabs', collab, (row, name) => {
      const { approve, reject } = collabs.states.marketplace;
      checkTransition(name, row.state, state === approve.to ? approve : reject);
      return { state, published_at: state === 'published' ? services.now() : null };
    });
  },

  async addCollabResults(collab, results) {
    const more = checked('results', collabResults, results);
    await updateRow(services, 'collabs', collab, (row, name) => sums(name, row, more));
  },
});

const organizationActs = ({ store, now, random }: ActServices): Pick<Acts, 'addMember' | 'setSubscription'> => ({
  async addMember(organization, member) {
    const key = checkedId(store, 'organization', organization);
    const { user, name, email, role = 'member' } = checked('member', newMember, member);
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

  async setSubscription(organization, active) {
    const key = checkedId(store, 'organization', organization);
    const has_active_subscription = checked('active', flag, active);
    await store.transact(async (writer) => {
      await existing(writer, 'organizations', 'Organization', key);
      await writer.update('organizations', key, { has_active_subscription });
    });
  },
});

async function newUser(
  writer: Writer,
  random: (bytes: number) => string,
  name?: string,
  email?: string,
): Promise<Row<'users'>> {
  if (name === undefined || email === undefined)
    throw new ControlError('A new user needs name and email. For an existing user, set user.');
  if (await writer.find('users', 'byEmail', [email]))
    throw new ControlError(`The user ${email} already exists. Set user instead.`);
  return writer.insert('users', { id: textId('usr', name, random), name, email });
}

/** For tests that need another user's permissions: the API creates tokens only for callers that have one. */
export async function createToken(
  given: NewToken,
  { store, now, random, sha256 }: ControlServices,
): Promise<CreatedToken> {
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
