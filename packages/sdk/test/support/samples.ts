import * as contract from '@mkt/sdk/contract';

/** Every field of a schema without a value: null where it may be, else an empty list, text or number. */
const empty = ({ shape }: { readonly shape: Readonly<Record<string, contract.Schema>> }): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      [null, [], '', 0].find((value) => schema.safeParse(value).success),
    ]),
  );

/** Representations as the contract promises them. */
export const sampleCampaign = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...empty(contract.campaign),
  id: 1,
  name: 'Summer UGC Campaign',
  status: 'draft',
  currency: 'usd',
  countries: ['US', 'CA'],
  website: 'https://acme.example',
  content_type: 'ugc',
  category: 'product',
  platform_ids: ['youtube', 'tiktok'],
  tiktok_music_id: null,
  cpm_amount: 500,
  min_payout_amount: 1000,
  max_payout_amount: 10000,
  base_reward_amount: 0,
  total_budget_amount: 0,
  used_amount: 0,
  unused_amount: 0,
  view_count: 0,
  submissions_count: 0,
  published_at: null,
  paused_at: null,
  created_at: '2026-01-05T09:00:00Z',
  updated_at: '2026-01-05T09:00:00Z',
  url: 'http://localhost/organizations/5/campaigns/1.json',
  banner_image_url: null,
  brief: '<p>Show it.</p>',
  ...changes,
});

export const sampleOrganization = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 5,
  name: 'Acme Cosmetics',
  privacy_setting: 'public',
  website: 'https://acme.example',
  created_at: '2026-01-05T09:00:00Z',
  updated_at: '2026-01-05T09:00:00Z',
  url: 'http://localhost/organizations/5.json',
  ...changes,
});
