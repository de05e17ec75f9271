import { sha256 } from '../digest.js';
import { namedAccount } from '../rules/account-url.js';
import { fromBase64 } from '../store/json-rows.js';
import { withDefaults } from '../store/new-row.js';
import { type Dump, dumpTables } from '../store/store.js';
import { type AnyRow, byTable, type IdFormat, type Row, serialTables } from '../store/tables.js';
import demo from './demo.json' with { type: 'json' };
import { demoId, withOpaqueIds } from './opaque.js';
import { type Timeline, timeline } from './timeline.js';

/** What distinguishes the campaigns of the demo data, in the order of their ids. */
type CampaignOutline = readonly [
  organization: number,
  name: string,
  status: string,
  category: string,
  contentType: string,
  platforms: readonly string[],
  countries: readonly string[],
];
const campaigns: readonly CampaignOutline[] = [
  [5, 'Summer UGC Campaign', 'draft', 'product', 'ugc', ['youtube', 'tiktok'], ['US']],
  [5, 'Hydra Serum waiting list', 'draft', 'product', 'ugc', ['tiktok'], ['US', 'CA']],
  [5, '<b>Bold</b> launch', 'active', 'beauty', 'ugc', ['youtube', 'tiktok'], ['US']],
  [5, 'Lip tint shade finder', 'paused', 'beauty', 'ugc', ['tiktok', 'instagram'], ['GB', 'IE']],
  [5, 'Winter rescue balm', 'finished', 'skincare', 'review', ['youtube'], ['US', 'CA']],
  [
    5,
    'Back to school: thirty second morning routines with our refillable vitamin C day cream, filmed by students and teachers!',
    'active',
    'skincare',
    'ugc',
    ['youtube', 'tiktok', 'instagram'],
    ['US', 'CA', 'GB', 'AU', 'NZ', 'IE'],
  ],
  [5, '夏のコスメ祭り 🌸', 'active', 'beauty', 'ugc', ['tiktok'], ['JP']],
  [5, 'Sunscreen for runners', 'active', 'skincare', 'ugc', ['youtube', 'tiktok'], ['US', 'AU']],
  [5, 'Refill station stories', 'active', 'sustainability', 'story', ['instagram'], ['DE', 'AT', 'CH']],
  [5, 'Retinol, explained by nurses', 'draft', 'skincare', 'review', ['youtube'], ['US']],
  [5, 'Five minute office makeup', 'active', 'beauty', 'tutorial', ['youtube', 'tiktok'], ['US', 'CA']],
  [5, 'Crème de nuit: avant et après', 'active', 'skincare', 'ugc', ['instagram'], ['FR', 'BE']],
  [5, 'Curl week', 'active', 'haircare', 'tutorial', ['tiktok', 'instagram'], ['US', 'BR']],
  [5, 'Festival glitter, biodegradable', 'paused', 'beauty', 'ugc', ['tiktok'], ['GB']],
  [5, "Mother's Day gift sets", 'finished', 'gifts', 'unboxing', ['youtube', 'instagram'], ['US', 'CA']],
  [5, 'Barbershop beard oil', 'active', 'grooming', 'ugc', ['youtube', 'tiktok'], ['US']],
  [5, 'Travel minis in hand luggage', 'active', 'product', 'unboxing', ['tiktok'], ['US', 'GB', 'DE']],
  [5, 'Sensitive skin diary', 'active', 'skincare', 'story', ['instagram'], ['SE', 'NO', 'DK']],
  [5, 'Brow gel stress test', 'active', 'beauty', 'review', ['tiktok'], ['US']],
  [5, 'Holiday advent calendar', 'draft', 'gifts', 'unboxing', ['youtube', 'tiktok'], ['US', 'CA', 'GB']],
  [5, 'Micellar water & nothing else', 'active', 'skincare', 'ugc', ['tiktok', 'instagram'], ['ES', 'PT']],
  [5, 'Nail art Mondays', 'active', 'beauty', 'tutorial', ['tiktok'], ['US', 'MX']],
  [5, 'Clay mask roommates', 'active', 'skincare', 'ugc', ['youtube', 'tiktok'], ['US']],
  [5, 'Scalp care for swimmers', 'paused', 'haircare', 'review', ['youtube'], ['AU', 'NZ']],
  [5, 'Spring clean your vanity', 'finished', 'product', 'ugc', ['instagram'], ['US', 'CA']],
  [5, 'Foundation in forty shades', 'active', 'beauty', 'tutorial', ['youtube'], ['US', 'NG', 'ZA']],
  [5, 'Hand cream in the workshop', 'active', 'product', 'story', ['tiktok'], ['US']],
  [5, 'Dry shampoo, day three', 'active', 'haircare', 'ugc', ['tiktok'], ['GB', 'IE']],
  [5, 'Eyeliner with one hand', 'active', 'beauty', 'tutorial', ['tiktok', 'instagram'], ['US']],
  [5, 'Perfume layering', 'draft', 'fragrance', 'review', ['youtube', 'instagram'], ['FR', 'IT']],
  [5, 'Lash serum, week by week', 'active', 'beauty', 'story', ['instagram'], ['US', 'CA']],
  [5, 'Overnight mask in a van', 'active', 'skincare', 'ugc', ['youtube'], ['US']],
  [5, 'Solid shampoo on the trail', 'active', 'sustainability', 'ugc', ['tiktok'], ['CA']],
  [5, 'Blush placement by face shape', 'active', 'beauty', 'tutorial', ['tiktok'], ['US', 'IN']],
  [5, 'Graduation day glow', 'finished', 'product', 'ugc', ['tiktok', 'instagram'], ['US']],
  [5, 'Men who moisturise', 'active', 'grooming', 'story', ['youtube'], ['GB', 'DE']],
  [5, 'Body butter, honest reviews', 'active', 'skincare', 'review', ['youtube', 'tiktok'], ['US']],
  [5, 'Setting spray in the rain', 'active', 'beauty', 'ugc', ['tiktok'], ['GB']],
  [5, 'Teen skin without filters', 'active', 'skincare', 'story', ['tiktok', 'instagram'], ['US', 'CA']],
  [5, 'Autumn palette preview', 'draft', 'beauty', 'unboxing', ['youtube'], ['US']],
  [5, 'Deodorant swap challenge', 'active', 'sustainability', 'ugc', ['tiktok'], ['NL', 'BE', 'DE']],
  [5, 'Bridal makeup trial', 'active', 'beauty', 'tutorial', ['instagram'], ['US', 'IN']],
  [5, 'Night shift skincare', 'active', 'skincare', 'ugc', ['youtube', 'tiktok'], ['US', 'PH']],
  [5, 'Lip oil taste test', 'active', 'product', 'review', ['tiktok'], ['US', 'KR']],
  [5, 'Year in review: top ten products', 'active', 'product', 'review', ['youtube'], ['US', 'CA', 'GB']],
  [6, 'Crunch heard round the office', 'active', 'food', 'ugc', ['tiktok', 'instagram'], ['US']],
  [6, 'Chili chips dare', 'draft', 'food', 'ugc', ['youtube', 'tiktok'], ['US', 'MX']],
];

