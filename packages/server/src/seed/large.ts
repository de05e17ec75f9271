import type { Dump } from '../store/store.js';
import type { IdFormat, Row } from '../store/tables.js';
import { demoSeed, membershipRow, organizationRow, serialsAfter } from './demo.js';
import { demoId, withOpaqueIds } from './opaque.js';
import { timeline } from './timeline.js';

const firstNames = ['Aisha', 'Bruno', 'Chloé', 'Deniz', 'Elif', 'Farid', 'Grace', 'Hana', 'Ivo', 'Jun'];
const lastNames = ['Abe', 'Berg', 'Costa', 'Diallo', 'Eriksen', 'Fischer', 'Gupta', 'Hughes', 'Ivanova'];
const brandWords = ['Amber', 'Birch', 'Cobalt', 'Delta', 'Ember', 'Fjord', 'Granite', 'Harbor', 'Indigo', 'Jade'];
const brandKinds = ['Apparel', 'Bikes', 'Coffee', 'Foods', 'Games', 'Goods', 'Optics', 'Shoes', 'Travel'];

const userCount = 500;
const brandCount = 100;
const accountCount = 60;
const firstBrand = 11;

export const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

/** The name of the n-th generated user, from 1. */
export const personName = (n: number): string => `${pick(firstNames, n - 1)} ${pick(lastNames, n - 1)}`;

export interface LargeSeedOptions {
  /** Campaigns of organization 11, which has a fifth as many collabs. @default 10000 */
  readonly campaigns?: number;
  /** @default 'integer' */
  readonly ids?: IdFormat;
}

/**
 * The demo data with its users and tokens, plus 100 brands owned by Ada (11 to 110). The first of them has hundreds of
 * members, and thousands of campaigns and collabs that repeat those of the demo. The rows are the same every time.
 */
export function largeSeed({ campaigns: campaignCount = 10_000, ids = 'integer' }: LargeSeedOptions = {}): Dump {
  const { tables } = demoSeed();
  const next = timeline('2026-01-02T00:00:00Z', 1000);

  const brandIds = times(brandCount, (index) => firstBrand + index);
  const brands = brandIds.map((id, index) =>
    organizationRow(
      {
        id,
        name: `${pick(brandWords, index)} ${pick(brandKinds, index)} ${index + 1}`,
        privacy_setting: index % 4 === 3 ? 'restricted' : 'public',
        website: `https://brand-${index + 1}.example`,
        has_active_subscription: index % 10 === 9,
      },
      next(),
    ),
  );
  const members = [
    ...brandIds.map((id) => [id, 'ada', 'owner'] as const),
    [firstBrand, 'ben', 'admin'] as const,
    [firstBrand, 'cleo', 'member'] as const,
    ...times(userCount, (index) => [firstBrand, `p${index + 1}`, index % 10 === 0 ? 'admin' : 'member'] as const),
  ];
  /** Copies of the demo's rows, in the first brand. */
  const copies = <Copied extends Row<'campaigns'> | Row<'collabs'>>(rows: readonly Copied[], count: number) =>
    times(count, (index): Copied => {
      const row = pick(rows, index);
      return {
        ...row,
        id: rows.length + index + 1,
        organization_id: firstBrand,
        name: `${row.name}, ${index + 1}`,
        website: `https://brand-1.example/products/${index + 1}`,
        banner_image_key: null,
      };
    });
  const accounts = times(accountCount, (index): Row<'social_accounts'> => {
    const account = pick(
      tables.social_accounts.filter(({ status }) => status === 'pending'),
      index,
    );
    const uid = `acme-${index + 1}`;
    const urls = { account_url: `https://www.tiktok.com/@${uid}`, normalized_url: `tiktok.com/@${uid}` };
    return { ...account, ...urls, id: tables.social_accounts.length + index + 1, platform_id: 'tiktok', uid };
  });

  const rows: Dump['tables'] = {
    ...tables,
    users: [
      ...tables.users,
      ...times(userCount, (index) => ({
        id: `usr_p${index + 1}`,
        name: personName(index + 1),
        email: `p${index + 1}@example.com`,
      })),
    ],
    organizations: [...tables.organizations, ...brands],
    memberships: [
      ...tables.memberships,
      ...members.map(([id, user, role], index) =>
        membershipRow(tables.memberships.length + index + 1, id, user, role, next()),
      ),
    ],
    campaigns: [...tables.campaigns, ...copies(tables.campaigns, campaignCount)],
    collabs: [...tables.collabs, ...copies(tables.collabs, Math.floor(campaignCount / 5))],
    social_accounts: [...tables.social_accounts, ...accounts],
  };
  const dump = { tables: rows, serials: serialsAfter(rows) };
  return ids === 'opaque' ? withOpaqueIds(dump, demoId) : dump;
}
