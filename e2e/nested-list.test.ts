// These sources have two worked examples of CONTRIBUTING.md. "Add a list below an item": `GET .../campaigns/:campaign_id/submissions.json`,
// whose rows have a `url` of their own and are in a table of their own. "Add a field": `tags` of campaigns, a list of texts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMarketplaceMock } from '@mkt/mock-server';
import { Marketplace, NotFoundError } from '@mkt/sdk';
import { endpoints } from '@mkt/sdk/contract';
import { type MarketplaceQueries, marketplaceQueries } from '@mkt/sdk/query';
import { type Dump, demoSeed, type IdFormat, memoryStore, type Store } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { exportSeed, parseSeed } from '@mkt/server/seeds';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runCli, temporaryFolder } from '../packages/cli/test/support/run-cli.js';
import { tokens } from '../packages/cli/test/support/service.js';
import { pullTwin } from '../packages/cli/test/support/twin.js';
import {
  copyStore,
  missingInNew,
  openTestStore,
  storeKinds,
  type TestStore,
} from '../packages/server/test/support/stores.js';

const rows = [
  { id: 1, creator: 'Cleo Ko', url: 'https://video.example/1', created_at: '2026-05-01T10:00:00Z' },
  { id: 2, creator: 'Lu', url: 'https://video.example/2', created_at: '2026-05-02T10:00:00Z' },
];
/** The demo data, with two submissions to a campaign of Acme. */
function seed(campaign_id = 3) {
  const { tables, serials } = demoSeed();
  const submissions = rows.map((row) => ({ ...row, campaign_id }));
  return { tables: { ...tables, submissions }, serials };
}

let count = 0;
const services = { sha256: String, random: () => `secret-${count++}` };

let server: Server;
beforeAll(async () => {
  server = await serve({ store: memoryStore(), seed: seed(), port: 0 });
});
afterAll(() => server.close());

const path = '/organizations/5/campaigns/3/submissions.json';
const headersOf = (token: string) => ({ Accept: 'application/json', Authorization: `Bearer ${token}` });
const get = (target: string, token: string = tokens.ada_write) =>
  fetch(server.url + target, { headers: headersOf(token) });
const env = () => ({ MKT_BASE_URL: server.url, MKT_TOKEN: tokens.ada_write, MKT_ORG: '5' });

type AnyRow = Record<string, unknown> & { id: string | number };

/** The methods of the example, which the types of this file do not have. */
type Any = Readonly<Record<string, (...args: unknown[]) => never>>;
const campaignsOf = (client: Marketplace) => client.campaigns as unknown as Any;

test('the contract has it', () => {
  expect(endpoints.map(({ operation }) => operation)).toContain('campaigns.submissions');
});

describe('the server', () => {
  test('has pages, and content in the field url', async () => {
    const response = await get(path);
    expect([response.status, response.headers.get('total-count'), await response.json()]).toEqual([200, '2', rows]);
    expect(await (await get('/organizations/5/campaigns/4/submissions.json')).json()).toEqual([]);
    expect((await (await get('/organizations/5/campaigns/3.json')).json()).url).toBe(
      `${server.url}/organizations/5/campaigns/3.json`,
    );
  });

  test.each([
    ['a campaign that does not exist', '/organizations/5/campaigns/999/submissions.json', 'ada_write'],
    ['a draft, for a member', '/organizations/5/campaigns/1/submissions.json', 'cleo_write'],
    ['another organization', '/organizations/5/campaigns/3/submissions.json', 'dan_write'],
    ['a campaign of another organization', '/organizations/7/campaigns/3/submissions.json', 'ada_write'],
  ] as const)('responds with 404 for %s', async (_, target, who) => {
    expect((await get(target, tokens[who])).status).toBe(404);
  });

  test('has a page of it with a way back, and a link to it', async () => {
    const headers = { Authorization: `Bearer ${tokens.ada_write}` };
    const page = async (target: string) => (await fetch(server.url + target, { headers })).text();
    const list = await page(path.replace('.json', ''));
    expect(list).toContain('<h1>Submissions</h1>');
    expect(list).toMatch(/<a href="\/organizations\/5\/campaigns\/3">[^<]+<\/a>/);
    expect(list).toContain('<a href="https://video.example/1"');
    const campaign = await page('/organizations/5/campaigns/3');
    expect(campaign).toContain('<a href="/organizations/5/campaigns/3/submissions">Submissions</a>');
    expect(campaign).toContain('2 submissions');
  });

  test('describes it in OpenAPI', async () => {
    const { paths } = await (await get('/openapi.json')).json();
    expect(paths['/organizations/{organization_id}/campaigns/{campaign_id}/submissions.json'].get).toMatchObject({
      summary: 'List the submissions of a campaign',
      parameters: [
        { name: 'organization_id', description: 'The organization.', example: 5 },
        { name: 'campaign_id', description: 'The campaign.', example: 1 },
        {},
      ],
    });
  });
});