/** The same of its collabs. */
type CollabOutline = readonly [
  organization: number,
  name: string,
  state: string,
  product: string,
  countries: readonly string[],
];
const collabs: readonly CollabOutline[] = [
  [5, 'Try our new night cream', 'draft', 'night-cream', ['US', 'CA']],
  [5, 'Lip tint launch team', 'submitted_for_review', 'lip-tint', ['US', 'CA']],
  [5, 'Hydra Serum: thirty days', 'published', 'hydra-serum', ['US', 'CA']],
  [5, 'Curl cream on four hair types', 'paused', 'curl-cream', ['US']],
  [5, 'Advent calendar first look', 'draft', 'advent-calendar', ['US', 'GB']],
  [5, 'Sunscreen at altitude', 'published', 'sunscreen-50', ['US', 'AT', 'CH']],
  [5, 'Refill pouch unboxing', 'published', 'refill-pouch', ['DE', 'AT']],
  [5, 'Brow kit tutorial', 'published', 'brow-kit', ['US', 'CA']],
  [5, 'Beard oil barber visits', 'paused', 'beard-oil', ['US']],
  [5, 'Vitamin C routine swap', 'published', 'day-cream', ['US', 'CA']],
  [5, 'Mascara gym session', 'published', 'mascara', ['GB', 'IE']],
  [5, 'Clay mask movie night', 'published', 'clay-mask', ['US']],
  [5, 'Duo: mère et fille', 'published', 'cleansing-milk', ['FR', 'BE']],
  [5, 'Travel minis, one weekend', 'paused', 'travel-minis', ['US', 'CA']],
  [5, 'Nail polish colour chart', 'published', 'nail-polish', ['US', 'MX']],
  [5, 'Body butter in winter', 'published', 'body-butter', ['SE', 'NO']],
  [5, 'Perfume, described blind', 'published', 'eau-de-parfum', ['US']],
  [5, 'Foundation match at home', 'published', 'foundation', ['US', 'NG']],
  [5, 'Lash serum long term test', 'draft', 'lash-serum', ['US', 'CA']],
  [5, 'Setting spray on stage', 'submitted_for_review', 'setting-spray', ['US']],
  [5, 'Solid shampoo, plastic free', 'published', 'solid-shampoo', ['CA']],
  [5, 'Hand cream for makers', 'published', 'hand-cream', ['US', 'CA']],
  [5, 'Lip oil with friends', 'published', 'lip-oil', ['US', 'KR']],
  [6, 'Snack box road trip', 'published', 'snack-box', ['US']],
];

