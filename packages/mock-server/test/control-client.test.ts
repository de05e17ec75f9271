import { connectControl, type RemoteControl, RemoteControlError } from '@mkt/mock-server/control';
import { testControls } from '@mkt/mock-server/node';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const token = 'the token of the control client';
let server: Server;
let control: RemoteControl;

beforeAll(async () => {
  server = await serve({
    store: memoryStore(),
    seed: demoSeed(),
    port: 0,
    extend: testControls({ token, seed: demoSeed }),
  });
  control = connectControl({ url: `${server.url}/__mkt/v1`, token });
});
afterEach(() => control.reset());
afterAll(() => server.close());

const ask = (path: string, secret: string = demoTokens.ada_write) =>
  fetch(server.url + path, { headers: { Authorization: `Bearer ${secret}`, Accept: 'application/json' } });
const show = async (path: string): Promise<Record<string, unknown>> =>
  (await (await ask(path)).json()) as Record<string, unknown>;

describe('connectControl', () => {
  test('calls snapshot, restore, seed, export and reset', async () => {
    await control.act.fundCampaign(1, 700);
    const snapshot = await control.snapshot();
    await control.reset();
    expect((await show('/organizations/5/campaigns/1.json')).total_budget_amount).toBe(0);
    await control.restore(snapshot);
    expect((await show('/organizations/5/campaigns/1.json')).total_budget_amount).toBe(700);
    expect(await control.export()).toContain('total_budget_amount: 700');
    expect(Object.keys(await control.seed('empty'))).toEqual(['owner_write']);
    expect((await ask('/organizations.json')).status).toBe(401);
  });

  test('controls the clock', async () => {
    expect(await control.clock.freeze('2026-06-01T00:00:00Z')).toEqual({
      now: '2026-06-01T00:00:00.000Z',
      frozen: true,
    });
    expect((await control.clock.advance({ days: 1 })).now).toBe('2026-06-02T00:00:00.000Z');
    expect((await control.clock.set('2027-01-01T00:00:00Z')).now).toBe('2027-01-01T00:00:00.000Z');
    expect(await control.clock.read()).toEqual({ now: '2027-01-01T00:00:00.000Z', frozen: true });
    for (const path of ['/organizations.json', '/nowhere.json'])
      expect((await ask(path)).headers.get('date')).toBe('Fri, 01 Jan 2027 00:00:00 GMT');
    expect((await control.clock.resume()).frozen).toBe(false);
    expect((await control.clock.freeze()).frozen).toBe(true);
  });

  test('manages faults and reads their counts', async () => {
    const { id } = await control.faults.add({ match: { operation: 'address.get' }, effect: { status: 500 }, times: 1 });
    expect((await ask('/me/address.json')).status).toBe(500);
    expect((await ask('/me/address.json')).status).toBe(200);
    expect(await control.faults.get(id)).toMatchObject({ hits: 1 });
    expect(await control.faults.list()).toHaveLength(1);
    expect(await control.faults.remove(id)).toBe(true);
    await control.faults.add({ effect: 'drop' });
    await control.faults.clear();
    expect(await control.faults.list()).toEqual([]);
  });

  test('creates data, one item or several', async () => {
    const { id } = await control.create.campaign({ organization: 5, status: 'finished', views: 12_000 });
    expect((await show(`/organizations/5/campaigns/${id}.json`)).view_count).toBe(12_000);
    const members = await control.create.member({ organization: 5, count: 2 });
    expect(members.map(({ user }) => user)).toEqual(['usr_person_1', 'usr_person_2']);
    await expect(control.create.collab({ organization: 99 })).rejects.toThrow('Organization 99 does not exist.');
  });

  test('patches responses, and rejects what JSON cannot carry', async () => {
    await control.faults.add({ effect: { delay: 5, patch: { city: 'Lyon' } } });
    expect(await show('/me/address.json')).toMatchObject({ city: 'Lyon' });
    await expect(control.faults.add({ effect: { patch: (json: object) => json } })).rejects.toThrow('one effect');
  });

  test('changes the latency', async () => {
    await control.setLatency([60, 80]);
    expect(await control.getLatency()).toEqual([60, 80]);
    const started = performance.now();
    await ask('/me/address.json');
    expect(performance.now() - started).toBeGreaterThanOrEqual(58);
    await expect(control.setLatency(-1)).rejects.toThrow('latency must be milliseconds from 0');
  });

  test('waits for a request', async () => {
    const waiting = control.requests.waitFor({ operation: 'address.get', status: 200 });
    await ask('/me/address.json');
    expect(await waiting).toMatchObject({ path: '/me/address.json' });
    const never = control.requests.waitFor({ operation: 'address.delete' }, { timeout: 10 });
    await expect(never).rejects.toThrow('No request matched {"operation":"address.delete"} in 10 ms. 1 were sent');
    await expect(control.requests.waitFor({}, { timeout: -1 })).rejects.toThrow('milliseconds from 0');
  });

  test('reads requests and reports unexpected ones', async () => {
    await ask('/organizations/5.json');
    await ask('/me/address.json');
    expect(await control.requests.list({ operation: 'address.get', status: 200 })).toHaveLength(1);
    expect(await control.requests.list()).toHaveLength(2);
    await control.assertNoUnexpected();
    await ask('/nowhere.json');
    await expect(control.assertNoUnexpected()).rejects.toThrow('GET /nowhere.json -> 404');
    await control.requests.clear();
    await control.assertNoUnexpected();
  });

  test('simulates what the marketplace does, and creates tokens for any user', async () => {
    await control.act.fundCampaign(1, 50);
    await control.act.addCampaignResults(1, { used_amount: 20 });
    await control.act.finishCampaign(4);
    await control.act.reviewCollab(2, 'published');
    await control.act.addCollabResults(1, { submissions_count: 2 });
    await control.act.syncSocialAccount(2);
    await control.act.setSubscription(9, true);
    const { user } = await control.act.addMember(7, { name: 'Zoe', email: 'zoe@example.com' });
    const zoe = await control.createToken({ user, permission: 'read' });
    expect((await ask('/organizations/7.json', zoe.token)).status).toBe(200);
    expect(await show('/organizations/5/campaigns/1.json')).toMatchObject({ used_amount: 20, unused_amount: 30 });
    expect(await show('/organizations/5/campaigns/4.json')).toMatchObject({ status: 'finished' });
    expect(await show('/organizations/5/collabs/2.json')).toMatchObject({ state: 'published' });
    expect(await show('/organizations/5/collabs/1.json')).toMatchObject({ submissions_count: 2 });
    expect(await show('/me/social_accounts/2.json')).toMatchObject({ status: 'verified' });
  });

  test('throws an error with a message and the status if a call is rejected or not reached', async () => {
    await expect(control.act.finishCampaign(1)).rejects.toThrow('Campaign 1 is draft');
    await expect(control.act.finishCampaign(1)).rejects.toMatchObject({ name: 'RemoteControlError', status: 422 });
    const stranger = connectControl({ url: `${server.url}/__mkt/v1/`, token: 'wrong' });
    await expect(stranger.reset()).rejects.toMatchObject({ status: 401, message: expect.stringContaining('token') });
    const unreachable = connectControl({ url: 'http://127.0.0.1:1/__mkt/v1', token });
    const error = await unreachable.reset().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RemoteControlError);
    expect(error).toMatchObject({ status: null, message: expect.stringContaining('Is the server running?') });
    const elsewhere = connectControl({ url: server.url, token });
    await expect(elsewhere.reset()).rejects.toMatchObject({ status: 404 });
    // A page for every address, as development servers have.
    const page = connectControl({ url: `${server.url}/sign_in?`, token });
    for (const call of [() => page.clock.read(), () => page.snapshot()])
      await expect(call()).rejects.toMatchObject({
        status: 200,
        message: expect.stringContaining('is not the control API'),
      });
  });
});

test('the console has the panel as one script, which browsers may store', async () => {
  const page = await (await fetch(`${server.url}/__mkt`, { headers: { Accept: 'text/html' } })).text();
  const [, path = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? [];
  expect(path).toMatch(/^\/assets\/console-[0-9a-f]{10}\.js$/);
  const response = await fetch(server.url + path);
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toContain('immutable');
  const script = await response.text();
  expect(script).toContain('mkt-panel');
  expect(script).not.toMatch(/\b(import|from)\s*["']/);
});