describe.each(storeKinds)('the %s store', (kind) => {
  describe.each<IdFormat>(['integer', 'opaque'])('with %s ids', (ids) => {
    const { tables, serials } = demoSeed(ids);
    const campaigns: readonly (AnyRow & { readonly name?: unknown })[] = tables.campaigns;
    /** An active one, and a draft that can be deleted. */
    const [active, draft] = [3, 10].map((number) => campaigns.find(({ id, position = id }) => position === number)?.id);
    const organization = campaigns.find(({ id }) => id === active)?.organization_id;
    const submissions = [active, draft].map((campaign_id, index) => {
      const numbers = ids === 'integer' ? { id: index + 1 } : { id: `submission${index}`, position: index + 1 };
      return { ...rows[index], ...numbers, campaign_id };
    });
    const before = { tables: { ...tables, submissions }, serials } as unknown as Dump;
    const stored = async (store: Store) =>
      ((await store.dump()).tables as unknown as Readonly<Record<string, AnyRow[]>>).submissions;

    let opened: TestStore;
    beforeEach(async () => {
      opened = await openTestStore(kind, ids);
      await opened.store.load(before);
    });
    afterEach(() => opened.dispose());

    test('numbers its rows, and dumps and backups carry them', async () => {
      const { store } = opened;
      expect(await stored(store)).toEqual(submissions);
      const row = {
        campaign_id: active,
        creator: 'Mia',
        url: 'https://video.example/3',
        created_at: '2026-05-03T10:00:00Z',
      };
      await store.transact((writer) => writer.insert('submissions' as 'campaigns', row as never));
      const third = ids === 'integer' ? { ...row, id: 3 } : { ...row, id: expect.any(String), position: 3 };
      expect(await stored(store)).toEqual([...submissions, third]);

      const other = await openTestStore(kind, ids);
      const dump = await store.dump();
      await copyStore(store, other.store);
      expect(await other.store.dump()).toEqual(dump);
      await other.dispose();
    });

    test('deletes the rows with their campaign, and with their organization', async () => {
      const { store } = opened;
      // It would close the store, which the test reads afterwards.
      const own = await serve({ store: { ...store, close: async () => undefined }, port: 0 });
      const remove = async (target: string) => {
        const init = { method: 'DELETE', headers: headersOf(tokens.ada_write) };
        return (await fetch(`${own.url}/organizations/${organization}${target}.json`, init)).status;
      };
      expect(await remove(`/campaigns/${draft}`)).toBe(204);
      expect(await stored(store)).toEqual(submissions.slice(0, 1));
      expect(await remove('')).toBe(204);
      expect(await stored(store)).toEqual([]);
      // SQL stores remove what is below a deleted organization a moment later.
      const left = () =>
        store.read((reader) =>
          reader.page('submissions' as 'campaigns', 'byCampaign' as 'byOrganization', [active as number], {
            offset: 0,
            limit: 9,
          }),
        );
      await expect.poll(left, { timeout: 30_000 }).toEqual([]);
      await own.close();
    });
  });
});