/** Secrets of the demo users that work. They are public: a server never offers the demo data to other machines. */
export const demoTokens = {
  ada_write: 'mkt_demo_ada_write',
  ada_read: 'mkt_demo_ada_read',
  ben_write: 'mkt_demo_ben_write',
  cleo_write: 'mkt_demo_cleo_write',
  dan_write: 'mkt_demo_dan_write',
  eve_write: 'mkt_demo_eve_write',
} as const satisfies Readonly<Record<string, string>>;

/** Id or e-mail address of a user of the demo data. */
export type DemoUser =
  | `usr_${'ada' | 'ben' | 'cleo' | 'dan' | 'eve'}`
  | `${'ada' | 'ben' | 'cleo'}@acme.example`
  | 'dan@globex.example'
  | 'eve@example.com';

/** A revoked token of Ada's: requests with it get 401. */
export const revokedDemoToken = 'mkt_demo_ada_revoked';

const accessTokens = [
  { user_id: 'usr_ada', secret: demoTokens.ada_write, description: "Ada's laptop" },
  { user_id: 'usr_ada', secret: demoTokens.ada_read, description: "Ada's dashboard (read only)", permission: 'read' },
  { user_id: 'usr_ben', secret: demoTokens.ben_write, description: "Ben's laptop" },
  { user_id: 'usr_cleo', secret: demoTokens.cleo_write, description: "Cleo's laptop" },
  { user_id: 'usr_dan', secret: demoTokens.dan_write, description: "Dan's laptop" },
  { user_id: 'usr_eve', secret: demoTokens.eve_write, description: "Eve's laptop" },
  { user_id: 'usr_ada', secret: revokedDemoToken, description: "Ada's old phone", isRevoked: true },
];

/**
 * The demo data: five users, six brands in every state that a rule depends on, 47 campaigns, 24 collabs. It depends on
 * neither the clock nor chance and so has the same rows every time: documentation, examples and tests rely on them.
 * `demo.json` and `demo-items.ts` have what distinguishes them; the other fields are computed from their numbers.
 */
export function demoSeed(ids: IdFormat = 'integer'): Dump {
  const data = structuredClone(demo);
  const next = timeline();
  const tables: Dump['tables'] = {
    // A table that is not among the others is empty.
    ...dumpTables(() => []),
    users: data.users,
    organizations: data.organizations.map((organization) => organizationRow(organization, next())),
    memberships: data.memberships.map(({ organization_id, user, role }, index) =>
      membershipRow(index + 1, organization_id, user, role, next()),
    ),
    access_tokens: accessTokens.map(({ secret, isRevoked = false, permission = 'write', ...token }, index) => ({
      id: index + 1,
      ...token,
      permission,
      digest: sha256(secret),
      created_at: next(),
      revoked_at: isRevoked ? next() : null,
    })),
    campaigns: campaigns.map((campaign, index) => campaignRow(index + 1, campaign, next)),
    collabs: collabs.map((collab, index) => collabRow(index + 1, collab, next)),
    social_accounts: data.social_accounts.map((account, index) => {
      const created_at = next();
      const last_synced_at = account.status === 'verified' ? next() : null;
      const updated_at = last_synced_at ?? created_at;
      const { normalized: normalized_url, uid } = namedAccount(account.account_url);
      const own = { id: index + 1, ...account, normalized_url, uid };
      return withDefaults('social_accounts', { ...own, last_synced_at, created_at, updated_at });
    }),
    addresses: data.addresses.map((address) => withDefaults('addresses', { ...address, ...createdAt(next()) })),
    images: data.images.map(({ base64, ...image }) => ({
      ...image,
      type: 'image/png',
      bytes: fromBase64(base64),
    })),
    ended_sessions: [],
  };
  const dump = { tables, serials: serialsAfter(tables) };
  return ids === 'opaque' ? withOpaqueIds(dump, demoId) : dump;
}

export const serialsAfter = (tables: Dump['tables']): Dump['serials'] =>
  byTable(serialTables, (table) =>
    tables[table].reduce<number>((next, row: AnyRow) => Math.max(next, Number(row.position ?? row.id) + 1), 1),
  );

