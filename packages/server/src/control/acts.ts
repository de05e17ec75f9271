import { resources, type Transition } from '@mkt/sdk/contract';
import { transitionError } from '../rules/changes.js';
import type { Store, Writer } from '../store/store.js';
import type { Id, Row, TableName } from '../store/tables.js';
import {
  type AccountSnapshot,
  accountSnapshot,
  type CampaignResults,
  type CollabResults,
  campaignResults,
  collabResults,
  count,
  flag,
  type GivenId,
  id,
  type NewMember,
  newMember,
  numbered,
  review,
} from './act-inputs.js';
import { ControlError, checked } from './errors.js';
import { findUser } from './tokens.js';

/** Simulates what the marketplace and its creators do, for which the API has no endpoints. */
export interface Acts {
  /** Adds to `total_budget_amount` and `unused_amount` (D35). */
  fundCampaign(campaign: GivenId, amount: number): Promise<void>;
  /** Ends an active or paused campaign (D37). */
  finishCampaign(campaign: GivenId): Promise<void>;
  /** Adds views, submissions and spending. Spending reduces `unused_amount`. */
  addCampaignResults(campaign: GivenId, results: CampaignResults): Promise<void>;
  /** Publishes a submitted collab, or returns it to draft (D38). */
  reviewCollab(collab: GivenId, outcome: 'published' | 'draft'): Promise<void>;
  /** Adds submissions, approvals and completions. */
  addCollabResults(collab: GivenId, results: CollabResults): Promise<void>;
  /** Updates an account: its status (`verified` by default) and its metrics (D45). */
  syncSocialAccount(account: GivenId, snapshot?: AccountSnapshot): Promise<void>;
  /** Adds a member to an organization. Returns the ids of the membership and of the user. */
  addMember(organization: GivenId, member: NewMember): Promise<{ readonly id: string; readonly user: string }>;
  /** Starts or ends an organization's subscription, which forbids its deletion. */
  setSubscription(organization: GivenId, active: boolean): Promise<void>;
}

async function existing<T extends TableName>(store: Writer, table: T, what: string, key: Id<T>): Promise<Row<T>> {
  const row = await store.get(table, key);
  if (!row) throw new ControlError(`${what} ${String(key)} does not exist.`);
  return row;
}

/** The row, read after its organization was locked, so that it cannot change before the write (D27). */
async function locked<T extends 'campaigns' | 'collabs'>(
  writer: Writer,
  table: T,
  what: string,
  key: number,
): Promise<Row<T>> {
  const row = (await existing(writer, table, what, key as Id<T>)) as Row<'campaigns'>;
  await writer.lock('organizations', row.organization_id);
  // The rows of a deleted organization may still exist for a moment.
  if (!(await writer.get('organizations', row.organization_id)))
    throw new ControlError(`${what} ${key} does not exist.`);
  return existing(writer, table, what, key as Id<T>);
}

/** Adds to numbers of a row. @throws {ControlError} above the largest integer (D19) */
function added<Name extends string>(
  what: string,
  row: Readonly<Record<NoInfer<Name>, number>>,
  more: Readonly<Partial<Record<Name, number | undefined>>>,
): Partial<Record<Name, number>> {
  const sums: Partial<Record<Name, number>> = {};
  for (const name of Object.keys(more) as Name[]) {
    const sum = row[name] + (more[name] ?? 0);
    if (!Number.isSafeInteger(sum)) throw new ControlError(`${what} cannot store this amount. The maximum is 2^53-1.`);
    sums[name] = sum;
  }
  return sums;
}

function checkTransition(name: string, state: string, transition: Transition): void {
  const error = transitionError(name, state, transition);
  if (error) throw new ControlError(error.message);
}

const textId = (prefix: string, name: string, random: (bytes: number) => string): string =>
  `${prefix}_${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}_${random(6)}`;

export interface ActServices {
  readonly store: Store;
  /** The current time in the API's format (D11). */
  readonly now: () => string;
  readonly random: (bytes: number) => string;
}

