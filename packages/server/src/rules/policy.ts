import type { Role } from '@mkt/sdk/contract';
import type { Reader } from '../store/store.js';
import type { Row, TableName } from '../store/tables.js';
import type { Caller } from './context.js';
import { forbidden, notFound, type RuleError } from './errors.js';

/** An integer id as it stands in a path; anything else names nothing (D47). */
const integerId = (text: string): number => {
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(id) ? id : 0;
};

/** The caller's place in the organization of the path. Who has none gets 404: nobody learns that it exists (D9). */
export async function membershipIn(store: Reader, caller: Caller, organization: string): Promise<Row<'memberships'>> {
  const membership = await store.find('memberships', 'byOrganizationAndUser', [integerId(organization), caller.userId]);
  if (!membership)
    throw notFound(`Organization ${organization} was not found. Check the id, and that you are a member of it.`);
  return membership;
}

/** Members do not see drafts: neither in lists nor by id (D24). */
const seesDrafts = (membership: Row<'memberships'>): boolean => membership.role === 'admin';

export const draftsIndex = (membership: Row<'memberships'>) =>
  seesDrafts(membership) ? 'byOrganization' : 'byOrganizationWithoutDrafts';

interface Sight {
  readonly store: Reader;
  readonly caller: Caller;
  readonly membership: Row<'memberships'> | null;
  readonly id: string;
}
type Look<T extends TableName> = (sight: Sight) => Promise<Row<T> | null>;

/** How each resource is found by the id of the path, where the caller may see it. */
export const visible = {
  async accessTokens({ store, caller, id }) {
    const token = await store.get('access_tokens', integerId(id));
    return token && token.user_id === caller.userId && token.revoked_at === null ? token : null;
  },
  organizations: ({ store, id }) => store.get('organizations', integerId(id)),
  async members({ store, membership, id }) {
    const member = await store.get('memberships', id);
    return member && member.organization_id === membership?.organization_id ? member : null;
  },
  async campaigns({ store, membership, id }) {
    const campaign = await store.get('campaigns', integerId(id));
    if (!membership || campaign?.organization_id !== membership.organization_id) return null;
    return campaign.status !== 'draft' || seesDrafts(membership) ? campaign : null;
  },
  async collabs({ store, membership, id }) {
    const collab = await store.get('collabs', integerId(id));
    if (!membership || collab?.organization_id !== membership.organization_id) return null;
    return collab.state !== 'draft' || seesDrafts(membership) ? collab : null;
  },
  async socialAccounts({ store, caller, id }) {
    const account = await store.get('social_accounts', integerId(id));
    return account?.user_id === caller.userId ? account : null;
  },
} satisfies {
  accessTokens: Look<'access_tokens'>;
  organizations: Look<'organizations'>;
  members: Look<'memberships'>;
  campaigns: Look<'campaigns'>;
  collabs: Look<'collabs'>;
  socialAccounts: Look<'social_accounts'>;
};

const refusals: Record<Exclude<Role, 'none' | 'member'>, string> = {
  admin: 'Only admins of this organization may do this. Ask one of them, or have them make you an admin.',
  owner: 'Only the owner of this organization may do this.',
  'admin-or-self': 'Only admins of this organization may remove somebody else.',
};

/** Why the caller's role does not permit an endpoint with this role, or null where it does (api.md, Authentication rule 8). */
export function roleRefusal(role: Role, membership: Row<'memberships'>, resource: unknown): RuleError | null {
  if (role === 'none' || role === 'member') return null;
  const permitted =
    role === 'owner'
      ? membership.is_owner
      : membership.role === 'admin' ||
        (role === 'admin-or-self' && (resource as Row<'memberships'> | null)?.id === membership.id);
  return permitted ? null : forbidden(refusals[role]);
}
