import { type ResourceName, type Role, resources } from '@mkt/sdk/contract';
import type { Reader } from '../store/store.js';
import type { AnyRow, Id, Row, SelectableTable, TableName } from '../store/tables.js';
import { type Caller, type Listing, listing, type MemberContext } from './context.js';
import { forbidden, notFound, type RuleError } from './errors.js';

/** The id of a path as rows have it. An id that this store cannot have, such as one in the other format, finds no row. */
export const idFrom = (text: string, { ids }: Pick<Reader, 'ids'>): number | string => {
  if (ids === 'opaque') return text;
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(id) ? id : 0;
};

/** One membership for a user in an organization. Opaque to clients. */
export const membershipId = (organizationId: Id<'organizations'>, userId: string): string =>
  `mem_${organizationId}_${userId.replace(/^usr_/, '')}`;

/** The caller's membership in the organization of the path. Non-members get 404, so they do not learn that it exists. */
export async function membershipIn(store: Reader, caller: Caller, organization: string): Promise<Row<'memberships'>> {
  const membership = await store.find('memberships', 'byOrganizationAndUser', [
    idFrom(organization, store),
    caller.userId,
  ]);
  if (!membership)
    throw notFound(`Organization ${organization} was not found. Check the id, and that you are a member of it.`);
  return membership;
}

/** Members do not see drafts: neither in lists nor by id. */
export const seesDrafts = (membership: Row<'memberships'>): boolean => membership.role === 'admin';

/** The items of an organization that a member may see. */
export async function visibleItems(context: MemberContext, table: SelectableTable): Promise<Listing<object>> {
  const { membership, organizationId, page } = context;
  const all = seesDrafts(membership);
  if (page.select) return page.select(context, table, all ? null : resources[table].states.initial);
  return listing(context, table, all ? 'byOrganization' : 'byOrganizationWithoutDrafts', [organizationId]);
}

interface LookupContext {
  readonly store: Reader;
  readonly caller: Caller;
  readonly membership: Row<'memberships'> | null;
  /** The id as it appears in the path. */
  readonly id: string;
  /** The item above it in the path, which is visible to the caller: the campaign of `/campaigns/3/notes/1`. */
  readonly above: AnyRow | null;
}
type Lookup<T extends TableName> = (context: LookupContext) => Promise<Row<T> | null>;

const ownedBy = <R extends { user_id: string }>({ userId }: Caller, row: R | null): R | null =>
  row?.user_id === userId ? row : null;

const inOrganization = <R extends { organization_id: Id<'organizations'> }>(
  membership: Row<'memberships'> | null,
  row: R | null,
) => (membership && row?.organization_id === membership.organization_id ? row : null);

const visibleItem =
  <T extends SelectableTable>(table: T): Lookup<T> =>
  async ({ store, membership, id }) => {
    const { field, initial } = resources[table].states;
    const item = inOrganization(membership, await store.get(table, idFrom(id, store) as Id<T>));
    const isDraft = (item as Readonly<Record<string, unknown>> | null)?.[field] === initial;
    return isDraft && membership && !seesDrafts(membership) ? null : item;
  };

/** How each resource is found by the id of the path, if it is visible to the caller. Only the address has no id. */
export const visible = {
  async accessTokens({ store, caller, id }) {
    const token = ownedBy(caller, await store.get('access_tokens', idFrom(id, store)));
    return token?.revoked_at === null ? token : null;
  },
  organizations: ({ store, id }) => store.get('organizations', idFrom(id, store)),
  async members({ store, membership, id }) {
    const member = inOrganization(membership, await store.get('memberships', id));
    return member && { ...member, user: await store.get('users', member.user_id) };
  },
  campaigns: visibleItem('campaigns'),
  collabs: visibleItem('collabs'),
  socialAccounts: async ({ store, caller, id }) =>
    ownedBy(caller, await store.get('social_accounts', idFrom(id, store))),
} satisfies Record<Exclude<ResourceName, 'address'>, unknown> & {
  accessTokens: Lookup<'access_tokens'>;
  organizations: Lookup<'organizations'>;
  members: Lookup<'memberships'>;
  campaigns: Lookup<'campaigns'>;
  collabs: Lookup<'collabs'>;
  socialAccounts: Lookup<'social_accounts'>;
};

const roleMessages: Record<Exclude<Role, 'none' | 'member'>, string> = {
  admin: 'Only admins of this organization may do this. Ask an admin to do it, or to make you an admin.',
  owner: 'Only the owner of this organization may do this.',
  'admin-or-self': 'Only admins of this organization may remove other members.',
};

/** Why the caller's role does not permit an endpoint with this role, or null where it does. */
export function roleError(role: Role, membership: Row<'memberships'>, resource: unknown): RuleError | null {
  if (role === 'none' || role === 'member') return null;
  const permitted =
    role === 'owner'
      ? membership.is_owner
      : membership.role === 'admin' ||
        (role === 'admin-or-self' && (resource as Row<'memberships'> | null)?.id === membership.id);
  return permitted ? null : forbidden(roleMessages[role]);
}
