import { withDefaults } from '../../src/store/new-row.js';
import { baseTypeOf } from '../../src/store/table-definition.js';
import { definitionOf, type NewRow, type Row, type TableName } from '../../src/store/tables.js';

const times = { created_at: '2026-05-01T10:00:00Z', updated_at: '2026-05-01T10:00:00Z' };

export const userRow = (id: string, changes: Partial<NewRow<'users'>> = {}): NewRow<'users'> => ({
  id,
  name: `Name of ${id}`,
  email: `${id}@example.com`,
  ...changes,
});

export const tokenRow = (digest: string, changes: Partial<NewRow<'access_tokens'>> = {}): NewRow<'access_tokens'> => ({
  user_id: 'ada',
  digest,
  description: 'A token',
  permission: 'write',
  created_at: times.created_at,
  revoked_at: null,
  ...changes,
});

export const organizationRow = (changes: Partial<Row<'organizations'>> = {}) => ({
  ...withDefaults('organizations', {
    name: 'Acme',
    privacy_setting: 'public',
    default_currency: 'usd',
    default_countries: ['US', 'CA'],
    brief_template: '<p>Template</p>',
    has_active_subscription: false,
    ...times,
  }),
  ...changes,
});

export const membershipRow = (id: string, changes: Partial<NewRow<'memberships'>> = {}): NewRow<'memberships'> => ({
  id,
  organization_id: 1,
  user_id: 'ada',
  role: 'member',
  is_owner: false,
  ...times,
  ...changes,
});

export const campaignRow = (changes: Partial<Row<'campaigns'>> = {}) => ({
  ...withDefaults('campaigns', {
    organization_id: 1,
    name: 'Summer',
    status: 'draft',
    currency: 'usd',
    countries: ['US'],
    content_type: 'ugc',
    category: 'product',
    platform_ids: ['youtube', 'tiktok'],
    cpm_amount: 500,
    min_payout_amount: 1000,
    max_payout_amount: 10_000,
    base_reward_amount: 0,
    total_budget_amount: 0,
    used_amount: 0,
    unused_amount: 0,
    view_count: 0,
    submissions_count: 0,
    brief: '<p>Brief</p>',
    ...times,
  }),
  ...changes,
});

export const collabRow = (changes: Partial<NewRow<'collabs'>> = {}): NewRow<'collabs'> => ({
  organization_id: 1,
  name: 'Try our soap',
  state: 'draft',
  currency: 'usd',
  countries: [],
  website: null,
  require_spark_ads: true,
  requires_product_shipment: false,
  submissions_count: 0,
  approved_submissions_count: 0,
  completed_count: 0,
  published_at: null,
  banner_image_key: null,
  brief: null,
  ...times,
  ...changes,
});

export const accountRow = (
  url: string,
  changes: Partial<NewRow<'social_accounts'>> = {},
): NewRow<'social_accounts'> => ({
  user_id: 'ada',
  platform_id: 'tiktok',
  account_url: url,
  normalized_url: url,
  uid: 'acme',
  status: 'pending',
  subscriber_count: null,
  view_count: null,
  video_count: null,
  likes_count: null,
  engagement_rate: null,
  last_synced_at: null,
  ...times,
  ...changes,
});

export const addressRow = (changes: Partial<NewRow<'addresses'>> = {}): NewRow<'addresses'> => ({
  user_id: 'ada',
  address_one: '1 Main Street',
  address_two: null,
  city: 'Cupertino',
  state: 'CA',
  postal_code: '95014',
  country_code: 'US',
  latitude: null,
  longitude: null,
  google_place_id: null,
  ...times,
  ...changes,
});

export const imageRow = (id: string, changes: Partial<NewRow<'images'>> = {}): NewRow<'images'> => ({
  id,
  organization_id: 1,
  type: 'image/png',
  bytes: new Uint8Array([0, 1, 127, 128, 255]),
  ...changes,
});

/** A row of any table, which refers to `others`. */
export function sampleRow(table: TableName, others: Readonly<Record<string, { readonly id: string | number }>>) {
  const { columns, references = {}, serial } = definitionOf(table);
  const samples = {
    text: 'text',
    integer: 1,
    timestamp: times.created_at,
    boolean: true,
    strings: ['one', 'two'],
    bytes: new Uint8Array([1]),
  };
  const values = Object.entries(columns).map(([column, type]) => {
    const parent = references[column];
    return [column, parent === undefined ? samples[baseTypeOf(type)] : others[parent]?.id] as const;
  });
  return Object.fromEntries(values.filter(([column]) => column !== serial));
}
