import type { Dump } from '../store/store.js';
import type { Row } from '../store/tables.js';
import { campaignRow } from './demo/campaigns.js';
import { collabRow } from './demo/collabs.js';
import { acmePlans } from './demo/plans.js';
import { type Timeline, timeline } from './demo/timeline.js';
import { demoSeed } from './demo.js';

/** Numbers from 0 up to 1 that are the same in every run (mulberry32): the seed is large, not random. */
const generator = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
type Generator = ReturnType<typeof generator>;

const pick = <Item>(random: Generator, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0];

const firstNames = ['Aisha', 'Bruno', 'Chloé', 'Deniz', 'Elif', 'Farid', 'Grace', 'Hana', 'Ivo', 'Jun'] as const;
const lastNames = ['Abe', 'Berg', 'Costa', 'Diallo', 'Eriksen', 'Fischer', 'Gupta', 'Hughes', 'Ivanova'] as const;
const brandWords = ['Amber', 'Birch', 'Cobalt', 'Delta', 'Ember', 'Fjord', 'Granite', 'Harbor', 'Indigo'] as const;
const brandKinds = ['Apparel', 'Bikes', 'Coffee', 'Foods', 'Games', 'Goods', 'Optics', 'Shoes', 'Travel'] as const;
const editions = ['spring', 'summer', 'autumn', 'winter', 'refill', 'mini', 'family', 'travel'] as const;

const statuses = ['active', 'active', 'active', 'active', 'paused', 'finished', 'draft'] as const;
const states = ['published', 'published', 'published', 'paused', 'submitted_for_review', 'draft'] as const;

const peopleCount = 500;
const brandCount = 100;
const accountCount = 60;
const firstBrand = 11;

const people = (random: Generator): Row<'users'>[] =>
  Array.from({ length: peopleCount }, (_, index) => ({
    id: `usr_p${index + 1}`,
    name: `${pick(random, firstNames)} ${pick(random, lastNames)}`,
    email: `p${index + 1}@example.com`,
  }));

const brands = (random: Generator, next: Timeline): Row<'organizations'>[] =>
  Array.from({ length: brandCount }, (_, index) => {
    const created_at = next();
    return {
      id: firstBrand + index,
      name: `${pick(random, brandWords)} ${pick(random, brandKinds)} ${index + 1}`,
      privacy_setting: index % 4 === 3 ? 'restricted' : 'public',
      website: `https://brand-${index + 1}.example`,
      logo_key: null,
      default_currency: 'usd',
      default_countries: ['US'],
      brief_template: null,
      has_active_subscription: index % 10 === 9,
      created_at,
      updated_at: created_at,
    };
  });

/** Ada owns every brand; the first has Ben as an admin, Cleo as a member, and everybody generated. */
const memberships = (
  brandRows: readonly Row<'organizations'>[],
  peopleRows: readonly Row<'users'>[],
  start: number,
  next: Timeline,
): Row<'memberships'>[] => {
  const joined = [
    ...brandRows.map(({ id }) => ({ organization_id: id, user_id: 'usr_ada', role: 'admin', is_owner: true })),
    { organization_id: firstBrand, user_id: 'usr_ben', role: 'admin', is_owner: false },
    { organization_id: firstBrand, user_id: 'usr_cleo', role: 'member', is_owner: false },
    ...peopleRows.map(({ id }, index) => ({
      organization_id: firstBrand,
      user_id: id,
      role: index % 10 === 0 ? 'admin' : 'member',
      is_owner: false,
    })),
  ];
  return joined.map((row, index) => {
    const created_at = next();
    return {
      id: `mem_${row.organization_id}_${row.user_id.slice('usr_'.length)}`,
      position: start + index,
      ...row,
      created_at,
      updated_at: created_at,
    };
  });
};

const accounts = (start: number, next: Timeline): Row<'social_accounts'>[] =>
  Array.from({ length: accountCount }, (_, index) => {
    const uid = `acme-${index + 1}`;
    const created_at = next();
    return {
      id: start + index,
      user_id: 'usr_ada',
      platform_id: 'tiktok',
      account_url: `https://www.tiktok.com/@${uid}`,
      normalized_url: `tiktok.com/@${uid}`,
      uid,
      status: 'pending',
      subscriber_count: null,
      view_count: null,
      video_count: null,
      likes_count: null,
      engagement_rate: null,
      last_synced_at: null,
      created_at,
      updated_at: created_at,
    };
  });

export interface LargeSeedOptions {
  /** Campaigns of organization 11; it has a fifth as many collabs. By default 10,000. */
  readonly campaigns?: number;
}

/**
 * The demo data, with its people and tokens, and far more beside it: 100 brands of Ada's (11 to 110), of which the
 * first has hundreds of members and thousands of campaigns and collabs. The same rows at every call.
 */
export function largeSeed({ campaigns: campaignCount = 10_000 }: LargeSeedOptions = {}): Dump {
  const { tables, serials } = demoSeed();
  const random = generator(20_260_105);
  const next = timeline('2026-02-01T00:00:00Z', 1000);
  const first = (table: keyof typeof serials): number => serials[table] ?? 1;
  const plans = acmePlans as readonly [(typeof acmePlans)[number], ...typeof acmePlans];

  const peopleRows = people(random);
  const brandRows = brands(random, next);
  const memberRows = memberships(brandRows, peopleRows, first('memberships'), next);
  const campaignRows = Array.from({ length: campaignCount }, (_, index) => {
    const [name, ...rest] = pick(random, plans);
    const status = pick(random, statuses);
    return campaignRow(
      {
        id: first('campaigns') + index,
        organization_id: firstBrand,
        website: 'https://brand-1.example',
        plan: [`${name}, ${pick(random, editions)} ${index + 1}`, ...rest],
        status,
        funded: status !== 'draft',
      },
      next,
    );
  });
  const collabRows = Array.from({ length: Math.floor(campaignCount / 5) }, (_, index) => {
    const [name, category, , , countries] = pick(random, plans);
    return collabRow(
      {
        id: first('collabs') + index,
        organization_id: firstBrand,
        domain: 'brand-1.example',
        plan: [`${name}, ${pick(random, editions)} ${index + 1}`, category, countries],
        state: pick(random, states),
      },
      next,
    );
  });

  return {
    tables: {
      ...tables,
      users: [...tables.users, ...peopleRows],
      organizations: [...tables.organizations, ...brandRows],
      memberships: [...tables.memberships, ...memberRows],
      campaigns: [...tables.campaigns, ...campaignRows],
      collabs: [...tables.collabs, ...collabRows],
      social_accounts: [...tables.social_accounts, ...accounts(first('social_accounts'), next)],
    },
    serials: {
      ...serials,
      organizations: firstBrand + brandCount,
      memberships: first('memberships') + memberRows.length,
      campaigns: first('campaigns') + campaignRows.length,
      collabs: first('collabs') + collabRows.length,
      social_accounts: first('social_accounts') + accountCount,
    },
  };
}