const createdAt = (timestamp: string) => ({ created_at: timestamp, updated_at: timestamp });

type OrganizationOutline = Pick<Row<'organizations'>, 'id' | 'name' | 'privacy_setting' | 'website'> &
  Partial<Row<'organizations'>>;

export const organizationRow = (organization: OrganizationOutline, now: string): Row<'organizations'> =>
  withDefaults('organizations', {
    default_currency: 'usd',
    default_countries: ['US'],
    has_active_subscription: false,
    ...organization,
    ...createdAt(now),
  });

/** The owner's role is always `admin`. */
export const membershipRow = (position: number, organizationId: number, user: string, role: string, now: string) => ({
  id: `mem_${organizationId}_${user}`,
  position,
  organization_id: organizationId,
  user_id: `usr_${user}`,
  role: role === 'owner' ? 'admin' : role,
  is_owner: role === 'owner',
  ...createdAt(now),
});

const currencies: Readonly<Record<string, string>> = {
  US: 'usd',
  AU: 'aud',
  CA: 'cad',
  DE: 'eur',
  ES: 'eur',
  FR: 'eur',
  GB: 'gbp',
  JP: 'jpy',
  NL: 'eur',
  SE: 'sek',
};

function currencyOf([country = 'US']: readonly string[]): string {
  const currency = currencies[country];
  if (!currency) throw new Error(`The demo has no currency for ${country}.`);
  return currency;
}

const domainOf = (organizationId: number): string => (organizationId === 5 ? 'acme.example' : 'globex.example');

/** Campaign 2 is a draft with funding: it cannot be deleted. */
const fundedDraft = 2;

function campaignRow(id: number, outline: CampaignOutline, next: Timeline): Row<'campaigns'> {
  const [organization_id, name, status, category, content_type, platform_ids, countries] = structuredClone(outline);
  const website = `https://${domainOf(organization_id)}`;
  const cpm_amount = [500, 350, 800, 420, 1200][id % 5] ?? 500;
  const min_payout_amount = 500 + (id % 4) * 250;
  const isDraft = status === 'draft';
  const total = !isDraft || id === fundedDraft ? 100_000 + ((id * 37) % 20) * 25_000 : 0;
  const used = Math.round(total * (isDraft ? 0 : status === 'finished' ? 1 : 0.1 + ((id * 29) % 75) / 100));
  const created_at = next();
  const published_at = isDraft ? null : next();
  const paused_at = status === 'paused' ? next() : null;
  return withDefaults('campaigns', {
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
    total_budget_amount: total,
    used_amount: used,
    unused_amount: total - used,
    // `cpm_amount` pays for a thousand views.
    view_count: Math.floor((used * 1000) / cpm_amount),
    submissions_count: used === 0 ? 0 : 3 + ((id * 7) % 40),
    published_at,
    paused_at,
    brief:
      `<p>We look for <strong>${content_type}</strong> about ${category}, made for ${platform_ids.join(' and ')}.</p>` +
      '<ul><li>Keep it under a minute.</li><li>Say what you like, and what you do not.</li>' +
      '<li>Tag the brand in the caption.</li></ul>',
    created_at,
    updated_at: isDraft ? created_at : next(),
  });
}

/** Collabs 3 and 5 have approved submissions and cannot be deleted; 5 is a draft. */
const special: Readonly<Record<number, Partial<Row<'collabs'>>>> = {
  3: {
    submissions_count: 14,
    approved_submissions_count: 6,
    completed_count: 4,
    banner_image_key: 'N7uYc3MzPa8oDe5SrHj1Xw',
  },
  5: { submissions_count: 2, approved_submissions_count: 1 },
};

function collabRow(id: number, outline: CollabOutline, next: Timeline): Row<'collabs'> {
  const [organization_id, name, state, product, countries] = structuredClone(outline);
  const needsShipment = id % 3 === 0;
  const isPublished = state === 'published' || state === 'paused';
  const created_at = next();
  return withDefaults('collabs', {
    id,
    organization_id,
    name,
    state,
    currency: currencyOf(countries),
    countries,
    website: `https://${domainOf(organization_id)}/products/${product}`,
    require_spark_ads: id % 4 === 0,
    requires_product_shipment: needsShipment,
    submissions_count: isPublished ? (id * 5) % 18 : 0,
    published_at: isPublished ? next() : null,
    brief:
      `<p>Show how <em>${product.replaceAll('-', ' ')}</em> fits into your day.</p>` +
      `<p>${needsShipment ? 'We send you the product.' : 'Use the one you own.'} One video, up to a minute.</p>`,
    created_at,
    updated_at: state === 'draft' ? created_at : next(),
    ...special[id],
  });
}
