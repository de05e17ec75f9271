import type { FaultRule } from '@mkt/mock-server/control';
import { endpoints } from '@mkt/sdk/contract';
import { demoTokens } from '@mkt/server';

/** One call of the API, or one verb of control, as it is made everywhere. */
export interface Step {
  /** What it shows; its name in the comparison. */
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly token?: string | null;
  readonly json?: unknown;
  /** A body as it is, with its content type. */
  readonly text?: readonly [type: string, body: string];
  /** Fields of a multipart form; bytes are a file. */
  readonly form?: Readonly<Record<string, string | readonly number[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the ETag of the last answer that had one as If-None-Match. */
  readonly conditional?: boolean;
  /** Added just before the call, and gone after it. */
  readonly fault?: Omit<FaultRule, 'match'>;
  /** Milliseconds after which the client gives up. */
  readonly patience?: number;
}

const png = [
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0, 1, 2, 3, 4,
];
const acme = '/organizations/5';
const { ada_read, ben_write, cleo_write, dan_write, eve_write } = demoTokens;
const post = (name: string, path: string, json: unknown, token?: string): Step => ({
  name,
  method: 'POST',
  path,
  json,
  ...(token === undefined ? {} : { token }),
});

/** Each path of the contract with each method, so that nothing is changed: without a token, and as a user without rights. */
const everyPath = [...new Set(endpoints.map(({ path }) => path))].flatMap((pattern): Step[] => {
  const path = pattern.replace(':organization_id', '5').replace(/:\w+/, '3');
  const reads = ['GET', 'HEAD', 'OPTIONS', 'PUT'];
  const changes = (sender: string, token: string | null) =>
    [...reads, 'POST', 'PATCH', 'DELETE'].map((method) => ({
      ...{ name: `${method} ${path} ${sender}`, method, path, token },
      ...(method === 'POST' || method === 'PATCH' ? { json: {} } : {}),
    }));
  return [
    ...reads.map((method) => ({ name: `${method} ${path}`, method, path })),
    ...changes('without a token', null),
    ...changes('as Eve', eve_write),
  ];
});

export const steps: readonly Step[] = [
  ...everyPath,

  // Authentication and format
  { name: 'no token', path: '/organizations.json', token: null },
  { name: 'unknown token', path: '/organizations.json', token: 'nonsense' },
  { name: 'revoked token', path: '/organizations.json', token: 'mkt_demo_ada_revoked' },
  { ...post('read token writes', '/organizations.json', { organization: { name: 'x' } }, ada_read) },
  { name: 'without .json the header decides', path: '/organizations' },
  { name: 'unknown path', path: '/organisations.json' },
  { name: 'unknown method', method: 'PUT', path: `${acme}.json`, json: {} },
  { name: 'alive', path: '/livez', token: null },
  { name: 'ready', path: '/readyz', token: null },
  { name: 'preflight', method: 'OPTIONS', path: `${acme}.json` },

  // Lists
  { name: 'first page', path: `${acme}/campaigns.json` },
  { name: 'last page', path: `${acme}/campaigns.json?page=3` },
  { name: 'past the end', path: `${acme}/campaigns.json?page=99999999999999999999` },
  { name: 'bad page', path: `${acme}/campaigns.json?page=01` },
  { name: 'a member sees no drafts', path: `${acme}/campaigns.json`, token: cleo_write },
  { name: 'members, admins first', path: `${acme}/members.json` },
  { name: 'empty list', path: '/organizations.json', token: eve_write },
  { name: 'HEAD of a list', method: 'HEAD', path: `${acme}/collabs.json` },

  // Shows and conditional requests
  { name: 'show', path: `${acme}/campaigns/1.json` },
  { name: 'show, not modified', path: `${acme}/campaigns/1.json`, conditional: true },
  { name: 'show, other tag', path: `${acme}/campaigns/1.json`, headers: { 'If-None-Match': 'W/"other"' } },
  { name: 'HEAD of a show', method: 'HEAD', path: `${acme}/campaigns/3.json` },
  { name: 'HEAD, rejected', method: 'HEAD', path: `${acme}/campaigns/9999.json` },
  { name: "a draft is not a member's", path: `${acme}/campaigns/1.json`, token: cleo_write },
  { name: "another user's organization", path: '/organizations/6.json' },
  { name: 'html and unicode in a name', path: `${acme}/campaigns.json?page=2` },

  // Campaigns
  post('create from defaults', `${acme}/campaigns.json`, { campaign: { name: 'Parität 🎉' } }),
  post('create, wrong fields', `${acme}/campaigns.json`, {
    campaign: { currency: 'USD', countries: ['us'], cpm_amount: -1, min_payout_amount: '5' },
  }),
  post('create without a wrapper', `${acme}/campaigns.json`, { name: 'x' }),
  { name: 'create, bad JSON', method: 'POST', path: `${acme}/campaigns.json`, text: ['application/json', '{'] },
  { name: 'create, other type', method: 'POST', path: `${acme}/campaigns.json`, text: ['text/plain', 'x'] },
  post('create as a member', `${acme}/campaigns.json`, { campaign: { name: 'x' } }, cleo_write),
  { name: 'update', method: 'PATCH', path: `${acme}/campaigns/1.json`, json: { campaign: { name: 'Changed' } } },
  {
    name: 'the brief is sanitized',
    method: 'PATCH',
    path: `${acme}/campaigns/1.json`,
    json: { campaign: { brief: '<p onclick="x()">Hi<script>y()</script> <a href="javascript:z()">z</a></p>' } },
  },
  {
    name: 'financial fields after publication',
    method: 'PATCH',
    path: `${acme}/campaigns/3.json`,
    json: { campaign: { cpm_amount: 1, name: 'Not applied' } },
  },
  { name: 'delete a published one', method: 'DELETE', path: `${acme}/campaigns/3.json` },
  { name: 'delete a funded draft', method: 'DELETE', path: `${acme}/campaigns/2.json` },
  { name: 'delete a draft', method: 'DELETE', path: `${acme}/campaigns/10.json` },
  { name: 'delete it again', method: 'DELETE', path: `${acme}/campaigns/10.json` },

  // Web actions
  post('publish', `${acme}/campaigns/1/publish`, {}),
  { name: 'published', path: `${acme}/campaigns/1.json` },
  post('publish what is not a draft', `${acme}/campaigns/1/publish`, {}),
  post('publish as a member', `${acme}/campaigns/20/publish`, {}, cleo_write),
  { name: 'pause without a body', method: 'POST', path: `${acme}/campaigns/1/pause.json` },
  { name: 'paused', path: `${acme}/campaigns/1.json` },
  post('submit a collab', `${acme}/collabs/1/submit`, {}),
  { name: 'submitted', path: `${acme}/collabs/1.json` },

  // Collabs
  { name: 'create without a body', method: 'POST', path: `${acme}/collabs.json` },
  post('create with a blank name', `${acme}/collabs.json`, { collab: { name: '  ' } }),
  { name: 'purge a banner', method: 'PATCH', path: `${acme}/collabs/3.json`, json: { purge_banner_image: '1' } },
  { name: 'delete with approved submissions', method: 'DELETE', path: `${acme}/collabs/5.json` },

  // Organizations and images
  post('a private one needs a logo', '/organizations.json', {
    organization: { name: 'Secret', privacy_setting: 'private' },
  }),
  {
    name: 'upload a logo',
    method: 'POST',
    path: '/organizations.json',
    form: { 'organization[name]': 'Mit Logo', 'organization[privacy_setting]': 'private', 'organization[logo]': png },
  },
  {
    name: 'upload a file that is not an image',
    method: 'PATCH',
    path: '/organizations/7.json',
    form: { 'organization[logo]': [60, 115, 118, 103, 62] },
  },
  { name: 'a logo needs no token', path: '/images/Zk3vQ8wTn1Rb5yXc7LdUoA', token: null },
  { name: 'no such image', path: '/images/nothing', token: null },
  { name: 'delete with a subscription', method: 'DELETE', path: '/organizations/6.json', token: dan_write },
  { name: 'delete as an admin', method: 'DELETE', path: `${acme}.json`, token: ben_write },

  // Memberships
  {
    name: 'the owner cannot be demoted',
    method: 'PATCH',
    path: `${acme}/members/mem_5_ada.json`,
    json: { membership: { role: 'member' } },
    token: ben_write,
  },
  {
    name: 'the last admin cannot leave',
    method: 'DELETE',
    path: '/organizations/8/members/mem_8_ben.json',
    token: ben_write,
  },
  {
    name: 'a sole member cannot leave',
    method: 'DELETE',
    path: '/organizations/10/members/mem_10_ben.json',
    token: ben_write,
  },
  {
    name: 'promote',
    method: 'PATCH',
    path: `${acme}/members/mem_5_cleo.json`,
    json: { membership: { role: 'admin' } },
  },
  { name: 'leave', method: 'DELETE', path: `${acme}/members/mem_5_cleo.json`, token: cleo_write },

  // The user's own
  { name: 'social accounts', path: '/me/social_accounts.json' },
  post('a taken account', '/me/social_accounts.json', {
    social_account: { platform_id: 'tiktok', account_url: 'http://tiktok.com/@acme/' },
  }),
  post('connect an account', '/me/social_accounts.json', {
    social_account: { platform_id: 'tiktok', account_url: 'https://www.tiktok.com/@parity' },
  }),
  { name: 'address', path: '/me/address.json' },
  { name: 'no address', path: '/me/address.json', token: ben_write },
  {
    name: 'set an address',
    method: 'PATCH',
    path: '/me/address.json',
    token: ben_write,
    json: {
      address: {
        address_one: '1',
        city: 'Bern',
        state: 'BE',
        postal_code: '3011',
        country_code: 'CH',
        latitude: 46.948,
      },
    },
  },
  { name: 'tokens, without secrets', path: '/me/access_tokens.json' },
  post('create a token', '/me/access_tokens.json', { access_token: { description: 'CI', permission: 'read' } }),
  { name: 'revoke', method: 'DELETE', path: '/me/access_tokens/8.json' },
  { ...post('too large', `${acme}/campaigns.json`, { campaign: { name: 'x'.repeat(1_100_000) } }) },

  // Faults
  { name: 'fault: 503', path: `${acme}.json`, fault: { effect: { status: 503, retryAfter: 3 } } },
  { name: 'fault: 503 for HEAD', method: 'HEAD', path: `${acme}.json`, fault: { effect: { status: 503 } } },
  { name: 'fault: 422 for HEAD', method: 'HEAD', path: `${acme}.json`, fault: { effect: { status: 422 } } },
  {
    ...post('fault: 422', `${acme}/campaigns.json`, {}),
    fault: { effect: { status: 422, errors: { name: ['No.'] } } },
  },
  { name: 'fault: 401', path: `${acme}.json`, fault: { effect: { status: 401 } } },
  { name: 'fault: delay', path: `${acme}.json`, fault: { effect: { delay: 20 } } },
  { name: 'fault: hang', path: `${acme}.json`, fault: { effect: 'hang' }, patience: 250 },
  { name: 'fault: drop', path: `${acme}.json`, fault: { effect: 'drop' } },
  { name: 'fault: truncate', path: `${acme}.json`, fault: { effect: { truncate: 10 } } },
  { name: 'fault: malformed', path: `${acme}.json`, fault: { effect: 'malformed' } },
  { name: 'fault: wrongType', path: `${acme}.json`, fault: { effect: 'wrongType' } },
  { name: 'fault: slowBody', path: `${acme}.json`, fault: { effect: { slowBody: 5000 } } },
  {
    name: 'fault: staleEtag',
    path: `${acme}.json`,
    fault: { effect: 'staleEtag' },
    headers: { 'If-None-Match': 'W/"old"' },
  },
];
