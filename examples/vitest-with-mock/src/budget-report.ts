import type { Marketplace } from '@mkt/sdk';

export interface BudgetReport {
  readonly campaigns: number;
  readonly total: number;
  readonly unused: number;
  /** Names of active campaigns that have less than a tenth of their budget left. */
  readonly runningDry: readonly string[];
}

/** What a brand has put into its campaigns, and which of them will stop soon. */
export async function budgetReport(mkt: Marketplace, organization: number): Promise<BudgetReport> {
  let [campaigns, total, unused] = [0, 0, 0];
  const runningDry: string[] = [];
  for await (const campaign of mkt.campaigns.list(organization)) {
    campaigns += 1;
    total += campaign.total_budget_amount;
    unused += campaign.unused_amount;
    const isDry = campaign.unused_amount * 10 < campaign.total_budget_amount;
    if (campaign.status === 'active' && isDry) runningDry.push(campaign.name);
  }
  return { campaigns, total, unused, runningDry };
}