test.each(['sqlite', 'postgres'] as const)('the SQL files of the example make its table: %s', async (kind) => {
  expect(await missingInNew(kind)).toEqual([]);
});

test('seed files carry it, in both directions', async () => {
  const dump = seed();
  const text = exportSeed(dump);
  expect(text).toContain('url: https://video.example/1');
  const { dump: again } = await parseSeed(text, services);
  expect(again.tables).toMatchObject({ submissions: rows.map((row) => ({ ...row, campaign_id: 3 })) });
  const broken = text.replace('url: https://video.example/1', 'link: x');
  await expect(parseSeed(broken, services)).rejects.toThrow(/A submission has no field link/);
});

test('the mock responds with it', async () => {
  const mock = createMarketplaceMock({ seed: 'demo' });
  const response = await mock.fetch(`https://api.example.com${path}`, { headers: headersOf(tokens.ada_write) });
  expect([response.status, await response.json()]).toEqual([200, []]);
});

describe('the SDK', () => {
  const client = () => new Marketplace({ baseUrl: server.url, token: tokens.ada_write });

  test('lists it, also in one organization', async () => {
    expect(await campaignsOf(client()).submissions?.(5, 3)).toMatchObject({ items: rows, totalCount: 2 });
    const bound = client().organization(5).campaigns as unknown as Any;
    expect(await bound.submissions?.(3)).toMatchObject({ items: rows });
    await expect(campaignsOf(client()).submissions?.(5, 999)).rejects.toThrow(NotFoundError);
  });

  test('has queries of it, not mutations', async () => {
    const queries: MarketplaceQueries = marketplaceQueries(client());
    const { submissions } = queries.campaigns as unknown as Readonly<
      Record<string, Readonly<Record<string, (...args: unknown[]) => Any & { queryKey: unknown; queryFn: Any[''] }>>>
    >;
    expect(Object.keys(submissions ?? {})).toEqual(['queryKey', 'queryOptions', 'infiniteQueryOptions']);
    const options = submissions?.queryOptions?.(5, 3, { page: 1 });
    expect(options?.queryKey).toEqual(['mkt', 'campaigns', '5', 'submissions', '3', { page: 1 }]);
    expect(await options?.queryFn({ signal: new AbortController().signal })).toMatchObject({ items: rows });
    expect(submissions?.infiniteQueryOptions?.(5, 3).queryKey).toEqual([
      'mkt',
      'campaigns',
      '5',
      'submissions',
      '3',
      'pages',
    ]);
  });
});

