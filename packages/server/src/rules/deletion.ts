import { resources } from '@mkt/sdk/contract';
import type { Reader } from '../store/store.js';
import type { Id, Row } from '../store/tables.js';
import { forbidden, type RuleError, unprocessable } from './errors.js';

const { deletable } = resources.campaigns;

/** Why an item cannot be deleted; null if it can. Rules and pages use the same checks. */
export const deletionErrors = {
  campaigns({
    status,
    total_budget_amount,
  }: Pick<Row<'campaigns'>, 'status' | 'total_budget_amount'>): RuleError | null {
    if (status !== deletable.state) return unprocessable({ code: 'not_draft', status });
    return total_budget_amount > 0 ? unprocessable({ code: 'funded' }) : null;
  },

  collabs: ({ approved_submissions_count }: Pick<Row<'collabs'>, 'approved_submissions_count'>): RuleError | null =>
    approved_submissions_count > 0 ? unprocessable({ code: 'has_submissions' }) : null,

  organizations: ({ has_active_subscription }: Row<'organizations'>): RuleError | null =>
    has_active_subscription ? unprocessable({ code: 'has_subscription' }) : null,
};

export interface MemberCounts {
  readonly members: number;
  readonly admins: number;
}

export const memberCounts = async (store: Reader, organizationId: Id<'organizations'>): Promise<MemberCounts> => ({
  members: await store.count('memberships', 'byOrganization', [organizationId]),
  admins: await store.count('memberships', 'byOrganizationAndRole', [organizationId, 'admin']),
});

type Member = Pick<Row<'memberships'>, 'id' | 'role' | 'is_owner'>;

/** Why a member cannot be removed, or cannot leave; null if they can. @param own The membership of the caller */
export function removalError(
  { members, admins }: MemberCounts,
  own: Pick<Member, 'id'>,
  { id, role, is_owner }: Member,
): RuleError | null {
  if (id === own.id && members === 1) return unprocessable({ code: 'only_member' });
  if (is_owner) return forbidden('The owner of an organization cannot be removed.');
  return role === 'admin' && admins === 1 ? unprocessable({ code: 'only_admin', action: 'removed' }) : null;
}

/** Why a member cannot get the other role; null if they can. */
export function roleChangeError({ admins }: MemberCounts, { role, is_owner }: Omit<Member, 'id'>): RuleError | null {
  if (is_owner) return forbidden('The owner of an organization cannot be demoted.');
  return role === 'admin' && admins === 1 ? unprocessable({ code: 'only_admin', action: 'demoted' }) : null;
}
