import { resources } from '@mkt/sdk/contract';
import type { Row } from '../store/tables.js';
import { type RuleError, unprocessable } from './errors.js';

const { deletable } = resources.campaigns;

/** Why an item cannot be deleted; null if it can. Rules and pages use the same checks. */
export const deletionErrors = {
  campaigns({ status, total_budget_amount }: Row<'campaigns'>): RuleError | null {
    if (status !== deletable.state) return unprocessable({ code: 'not_draft', status });
    return total_budget_amount > 0 ? unprocessable({ code: 'funded' }) : null;
  },

  collabs: ({ approved_submissions_count }: Row<'collabs'>): RuleError | null =>
    approved_submissions_count > 0 ? unprocessable({ code: 'has_submissions' }) : null,

  organizations: ({ has_active_subscription }: Row<'organizations'>): RuleError | null =>
    has_active_subscription ? unprocessable({ code: 'has_subscription' }) : null,
};
