import type { MembershipChanges } from '@mkt/sdk/contract';
import type { Reader } from '../store/store.js';
import type { ListRow } from '../store/tables.js';
import { type Input, type Listing, listing, type MemberContext, type MemberResourceContext } from './context.js';
import { memberCounts, removalError, roleChangeError } from './deletion.js';

type OneContext = MemberResourceContext<'memberships'>;

/** Admins first, then by joining order. */
export async function list(context: MemberContext): Promise<Listing<object>> {
  const { items, total } = await listing(context, 'memberships', 'byOrganization', [context.organizationId]);
  return { items: await withUsers(context.store, items), total };
}

/** Setting the role that the member already has does nothing. */
export async function update({ store, resource, now }: OneContext, { fields }: Input<MembershipChanges>) {
  const changes = fields.role === resource.role ? null : { role: fields.role, updated_at: now };
  const error = changes && roleChangeError(await memberCounts(store, resource.organization_id), resource);
  if (error) throw error;
  const member = changes ? await store.update('memberships', resource.id, changes) : resource;
  const [shown] = await withUsers(store, [member]);
  return shown as object;
}

/** Members leave by removing themselves. */
export async function remove({ store, membership, resource }: OneContext): Promise<void> {
  const error = removalError(await memberCounts(store, resource.organization_id), membership, resource);
  if (error) throw error;
  await store.delete('memberships', resource.id);
}

async function withUsers(store: Reader, members: readonly ListRow<'memberships'>[]): Promise<object[]> {
  const users = await store.getMany(
    'users',
    members.map((member) => member.user_id),
  );
  const byId = new Map(users.map((user) => [user.id, user]));
  return members.map((member) => ({ ...member, user: byId.get(member.user_id) }));
}
