import type { Marketplace } from '@mkt/sdk';

export interface Budget {
  readonly total: number;
  readonly unused: number;
}

export interface BudgetReport {
  readonly campaigns: number;
  /** By currency, because amounts in different currencies can't be added. */
  readonly budgets: Readonly<Record<string, Budget>>;
  /** Names of active campaigns that have less than a tenth of their budget left. */
  readonly runningDry: readonly string[];
}

/** A brand's budgets, and the campaigns that will soon run out of theirs. */
export async function budgetReport(mkt: Marketplace, organization: number): Promise<BudgetReport> {
  let campaigns = 0;
  const budgets: Record<string, Budget> = {};
  const runningDry: string[] = [];
  for await (const { name, status, currency, total_budget_amount, unused_amount } of mkt.campaigns.list(organization)) {
    campaigns += 1;
    const { total, unused } = budgets[currency] ?? { total: 0, unused: 0 };
    budgets[currency] = { total: total + total_budget_amount, unused: unused + unused_amount };
    if (status === 'active' && unused_amount * 10 < total_budget_amount) runningDry.push(name);
  }
  return { campaigns, budgets, runningDry };
}