export function createActs({ store, now, random }: ActServices): Acts {
  return {
    fundCampaign: async (campaign, amount) => {
      const key = checked('campaign', id, numbered(campaign));
      const more = checked('amount', count, amount);
      await store.transact(async (writer) => {
        const row = await locked(writer, 'campaigns', 'Campaign', key);
        const budget = added(`Campaign ${key}`, row, { total_budget_amount: more, unused_amount: more });
        await writer.update('campaigns', key, { ...budget, updated_at: now() });
      });
    },

    finishCampaign: async (campaign) => {
      const key = checked('campaign', id, numbered(campaign));
      await store.transact(async (writer) => {
        const { status } = await locked(writer, 'campaigns', 'Campaign', key);
        const { finish } = resources.campaigns.states.marketplace;
        checkTransition(`Campaign ${key}`, status, finish);
        await writer.update('campaigns', key, { status: finish.to, paused_at: null, updated_at: now() });
      });
    },

    addCampaignResults: async (campaign, results) => {
      const key = checked('campaign', id, numbered(campaign));
      const more = checked('results', campaignResults, results);
      await store.transact(async (writer) => {
        const row = await locked(writer, 'campaigns', 'Campaign', key);
        const { used_amount = 0 } = more;
        if (used_amount > row.unused_amount)
          throw new ControlError(`Campaign ${key} has only ${row.unused_amount} left. Fund it first.`);
        await writer.update('campaigns', key, {
          ...added(`Campaign ${key}`, row, more),
          unused_amount: row.unused_amount - used_amount,
          updated_at: now(),
        });
      });
    },

    reviewCollab: async (collab, outcome) => {
      const key = checked('collab', id, numbered(collab));
      const state = checked('outcome', review, outcome);
      await store.transact(async (writer) => {
        const row = await locked(writer, 'collabs', 'Collab', key);
        const { approve, reject } = resources.collabs.states.marketplace;
        checkTransition(`Collab ${key}`, row.state, state === approve.to ? approve : reject);
        const published_at = state === 'published' ? now() : null;
        await writer.update('collabs', key, { state, published_at, updated_at: now() });
      });
    },

    addCollabResults: async (collab, results) => {
      const key = checked('collab', id, numbered(collab));
      const more = checked('results', collabResults, results);
      await store.transact(async (writer) => {
        const row = await locked(writer, 'collabs', 'Collab', key);
        await writer.update('collabs', key, { ...added(`Collab ${key}`, row, more), updated_at: now() });
      });
    },

    syncSocialAccount: async (account, snapshot = {}) => {
      const key = checked('account', id, numbered(account));
      const { status = 'verified', ...metrics } = checked('snapshot', accountSnapshot, snapshot);
      const known = Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== undefined));
      await store.transact(async (writer) => {
        await existing(writer, 'social_accounts', 'Social account', key);
        const synced = status === 'pending' ? {} : { last_synced_at: now() };
        await writer.update('social_accounts', key, { ...known, ...synced, status, updated_at: now() });
      });
    },

    addMember: async (organization, member) => {
      const key = checked('organization', id, numbered(organization));
      const { user, name, email, role = 'member' } = checked('member', newMember, member);
      return store.transact(async (writer) => {
        await writer.lock('organizations', key);
        await existing(writer, 'organizations', 'Organization', key);
        const joining = user === undefined ? await newUser(writer, name, email) : await findUser(writer, user);
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

    setSubscription: async (organization, active) => {
      const key = checked('organization', id, numbered(organization));
      const has_active_subscription = checked('active', flag, active);
      await store.transact(async (writer) => {
        await existing(writer, 'organizations', 'Organization', key);
        await writer.update('organizations', key, { has_active_subscription });
      });
    },
  };

  async function newUser(writer: Writer, name?: string, email?: string): Promise<Row<'users'>> {
    if (name === undefined || email === undefined)
      throw new ControlError('A new user needs name and email. For an existing user, set user.');
    if (await writer.find('users', 'byEmail', [email]))
      throw new ControlError(`The user ${email} already exists. Set user instead.`);
    return writer.insert('users', { id: textId('usr', name, random), name, email });
  }
}
