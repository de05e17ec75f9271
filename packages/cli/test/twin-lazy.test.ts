import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Dump, demoSeed, type IdFormat } from '@mkt/server';
import { openSeed } from '@mkt/server/seeds';
import { describe, expect, it, onTestFinished } from 'vitest';
import { between } from './support/between.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { tokens } from './support/service.js';
import { everyGet, getter, source } from './support/twin.js';

const controlToken = 'control-token-for-tests';

/** Runs `mkt twin serve --lazy` during a test. */
async function lazyTwin(url: string, org: number | string, flags: readonly string[] = []) {
  const folder = temporaryFolder();
  const config = join(folder, 'config');
  const stop = new AbortController();
  const argv = ['twin', 'serve', '--lazy', '--org', String(org), '--port', '0', '--control-token', controlToken];
  const ended = runCli([...argv, ...flags], {
    env: { MKT_CONFIG_DIR: config, MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: url },
    cwd: folder,
    interrupted: stop.signal,
  });
  let failure: unknown;
  void ended.then((screen) => {
    failure = screen;
  });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  while (!existsSync(join(config, 'config.json'))) {
    if (failure !== undefined) throw new Error(JSON.stringify(failure));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const base: string = JSON.parse(readFileSync(join(config, 'config.json'), 'utf8')).profiles.twin.base_url;
  const [token = ''] = Object.values<string>(JSON.parse(readFileSync(join(config, 'credentials.json'), 'utf8')));
  const send = (method: string, path: string, body?: object, bearer = token) =>
    fetch(`${base}${path}`, {
      method,
      redirect: 'manual',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  const control = async (method: string, path: string, body?: object) => {
    const response = await send(method, `/__mkt/v1/${path}`, body, controlToken);
    expect(response.ok).toBe(true);
    return response.text();
  };
  return { url: base, get: getter(base, token), send, control };
}

/** A service that records the paths of the requests that it gets. */
async function recordedSource(dump: Dump = demoSeed()) {
  const { url, methods } = await source(dump);
  const paths: string[] = [];
  const watched = await between(url, { before: ({ path }) => void paths.push(path) });
  return { url: watched, paths, methods };
}

const small = async (ids: IdFormat): Promise<Dump> => {
  const { dump } = await openSeed('large', { ids });
  const { campaigns, collabs } = dump.tables;
  return { ...dump, tables: { ...dump.tables, campaigns: campaigns.slice(0, 200), collabs: collabs.slice(0, 80) } };
};

const organizationId = ({ tables }: Dump, number: number): number | string =>
  tables.organizations.find((row) => ('position' in row ? row.position : row.id) === number)?.id ?? 0;

describe.each<IdFormat>(['integer', 'opaque'])('a lazy twin with %s ids', (ids) => {
  it.each([
    ['demo', 5, async () => demoSeed(ids)],
    ['demo', 7, async () => demoSeed(ids)],
    ['large', 11, () => small(ids)],
  ])(
    'of the %s data, organization %i, answers every GET as its source',
    { timeout: 120_000 },
    async (_name, number, seed) => {
      const dump = await seed();
      const { url, methods } = await source(dump, ids, { pageSize: 17 });
      const org = organizationId(dump, number);
      const twin = await lazyTwin(url, org, ['--keep-names']);
      const expected = await everyGet(getter(url, tokens.ada_read), url, org);
      const served = await everyGet(twin.get, twin.url, org);
      expect([...served.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
      for (const [path, response] of expected) expect([path, served.get(path)]).toEqual([path, response]);
      expect([...methods.keys()]).toEqual(['GET']);
    },
  );
  it('has the order of its source after single objects were read', async () => {
    const dump = demoSeed(ids);
    const { url } = await source(dump, ids);
    const org = organizationId(dump, 5);
    const twin = await lazyTwin(url, org);
    const list = `/organizations/${org}/campaigns.json`;
    const expected = (await (await getter(url, tokens.ada_read)(`${list}?page=2`)).json()) as { id: string }[];
    for (const { id } of expected.toReversed().slice(3)) await twin.get(list.replace('.json', `/${id}.json`));
    const served = (await (await twin.get(`${list}?page=2`)).json()) as { id: string }[];
    expect(served.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });
});

describe('mkt twin serve --lazy', () => {
  it('first reads the organization, its members and the tokens, and the rest when it is first needed', async () => {
    const { url, paths } = await recordedSource();
    const twin = await lazyTwin(url, 5);
    const start = ['/organizations/5.json', '/organizations/5/members.json', '/me/access_tokens.json'];
    expect(paths.filter((path) => !path.startsWith('/images/'))).toEqual(start);
    const readBy = async (path: string) => {
      paths.length = 0;
      await (await twin.get(path)).text();
      return [...paths];
    };
    expect(await readBy('/organizations/5/members.json')).toEqual([]);
    expect(await readBy('/organizations/5/campaigns/7.json')).toEqual(['/organizations/5/campaigns/7.json']);
    expect(await readBy('/organizations/5/campaigns/7.json')).toEqual([]);
    expect(await readBy('/organizations/5/campaigns/4711.json')).toEqual(['/organizations/5/campaigns/4711.json']);
    expect(await readBy('/organizations/5/campaigns/4711.json')).toEqual([]);
    expect((await readBy('/organizations/5/collabs.json?page=2')).toSorted()).toEqual([
      '/organizations/5/collabs.json',
      '/organizations/5/collabs.json?page=2',
    ]);
    expect(await readBy('/organizations/5/collabs.json')).toEqual([]);
    expect(await readBy('/organizations/5/collabs/4711.json')).toEqual([]);
    expect((await readBy('/me/address.json')).toSorted()).toEqual(['/me/address.json', '/me/social_accounts.json']);
    expect(await readBy('/me/social_accounts.json')).toEqual([]);
  });
  it('writes to the copy only, and what was deleted there stays deleted until a reset', async () => {
    const { url, methods, paths } = await recordedSource();
    const twin = await lazyTwin(url, 5);
    const status = async (id: number) =>
      ((await (await twin.get(`/organizations/5/campaigns/${id}.json`)).json()) as { status?: string }).status;
    const total = async () => Number((await twin.get('/organizations/5/campaigns.json')).headers.get('total-count'));
    expect((await twin.send('DELETE', '/organizations/5/campaigns/1.json')).status).toBe(204);
    expect((await twin.send('POST', '/organizations/5/campaigns/2/publish.json')).status).toBe(303);
    expect(paths.filter((path) => path.includes('campaigns'))).toEqual([
      '/organizations/5/campaigns/1.json',
      '/organizations/5/campaigns/2.json',
    ]);
    expect(await status(2)).toBe('active');
    expect(await total()).toBe(44);
    expect((await twin.get('/organizations/5/campaigns/1.json')).status).toBe(404);
    const created = await twin.send('POST', '/organizations/5/campaigns.json', { campaign: { name: 'New' } });
    expect(await created.json()).toMatchObject({ id: 46 });
    expect(await total()).toBe(45);
    expect(await status(46)).toBe('draft');

    const snapshot = JSON.parse(await twin.control('GET', 'snapshot'));
    await twin.control('POST', 'reset');
    expect([await total(), await status(1), await status(2)]).toEqual([45, 'draft', 'draft']);
    paths.length = 0;
    await twin.control('PUT', 'snapshot', snapshot);
    expect([await total(), await status(1), await status(2)]).toEqual([45, undefined, 'active']);
    expect(paths).toEqual([]);
    expect([...methods.keys()]).toEqual(['GET']);
  });
  it('creates an object before any list was read', async () => {
    const { url } = await recordedSource();
    const twin = await lazyTwin(url, 5);
    const created = await twin.send('POST', '/organizations/5/campaigns.json', { campaign: { name: 'New' } });
    expect(await created.json()).toMatchObject({ id: 46 });
    const last = await twin.get('/organizations/5/campaigns.json?page=3');
    expect(((await last.json()) as { name: string }[]).at(-1)).toMatchObject({ name: 'New' });
  });
  it('copies images when they are asked for', async () => {
    const { url, methods } = await source(demoSeed());
    const twin = await lazyTwin(url, 5);
    const bannerOf = async (get: typeof twin.get) => {
      const collabs = (await (await get('/organizations/5/collabs.json')).json()) as { banner_image_url?: string }[];
      return collabs.find(({ banner_image_url }) => banner_image_url)?.banner_image_url ?? '';
    };
    const [original, copied] = [await bannerOf(getter(url, tokens.ada_read)), await bannerOf(twin.get)];
    const image = await (await fetch(original)).arrayBuffer();
    const before = methods.get('GET') ?? 0;
    for (const _ of [1, 2]) expect(await (await fetch(copied)).arrayBuffer()).toEqual(image);
    expect(methods.get('GET')).toBe(before + 1);
  });
  it('masks names, and reads each resource once for several requests', async () => {
    const { url, paths } = await recordedSource();
    const twin = await lazyTwin(url, 5);
    const texts = await Promise.all(
      [
        '/organizations/5/members.json',
        '/me/address.json',
        ...Array.from({ length: 6 }, () => '/organizations/5/campaigns.json'),
      ].map(async (path) => (await twin.get(path)).text()),
    );
    for (const name of ['Okafor', 'Cleo', '@acme.example', 'Cupertino']) expect(texts.join()).not.toContain(name);
    expect(paths.filter((path) => path.includes('campaigns.json')).length).toBe(3);
  });
  it('passes a 403 of its source on, and says in one sentence that the source fails', { timeout: 60_000 }, async () => {
    const { url } = await source(demoSeed());
    let outcome: 403 | 'drop' | undefined;
    const proxy = await between(url, {
      before: () => outcome,
      after: ({ path }, body) =>
        path.endsWith('/campaigns/3.json') ? { ...(body as object), cpm_amount: '5' } : undefined,
    });
    const twin = await lazyTwin(proxy, 5);
    const answer = async (path: string) => {
      const response = await twin.get(`/organizations/5/${path}.json`);
      const { error } = (await response.json()) as { error?: string };
      return [response.status, error];
    };
    outcome = 403;
    expect(await answer('campaigns')).toEqual([403, expect.stringMatching(/^The source does not permit this: /)]);
    outcome = undefined;
    expect(await answer('campaigns/3')).toEqual([
      503,
      expect.stringContaining('Campaign 3 cannot be copied: cpm_amount is string, not integer.'),
    ]);
    outcome = 'drop';
    expect(await answer('campaigns')).toEqual([
      503,
      expect.stringMatching(/^The twin could not read from its source\. The connection to .+ failed/),
    ]);
    outcome = undefined;
    expect(await answer('campaigns')).toEqual([200, undefined]);
  });
  it.each([
    [['acme.twin', '--lazy'], '--lazy reads from the service, so it takes no file.'],
    [['--lazy', '--db', 'acme.db'], '"--lazy" cannot be used with option "--db <where>"'],
    [['--port', '0'], 'No file was given.'],
  ])('rejects %j', async (argv, message) => {
    expect(await runCli(['twin', 'serve', ...argv])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});