describe('the command line', () => {
  test('prints it, by the id or the name of the campaign', async () => {
    const { stdout, code } = await runCli(['campaigns', 'submissions', '3', '--json'], { env: env() });
    expect([code, JSON.parse(stdout)]).toEqual([0, rows]);
    const { name } = await (await get('/organizations/5/campaigns/3.json')).json();
    const named = await runCli(['campaigns', 'submissions', name, '--fields', 'creator', '--no-header'], {
      env: env(),
    });
    expect([named.code, named.stdout]).toEqual([0, 'Cleo Ko\nLu\n']);
    const empty = await runCli(['campaigns', 'submissions', '4'], { env: env() });
    expect(empty.stderr).toContain('No submissions of campaign 4 in Acme Cosmetics.');
    const web = await runCli(['campaigns', 'submissions', '3', '--web'], { env: env() });
    expect(web.stdout).toBe(`${server.url}/organizations/5/campaigns/3/submissions\n`);
  });

  test('does not take it for the list of campaigns in the history', async () => {
    const file = join(temporaryFolder(), 'history.db');
    const all = ['campaigns', 'submissions', '3', '--all'];
    for (const argv of [['campaigns', 'list', '--all'], all, ['changes']])
      expect((await runCli(argv, { env: { ...env(), MKT_HISTORY: file } })).code).toBe(0);
    const { stdout } = await runCli(['changes', '--json'], { env: { ...env(), MKT_HISTORY: file } });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  test('says that the campaign was not found', async () => {
    const { stderr, code } = await runCli(['campaigns', 'submissions', '999'], { env: env() });
    expect(code).toBe(3);
    expect(stderr).toContain('Campaign 999 was not found in Acme Cosmetics');
    expect(stderr).toContain('mkt campaigns list --org 5');
  });

  test('doctor --drift reads it below a few campaigns, and reports differences', async () => {
    const { stdout, code } = await runCli(['doctor', '--drift', '--json', '--org', '5'], { env: env() });
    const found = (JSON.parse(stdout) as { endpoint: string; kind: string; times: number }[]).filter(
      ({ endpoint }) => endpoint === 'campaigns.submissions',
    );
    expect([code, found]).toEqual([0, [expect.objectContaining({ kind: 'ok', times: 3 })]]);
  });

  test('a twin has its rows', async () => {
    const { out, code, stderr } = await pullTwin(server.url, '5', ['--keep-names']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('submissions')]);
    const { organizations } = JSON.parse(readFileSync(out, 'utf8'));
    const [twin] = Object.values(organizations) as { campaigns: { id: number; submissions?: object[] }[] }[];
    expect(twin?.campaigns.find(({ id }) => id === 3)?.submissions).toEqual(rows);
    const { dump } = await parseSeed(readFileSync(out, 'utf8'), services);
    expect(dump.tables).toMatchObject({ submissions: rows.map((row) => ({ ...row, campaign_id: 3 })) });
  });

  test('a twin has no names of members in its rows and lists of texts', async () => {
    const { tables, serials } = demoSeed();
    // Two members have names that are also codes.
    const names: Readonly<Record<string, string>> = { usr_cleo: 'Instagram', usr_ben: 'Ie' };
    const users = tables.users.map((user) => ({ ...user, name: names[user.id] ?? user.name }));
    const tags = ['for Ada Okafor', 'glow', 'ADA OKAFOR', 'Ada Okafor', 'ben@acme.example'];
    const campaigns = tables.campaigns.map((row) => (row.id === 3 ? { ...row, tags } : row));
    const url = 'https://video.example/cleo@acme.example';
    const submissions = [{ ...rows[0], campaign_id: 3, creator: 'Ada Okafor', url }];
    const changed = { tables: { ...tables, users, campaigns, submissions }, serials };
    const own = await serve({ store: memoryStore(), seed: changed, port: 0 });
    onTestFinished(() => own.close());

    const { out, code, stderr } = await pullTwin(own.url, '5');
    expect([code, stderr]).toEqual([0, expect.stringContaining('are masked')]);
    const text = readFileSync(out, 'utf8');
    expect(text).not.toMatch(/okafor|@acme\.example/i);
    const [twin] = Object.values(JSON.parse(text).organizations) as { campaigns: AnyRow[] }[];
    const campaign = (number: number) => twin?.campaigns.find(({ id }) => id === number);
    const ada = expect.stringMatching(/^Member [\da-f]{10}$/);
    const email = expect.stringMatching(/^member-[\da-f]{10}@example\.com$/);
    expect(campaign(3)).toMatchObject({
      tags: [expect.stringMatching(/^for Member [\da-f]{10}$/), 'glow', ada, email],
      submissions: [{ creator: ada, url: expect.stringMatching(/^https:\/\/video\.example\/member-[\da-f]{10}@/) }],
    });
    expect(campaign(4)).toMatchObject({ platform_ids: ['tiktok', 'instagram'], countries: ['GB', 'IE'] });
  });

  test('exports stay as they are', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'campaigns.csv');
    const { code } = await runCli(['export', 'campaigns', '--out', out], { env: env(), cwd: folder });
    expect([code, readFileSync(out, 'utf8')]).toEqual([0, expect.not.stringContaining('video.example')]);
  });
});
