import type { MembershipChanges } from '@mkt/sdk/contract';
import type { Reader } from '../store/store.js';
import type { ListRow, Row } from '../store/tables.js';
import { type Input, type Listing, listing, type MemberContext, type MemberResourceContext } from './context.js';
import { forbidden, unprocessable } from './errors.js';

type OneContext = MemberResourceContext<'memberships'>;

/** Admins first, then by joining order. */
export async function list(context: MemberContext): Promise<Listing<object>> {
  const { items, total } = await listing(context, 'memberships', 'byOrganization', [context.organizationId]);
  return { items: await withUsers(context.store, items), total };
}

/** Order of the guards: owner, then last admin. Setting the role that the member already has does nothing. */
export async function update({ store, resource, now }: OneContext, { fields }: Input<MembershipChanges>) {
  const changes = fields.role === resource.role ? null : { role: fields.role, updated_at: now };
  if (changes) {
    if (resource.is_owner) throw forbidden('The owner of an organization cannot be demoted.');
    await keepAnAdmin(store, resource, 'demoted');
  }
  const member = changes ? await store.update('memberships', resource.id, changes) : resource;
  const [shown] = await withUsers(store, [member]);
  return shown as object;
}

/** Order of the guards: sole member, owner, last admin. Members leave by removing themselves. */
export async function remove({ store, membership, resource }: OneContext): Promise<void> {
  const members = await store.count('memberships', 'byOrganization', [resource.organization_id]);
  if (resource.id === membership.id && members === 1) {
    throw unprocessable({ code: 'only_member' });
  }
  if (resource.is_owner) throw forbidden('The owner of an organization cannot be removed.');
  await keepAnAdmin(store, resource, 'removed');
  await store.delete('memberships', resource.id);
}

async function keepAnAdmin(store: Reader, member: Row<'memberships'>, action: string): Promise<void> {
  if (member.role !== 'admin') return;
  const admins = await store.count('memberships', 'byOrganizationAndRole', [member.organization_id, 'admin']);
  if (admins === 1) throw unprocessable({ code: 'only_admin', action });
}

async function withUsers(store: Reader, members: readonly ListRow<'memberships'>[]): Promise<object[]> {
  const users = await store.getMany(
    'users',
    members.map((member) => member.user_id),
  );
  const byId = new Map(users.map((user) => [user.id, user]));
  return members.map((member) => ({ ...member, user: byId.get(member.user_id) }));
}
