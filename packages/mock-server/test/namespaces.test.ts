import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectControl, type NamespaceControl, type ServerControl } from '@mkt/mock-server/control';
import { testControls } from '@mkt/mock-server/node';
import { Marketplace } from '@mkt/sdk';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { openStore, type Server, serve } from '@mkt/server/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const token = 'the token of the control client';
let server: Server;
let control: ServerControl;
let opened: NamespaceControl[] = [];

beforeAll(async () => {
  server = await serve({
    store: memoryStore(),
    seed: demoSeed(),
    port: 0,
    extend: testControls({ token, seed: demoSeed }),
  });
  control = connectControl({ url: `${server.url}/__mkt/v1`, token });
});
afterEach(async () => {
  await Promise.all(opened.map((namespace) => namespace.close()));
  opened = [];
});
afterAll(() => server.close());

const open = async (name: string): Promise<NamespaceControl> => {
  const namespace = await control.namespace(name);
  opened.push(namespace);
  return namespace;
};
const clientOf = (baseUrl: string) => new Marketplace({ token: demoTokens.ada_write, baseUrl, retry: false });
const send = (url: string, init: RequestInit = {}) =>
  fetch(url, {
    ...init,
    headers: { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}`, ...init.headers },
  });

describe('namespaces of a server', () => {
  test('do not see the data, faults, clock and requests of each other, nor the server theirs', async () => {
    const workers = await Promise.all([1, 2].map((number) => open(`worker-${number}`)));
    const totals = workers.map(async (worker, index) => {
      const mkt = clientOf(worker.baseUrl);
      await worker.clock.freeze(`2026-0${index + 1}-01T00:00:00Z`);
      await worker.create.campaign({ organization: 5, count: index + 1 });
      const { created_at } = await mkt.campaigns.create(5, { name: 'One more' });
      await worker.faults.add({ match: { operation: 'campaigns.get' }, effect: { status: 500 + index } });
      const failure = await mkt.campaigns.get(5, 1).catch((error: { status: number }) => error.status);
      const requests = await worker.requests.list();
      return [await mkt.campaigns.list(5).count(), created_at, failure, requests.length];
    });
    expect(await Promise.all(totals)).toEqual([
      [47, '2026-01-01T00:00:00Z', 500, 2],
      [48, '2026-02-01T00:00:00Z', 501, 2],
    ]);
    const outside = clientOf(server.url);
    expect(await outside.campaigns.list(5).count()).toBe(45);
    expect((await outside.campaigns.get(5, 1)).id).toBe(1);
    expect((await control.requests.list()).map(({ operation }) => operation)).toEqual([
      'campaigns.list',
      'campaigns.get',
    ]);
    await workers[0]?.reset();
    expect(
      await clientOf(workers[0]?.baseUrl ?? '')
        .campaigns.list(5)
        .count(),
    ).toBe(45);
    expect(
      await clientOf(workers[1]?.baseUrl ?? '')
        .campaigns.list(5)
        .count(),
    ).toBe(48);
  });

  test('have URLs in responses that lead back to them', async () => {
    const { baseUrl } = await open('worker-1');
    const body = JSON.stringify({ campaign: { name: 'New' } });
    const headers = { 'Content-Type': 'application/json' };
    const created = await send(`${baseUrl}/organizations/5/campaigns.json`, { method: 'POST', headers, body });
    const { url } = (await created.json()) as { url: string };
    expect(url).toBe(`${baseUrl}/organizations/5/campaigns/48.json`);
    expect(created.headers.get('location')).toBe(url);
    expect((await send(url)).status).toBe(200);
  });

  test('serve the web pages, whose links, forms and redirects stay in them', async () => {
    const { baseUrl } = await open('worker-1');
    const { pathname } = new URL(baseUrl);
    const page = await fetch(`${baseUrl}/organizations`, { headers: { Accept: 'text/html' } });
    expect([page.status, new URL(page.url).pathname]).toEqual([200, `${pathname}/sign_in`]);
    const text = await page.text();
    const targets = [...text.matchAll(/ (?:href|src|action|formaction)="(\/[^"]*)"/g)].map(
      ([, target]) => target ?? '',
    );
    expect(targets.length).toBeGreaterThan(3);
    for (const target of targets) expect(target).toContain(`${pathname}/`);
    const style = targets.find((target) => target.endsWith('.css')) ?? '';
    expect((await fetch(server.url + style)).headers.get('content-type')).toContain('text/css');
    expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200);

    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
    const signedIn = await fetch(`${baseUrl}/sign_in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Accept: 'text/html', Cookie: page.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '' },
      body: new URLSearchParams({
        csrf_token: field('csrf_token'),
        return_to: field('return_to'),
        token: demoTokens.ada_write,
      }),
    });
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, `${pathname}/organizations`]);
  });

  test('accept uploads, large bodies and interrupted requests', async () => {
    const worker = await open('worker-1');
    const mkt = clientOf(worker.baseUrl);
    const png = Uint8Array.from([
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0, 1, 2, 3,
    ]);
    const logo = new File([png], 'logo.png', { type: 'image/png' });
    const { logo_url } = await mkt.organizations.update(5, { logo });
    expect(new Uint8Array(await (await fetch(logo_url ?? '')).arrayBuffer())).toEqual(png);
    const brief = 'x'.repeat(1024 * 1024);
    await expect(mkt.campaigns.update(5, 1, { brief })).rejects.toMatchObject({ status: 413 });
    await worker.faults.add({ effect: 'drop', times: 1 });
    await expect(mkt.organizations.get(5)).rejects.toThrow('UND_ERR_SOCKET');
    const { id } = await worker.faults.add({ effect: 'hang' });
    const abort = new AbortController();
    const interrupted = expect(mkt.organizations.get(5, { signal: abort.signal })).rejects.toThrow();
    await expect.poll(() => worker.faults.get(id)).toMatchObject({ hits: 1 });
    abort.abort();
    await interrupted;
  });

  test('are opened once: a worker that starts again has the same', async () => {
    const [first, again] = await Promise.all([open('worker-1'), open('worker-1')]);
    await first.act.fundCampaign(1, 700);
    expect((await clientOf(again.baseUrl).campaigns.get(5, 1)).total_budget_amount).toBe(700);
  });

  test('are gone when they are closed, with their hanging requests, and then name the problem', async () => {
    const worker = await control.namespace('worker-1');
    await worker.faults.add({ effect: 'hang' });
    const hanging = send(`${worker.baseUrl}/organizations.json`);
    hanging.catch(() => undefined);
    await expect.poll(async () => (await worker.faults.list())[0]?.hits).toBe(1);
    await worker.close();
    await expect(hanging).rejects.toThrow('fetch failed');
    const gone = await send(`${worker.baseUrl}/organizations.json`);
    expect([gone.status, await gone.json()]).toEqual([
      404,
      { error: expect.stringContaining('There is no namespace worker-1') },
    ]);
    await expect(worker.reset()).rejects.toThrow('There is no namespace worker-1');
    await worker.close();
  });

  test('are at most 32, with simple names', async () => {
    for (let number = 1; number <= 32; number++) await open(`worker-${number}`);
    await expect(open('one-more')).rejects.toThrow('There are 32 namespaces already.');
    await opened.pop()?.close();
    await open('one-more');
    for (const name of ['', 'a b', 'x'.repeat(65)])
      await expect(control.namespace(name)).rejects.toThrow(/^(namespace must be 1 to 64 letters|There is no control)/);
    await expect(control.namespace('../v1')).rejects.toThrow('There is nothing at this URL');
  });

  test('need the control token and this machine, and contain no others', async () => {
    const worker = await open('worker-1');
    const inside = `${worker.baseUrl}/__mkt/v1`;
    const stranger = connectControl({ url: `${server.url}/__mkt/v1`, token: 'wrong' });
    await expect(stranger.namespace('worker-2')).rejects.toMatchObject({ status: 401 });
    await expect(connectControl({ url: inside, token: 'wrong' }).reset()).rejects.toMatchObject({ status: 401 });
    const nested = connectControl({ url: inside, token }).namespace('worker-2');
    await expect(nested).rejects.toThrow('a namespace contains no others');
    const { hostname, port, pathname } = new URL(inside);
    const status = await new Promise((resolve, reject) => {
      const headers = { Host: 'evil.example', Authorization: `Bearer ${token}` };
      const reset = request({ hostname, port, path: `${pathname}/reset`, method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      reset.on('error', reject).end();
    });
    expect(status).toBe(400);
  });

  test('exist only in memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mkt-namespaces-'));
    const store = await openStore(join(folder, 'data.db'));
    const persistent = await serve({ store, port: 0, extend: testControls({ token, seed: demoSeed }) });
    const { namespace } = connectControl({ url: `${persistent.url}/__mkt/v1`, token });
    await expect(namespace('worker-1')).rejects.toThrow('only on a server with its data in memory');
    await persistent.close();
    rmSync(folder, { recursive: true });
  });
});
