import { resources } from '@mkt/sdk/contract';
import type { Row } from '../store/tables.js';
import { type RuleError, unprocessable } from './errors.js';

const { deletable } = resources.campaigns;

/** Why an item cannot be deleted; null if it can. Rules and pages use the same checks. */
export const deletionErrors = {
  campaigns({ status, total_budget_amount }: Row<'campaigns'>): RuleError | null {
    if (status !== deletable.state)
      return unprocessable(
        `A campaign that is ${status} cannot be deleted. Only drafts can be deleted.${status === 'active' ? ' Pause it instead.' : ''}`,
      );
    return total_budget_amount > 0 ? unprocessable('A campaign with funding cannot be deleted.') : null;
  },

  collabs: ({ approved_submissions_count }: Row<'collabs'>): RuleError | null =>
    approved_submissions_count > 0 ? unprocessable('A collab with approved submissions cannot be deleted.') : null,

  organizations: ({ has_active_subscription }: Row<'organizations'>): RuleError | null =>
    has_active_subscription
      ? unprocessable('An organization with an active subscription cannot be deleted. Cancel the subscription first.')
      : null,
};
