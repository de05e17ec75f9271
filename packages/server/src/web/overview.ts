import { resources } from '@mkt/sdk/contract';
import { seesDrafts } from '../rules/policy.js';
import { compare } from '../store/ordering.js';
import type { Reader, Total } from '../store/store.js';
import { type Condition, notComputed } from '../store/table-definition.js';
import type { ListRow, Row, SelectableTable } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import type { PageContext } from './page-context.js';
import { sumOf, visibleTotals } from './totals.js';
import type { WebContext } from './web-context.js';

type CampaignRow = ListRow<'campaigns'>;

export interface Spending {
  readonly currency: string;
  readonly budget: number;
  readonly used: number;
  readonly left: number;
}

/** Campaigns or collabs that need attention for the same reason. */
export interface Attention {
  readonly reason: 'used' | 'no budget' | 'in review' | 'old draft';
  readonly table: SelectableTable;
  readonly rows: readonly (CampaignRow | ListRow<'collabs'>)[];
  /** How many there are; null if only the first ones were looked for. */
  readonly total: number | null;
}

/** That a campaign or collab was created or published. The API has no times of other changes. */
export interface Activity {
  readonly at: string;
  readonly what: 'created' | 'published';
  readonly table: SelectableTable;
  readonly id: number | string;
  readonly name: string;
}

/** All campaigns and collabs of a brand that the visitor may see. */
export interface Overview {
  readonly campaigns: readonly Total[];
  readonly collabs: readonly Total[];
  /** The largest budget first. */
  readonly spending: readonly Spending[];
  readonly attention: readonly Attention[];
  readonly mostViews: readonly CampaignRow[];
  /** The lowest cost per thousand views in one currency. */
  readonly lowestCost: { readonly currency: string; readonly rows: readonly CampaignRow[] };
  /** The last one of each campaign and collab, the latest first. */
  readonly activity: readonly Activity[];
}

const shown = { offset: 0, limit: 5 };
const latest = { offset: 0, limit: 8 };
const draftDays = 30;

/**
 * @param wanted The currency in which costs are compared; by default the one with the largest budget
 * @returns null if the visitor is not a member of the organization
 */
export function overviewOf(web: WebContext, context: PageContext, wanted: string | undefined) {
  const { organization, membership } = context;
  return web.site.store.read(async (reader) => {
    if (!organization || !membership) return null;
    const { id } = organization;
    const campaigns = await visibleTotals(reader, context, resources.campaigns);
    const collabs = await visibleTotals(reader, context, resources.collabs);
    const spending = spendingIn(campaigns);
    const active: Condition = { column: 'status', is: '=', value: 'active' };
    const select = async (where: readonly Condition[], order?: string, descending = true) =>
      (await reader.select('campaigns', id, { where, order, descending }, shown)).rows;
    const visible = visibleIn('campaigns', membership);
    const withViews: Condition = { column: 'view_count', is: '>=', value: 1 };

    const count = (rows: readonly Total[], isMeant: (total: Total) => boolean): number =>
      sumOf(rows.filter(isMeant), 'total');
    const oldest = timestamp(Date.parse(web.site.now()) - draftDays * 86_400_000);
    const oldDrafts = async (table: SelectableTable): Promise<Attention> => {
      const { field, initial } = resources[table].states;
      const where: readonly Condition[] = [{ column: field, is: '=', value: initial }];
      const { rows } = seesDrafts(membership) ? await reader.select(table, id, { where }, shown) : { rows: [] };
      const old = rows.filter((row) => row.created_at < oldest) as Attention['rows'];
      return { reason: 'old draft', table, rows: old, total: null };
    };
    const inReview: Condition = { column: 'state', is: '=', value: 'submitted_for_review' };
    const attention: Attention[] = [
      {
        reason: 'used',
        table: 'campaigns',
        rows: await select([active, { column: 'used_percent', is: '>=', value: 80 }], 'byPercent'),
        total: count(campaigns, (each) => each.status === 'active' && Number(each.used_percent) >= 80),
      },
      {
        reason: 'no budget',
        table: 'campaigns',
        rows: await select([active, { column: 'used_percent', is: '=', value: notComputed }]),
        total: count(campaigns, (each) => each.status === 'active' && each.used_percent === notComputed),
      },
      {
        reason: 'in review',
        table: 'collabs',
        rows: (await reader.select('collabs', id, { where: [inReview], descending: true }, shown)).rows,
        total: count(collabs, (each) => each.state === 'submitted_for_review'),
      },
      await oldDrafts('campaigns'),
      await oldDrafts('collabs'),
    ];
    const { currency = '' } = spending.find((each) => each.currency === wanted) ?? spending[0] ?? {};
    const inCurrency: readonly Condition[] = [...visible, { column: 'currency', is: '=', value: currency }, withViews];
    return {
      campaigns,
      collabs,
      spending,
      attention: attention.filter(({ rows }) => rows.length > 0),
      mostViews: await select([...visible, withViews], 'byViews'),
      lowestCost: { currency, rows: currency === '' ? [] : await select(inCurrency, 'byCost', false) },
      activity: await latestActivity(reader, membership),
    };
  });
}

function visibleIn(table: SelectableTable, membership: Row<'memberships'>): readonly Condition[] {
  const { field, initial } = resources[table].states;
  return seesDrafts(membership) ? [] : [{ column: field, is: '<>', value: initial }];
}

async function latestActivity(reader: Reader, membership: Row<'memberships'>): Promise<readonly Activity[]> {
  const activity: Activity[] = [];
  for (const table of ['campaigns', 'collabs'] as const) {
    for (const [what, order] of [['created'], ['published', 'byPublication']] as const) {
      const selection = { where: visibleIn(table, membership), order, descending: true };
      const { rows } = await reader.select(table, membership.organization_id, selection, latest);
      for (const { id, name, created_at, published_at } of rows) {
        const at = what === 'created' ? created_at : published_at;
        if (at !== null) activity.push({ at, what, table, id, name });
      }
    }
  }
  const last = new Map<string, Activity>();
  for (const each of activity.sort((one, other) => compare(one.at, other.at))) last.set(each.table + each.id, each);
  return [...last.values()].sort((one, other) => compare(other.at, one.at)).slice(0, latest.limit);
}

export function spendingIn(campaigns: readonly Total[]): readonly Spending[] {
  const spending = [...new Set(campaigns.map(({ currency }) => String(currency)))].map((currency) => {
    const own = campaigns.filter((each) => each.currency === currency);
    const [budget, used] = [sumOf(own, 'total_budget_amount'), sumOf(own, 'used_amount')];
    return { currency, budget, used, left: sumOf(own, 'unused_amount') };
  });
  return spending.sort((one, other) => other.budget - one.budget);
}
