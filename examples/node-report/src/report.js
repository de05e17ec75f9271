/**
 * @typedef {object} Row The budget of a campaign. Amounts are integers without a unit, as in the API.
 * @property {number | string} id
 * @property {string} name
 * @property {string} status
 * @property {string} currency
 * @property {number} total
 * @property {number} used
 * @property {number} unused
 * @property {number} views
 */

/**
 * Returns the campaigns with a budget, the largest first. Unfunded drafts have none.
 * @param {import('@mkt/sdk').Marketplace} mkt
 * @param {number | string} organization
 * @returns {Promise<Row[]>}
 */
export async function budgets(mkt, organization) {
  /** @type {Row[]} */
  const rows = [];
  for await (const campaign of mkt.campaigns.list(organization)) {
    if (campaign.total_budget_amount === 0) continue;
    rows.push({
      id: campaign.id,
      name: campaign.name,
      status: campaign.status,
      currency: campaign.currency,
      total: campaign.total_budget_amount,
      used: campaign.used_amount,
      unused: campaign.unused_amount,
      views: campaign.view_count,
    });
  }
  return rows.sort((one, other) => other.total - one.total);
}

/**
 * Groups rows by currency, because amounts in different currencies can't be added. The currency with most campaigns is first.
 * @param {readonly Row[]} rows
 * @returns {[currency: string, rows: Row[]][]}
 */
export function byCurrency(rows) {
  /** @type {Map<string, Row[]>} */
  const groups = new Map();
  for (const row of rows) groups.set(row.currency, [...(groups.get(row.currency) ?? []), row]);
  return [...groups].sort(([, one], [, other]) => other.length - one.length);
}

/**
 * @param {readonly Row[]} rows
 * @param {'total' | 'used' | 'unused'} amount
 */
export const sum = (rows, amount) => rows.reduce((all, row) => all + row[amount], 0);

/** @param {number} part @param {number} whole */
export const percent = (part, whole) => (whole === 0 ? 0 : Math.round((part / whole) * 100));
