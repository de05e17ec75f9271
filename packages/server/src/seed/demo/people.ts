import { sha256 } from '../../digest.js';
import type { Row } from '../../store/tables.js';
import type { Timeline } from './timeline.js';

/** Secrets of the demo people that work. They are public knowledge: demo data never goes beyond this machine. */
export const demoTokens = {
  ada_write: 'mkt_demo_ada_write',
  ada_read: 'mkt_demo_ada_read',
  ben_write: 'mkt_demo_ben_write',
  cleo_write: 'mkt_demo_cleo_write',
  dan_write: 'mkt_demo_dan_write',
  eve_write: 'mkt_demo_eve_write',
} as const satisfies Readonly<Record<string, string>>;

/** A secret of Ada's that is revoked: it answers 401 (api.md, Authentication rule 6). */
export const revokedDemoToken = 'mkt_demo_ada_revoked';

export const users: readonly Row<'users'>[] = [
  { id: 'usr_ada', name: 'Ada Okafor', email: 'ada@acme.example' },
  { id: 'usr_ben', name: 'Ben Ito', email: 'ben@acme.example' },
  { id: 'usr_cleo', name: 'Cleo Martin', email: 'cleo@acme.example' },
  { id: 'usr_dan', name: 'Dan Reyes', email: 'dan@globex.example' },
  { id: 'usr_eve', name: 'Eve Novak', email: 'eve@example.com' },
];

const tokens = [
  ['usr_ada', demoTokens.ada_write, "Ada's laptop", 'write'],
  ['usr_ada', demoTokens.ada_read, "Ada's dashboard (read only)", 'read'],
  ['usr_ben', demoTokens.ben_write, "Ben's laptop", 'write'],
  ['usr_cleo', demoTokens.cleo_write, "Cleo's laptop", 'write'],
  ['usr_dan', demoTokens.dan_write, "Dan's laptop", 'write'],
  ['usr_eve', demoTokens.eve_write, "Eve's laptop", 'write'],
  ['usr_ada', revokedDemoToken, "Ada's old phone", 'write'],
] as const;

export const accessTokens = (next: Timeline): Row<'access_tokens'>[] =>
  tokens.map(([user_id, secret, description, permission], index) => ({
    id: index + 1,
    user_id,
    digest: sha256(secret),
    description,
    permission,
    created_at: next(),
    revoked_at: secret === revokedDemoToken ? next() : null,
  }));

const unsynced = {
  subscriber_count: null,
  view_count: null,
  video_count: null,
  likes_count: null,
  engagement_rate: null,
};

const accounts = [
  {
    user_id: 'usr_ada',
    platform_id: 'tiktok',
    account_url: 'https://www.tiktok.com/@acme',
    normalized_url: 'tiktok.com/@acme',
    uid: 'acme',
    status: 'verified',
    subscriber_count: 128_400,
    view_count: 9_412_077,
    video_count: 312,
    likes_count: 1_204_518,
    engagement_rate: '4.82',
  },
  {
    user_id: 'usr_ada',
    platform_id: 'youtube',
    account_url: 'https://www.youtube.com/@acmecosmetics',
    normalized_url: 'youtube.com/@acmecosmetics',
    uid: 'acmecosmetics',
    status: 'pending',
    ...unsynced,
  },
  {
    user_id: 'usr_ada',
    platform_id: 'twitter',
    account_url: 'https://twitter.com/acmecosmetics',
    normalized_url: 'twitter.com/acmecosmetics',
    uid: 'acmecosmetics',
    status: 'failed',
    ...unsynced,
  },
  {
    user_id: 'usr_dan',
    platform_id: 'instagram',
    account_url: 'https://www.instagram.com/globexsnacks',
    normalized_url: 'instagram.com/globexsnacks',
    uid: 'globexsnacks',
    status: 'verified',
    subscriber_count: 20_731,
    view_count: 655_090,
    video_count: 87,
    likes_count: 48_266,
    engagement_rate: '2.35',
  },
] as const;

export const socialAccounts = (next: Timeline): Row<'social_accounts'>[] =>
  accounts.map((account, index) => {
    const created_at = next();
    const last_synced_at = account.status === 'verified' ? next() : null;
    return { id: index + 1, ...account, last_synced_at, created_at, updated_at: last_synced_at ?? created_at };
  });

export const addresses = (next: Timeline): Row<'addresses'>[] => {
  const created_at = next();
  return [
    {
      id: 1,
      user_id: 'usr_ada',
      address_one: '10300 Torre Avenue',
      address_two: null,
      city: 'Cupertino',
      state: 'CA',
      postal_code: '95014',
      country_code: 'US',
      latitude: '37.3183',
      longitude: '-122.0287',
      google_place_id: 'demo-place-cupertino',
      created_at,
      updated_at: created_at,
    },
  ];
};
