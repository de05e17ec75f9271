import { type Row, withNulls } from '../../store/tables.js';
import { currencyOf } from './currency.js';
import { acmePlans, globexPlans, type Plan } from './plans.js';
import type { Timeline } from './timeline.js';

type Campaign = Row<'campaigns'>;

interface Outline {
  readonly id: number;
  readonly organization_id: number;
  readonly website: string;
  readonly plan: Plan;
  readonly status: string;
  readonly funded: boolean;
}

const drafts = new Set([1, 2, 10, 20, 30, 40, 47]);
const paused = new Set([4, 14, 24]);
const finished = new Set([5, 15, 25, 35]);

const statusOf = (id: number): string =>
  drafts.has(id) ? 'draft' : paused.has(id) ? 'paused' : finished.has(id) ? 'finished' : 'active';

/** Campaign 2 is a draft that has a funding already: it cannot be deleted (api.md, Campaigns rule 4). */
const fundedDraft = 2;

const budgetOf = ({ id, status, funded }: Outline, cpm_amount: number) => {
  const total = funded ? 100_000 + ((id * 37) % 20) * 25_000 : 0;
  const share = status === 'draft' ? 0 : status === 'finished' ? 1 : 0.1 + ((id * 29) % 75) / 100;
  const used = Math.round(total * share);
  return {
    total_budget_amount: total,
    used_amount: used,
    unused_amount: total - used,
    // What the budget paid for: `cpm_amount` buys a thousand views.
    view_count: Math.floor((used * 1000) / cpm_amount),
    submissions_count: used === 0 ? 0 : 3 + ((id * 7) % 40),
  };
};

const htmlOf = (category: string, contentType: string, platforms: readonly string[]): string =>
  `<p>We look for <strong>${contentType}</strong> about ${category}, made for ${platforms.join(' and ')}.</p>` +
  '<ul><li>Keep it under a minute.</li><li>Say what you like, and what you do not.</li>' +
  '<li>Tag the brand in the caption.</li></ul>';

/** A campaign whose unnamed fields follow from its number. */
export const campaignRow = (outline: Outline, next: Timeline): Campaign => {
  const { id, organization_id, website, status } = outline;
  const [name, category, content_type, platformList, countryList] = outline.plan;
  const platform_ids = platformList.split(' ');
  const countries = countryList.split(' ');
  const cpm_amount = [500, 350, 800, 420, 1200][id % 5] ?? 500;
  const min_payout_amount = 500 + (id % 4) * 250;
  const created_at = next();
  const published_at = status === 'draft' ? null : next();
  const paused_at = status === 'paused' ? next() : null;
  return withNulls('campaigns', {
    id,
    organization_id,
    name,
    status,
    currency: currencyOf(countries),
    countries,
    website: id % 3 === 0 ? `${website}/products/${id}` : website,
    content_type,
    category,
    platform_ids,
    tiktok_music_id: platform_ids.includes('tiktok') && id % 6 === 1 ? `70${id}8423951172609` : null,
    cpm_amount,
    min_payout_amount,
    max_payout_amount: min_payout_amount * 10,
    base_reward_amount: id % 5 === 3 ? 2500 : 0,
    ...budgetOf(outline, cpm_amount),
    published_at,
    paused_at,
    brief: htmlOf(category, content_type, platform_ids),
    created_at,
    updated_at: status === 'draft' ? created_at : next(),
  });
};

const demoCampaign = (id: number, organization_id: number, website: string, plan: Plan, next: Timeline): Campaign => {
  const status = statusOf(id);
  return campaignRow(
    { id, organization_id, website, plan, status, funded: status !== 'draft' || id === fundedDraft },
    next,
  );
};

export const campaigns = (next: Timeline): Campaign[] => [
  ...acmePlans.map((plan, index) => demoCampaign(index + 1, 5, 'https://acme.example', plan, next)),
  ...globexPlans.map((plan, index) => demoCampaign(index + 46, 6, 'https://globex.example', plan, next)),
];
