import { membershipId } from '../../rules/membership-id.js';
import type { Row } from '../../store/tables.js';
import { closest } from './closest.js';
import { memberEntry } from './entries.js';
import { isMapping, type Reading } from './reading.js';
import type { Path } from './source.js';
import type { Users } from './users.js';

type Membership = Row<'memberships'>;

export interface Member extends Omit<Membership, 'created_at' | 'updated_at'> {
  readonly created_at: string | undefined;
  readonly updated_at: string | undefined;
}

/** The row of a member, who joined at `moment` unless the file says when. */
export const memberRow = ({ created_at, updated_at, ...member }: Member, moment: string): Membership => ({
  ...member,
  created_at: created_at ?? moment,
  updated_at: updated_at ?? created_at ?? moment,
});

/** Members in joining order; null when the organization cannot be made with them. */
export function readMembers(
  reading: Reading,
  organization: { readonly id: number; readonly path: Path },
  values: unknown,
  users: Users,
): readonly Member[] | null {
  const listPath = [...organization.path, 'members'];
  const read = Object.entries(isMapping(values) ? values : {}).map(([handle, value]) =>
    readMember(reading, organization.id, [...listPath, handle], handle, value, users),
  );
  const members = read.filter((member) => member !== null);
  const [, ...moreOwners] = members.filter((member) => member.is_owner);
  if (moreOwners.length > 0) reading.fault(listPath, 'An organization has one owner at most.');
  // What is wrong with a member is told already; only a complete list can lack an admin.
  if (members.length < read.length) return null;
  if (!members.some((member) => member.role === 'admin')) {
    reading.fault(listPath, 'An organization needs an owner or an admin. Add one, as in "members: {ada: owner}".');
    return null;
  }
  return members;
}

function readMember(
  reading: Reading,
  organizationId: number,
  path: Path,
  handle: string,
  value: unknown,
  users: Users,
): Member | null {
  if (!users.handles.includes(handle)) {
    const meant = closest(handle, users.handles);
    const hint = meant === null ? 'Add the person under users.' : `Did you mean ${meant}?`;
    reading.fault(path, `No user has the handle ${handle}. ${hint}`, 'key');
    return null;
  }
  const { columns } = reading.entry(memberEntry, path, typeof value === 'string' ? { role: value } : value) ?? {};
  const userId = users.ids.get(handle);
  if (!columns || userId === undefined) return null;
  const { role, created_at, updated_at } = columns;
  const id = columns.id ?? membershipId(organizationId, userId);
  const position = reading.number('memberships', columns.position, path, 'position');
  if (!reading.isUnique('membership id', id, path)) return null;
  return {
    id,
    position,
    organization_id: organizationId,
    user_id: userId,
    role: role === 'owner' ? 'admin' : role,
    is_owner: role === 'owner',
    created_at,
    updated_at,
  };
}
