import { testControls } from '@mkt/mock-server/node';
import { type AuditEntry, AuditedRequest, demoSeed, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { everyStore } from '../../server/test/support/every-store.js';
import { campaignRow } from '../../server/test/support/rows.js';
import { openTestStore, storeKinds, type TestStore } from '../../server/test/support/stores.js';
import { createActs } from '../src/control/acts.js';
import { createControl } from '../src/control/control.js';

// The controls over each store, and the hooks of the server that they use.
const seed = demoSeed('opaque');
const idOf = (table: 'organizations' | 'campaigns', number: number) =>
  String(seed.tables[table].find((row) => (row as { position?: number }).position === number)?.id);

everyStore((stage) => {
  test('acts do not change rows of a deleted organization, which may still exist for a moment', async () => {
    const { tables } = await stage.store.dump();
    const last = 2000;
    const campaigns = Array.from({ length: last }, (_, index) => ({ id: index + 1, ...campaignRow() }));
    await stage.store.load({ tables: { ...tables, campaigns }, serials: {} });
    await stage.write((writer) => writer.deleteOrganization(1));
    const acts = createActs({
      store: stage.store,
      now: () => '2026-06-01T12:00:00Z',
      random: () => '',
      sha256: () => '',
    });
    await expect(acts.fundCampaign(last, 5)).rejects.toThrow(`Campaign ${last} does not exist.`);
    await expect(acts.addMember(1, { user: 'ben' })).rejects.toThrow('Organization 1 does not exist.');
  });
});

describe.each(storeKinds)('opaque ids (D140), on %s', (kind) => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openTestStore(kind, 'opaque');
    await opened.store.load(seed);
  });
  afterAll(() => opened?.dispose());

  test('control methods take them, also to deletion of the organization', async () => {
    const { control } = createControl({
      store: opened.store,
      seed: async () => seed,
      pages: false,
      forget: () => undefined,
    });
    await opened.store.load(seed);
    const dump = await opened.store.dump();
    const campaign = idOf('campaigns', 3);
    const before = await opened.store.read((reader) => reader.get('campaigns', campaign));
    await control.act.fundCampaign(campaign, 500);
    const after = await opened.store.read((reader) => reader.get('campaigns', campaign));
    expect(after?.total_budget_amount).toBe((before?.total_budget_amount ?? 0) + 500);
    await expect(control.act.fundCampaign(3, 500)).rejects.toThrow('Campaign 3 does not exist.');
    const snapshot = await control.snapshot();
    const organization = idOf('organizations', 7);
    await opened.store.transact((writer) => writer.deleteOrganization(organization));
    expect(await opened.store.read((reader) => reader.get('organizations', organization))).toBeNull();
    await control.restore(JSON.parse(JSON.stringify(snapshot)));
    expect(await control.snapshot()).toEqual(snapshot);
    await control.reset();
    expect(await opened.store.dump()).toEqual(dump);
  });

  test('a snapshot with integers is rejected', async () => {
    const { control } = createControl({
      store: opened.store,
      seed: async () => seed,
      pages: false,
      forget: () => undefined,
    });
    const snapshot = await control.snapshot();
    const { tables, serials } = demoSeed();
    await expect(
      control.restore(JSON.parse(JSON.stringify({ ...snapshot, tables: { ...tables, images: [] }, serials }))),
    ).rejects.toThrow(/is not of the type/);
  });
});

test.each(['reset', 'seed', 'restore'] as const)('%s clears what the app remembers of the data', async (method) => {
  const forget = vi.fn();
  const { control } = createControl({ store: memoryStore('integer', demoSeed()), seed: demoSeed, pages: true, forget });
  const snapshot = await control.snapshot();
  expect(forget).not.toHaveBeenCalled();
  await { reset: () => control.reset(), seed: () => control.seed('demo'), restore: () => control.restore(snapshot) }[
    method
  ]();
  expect(forget).toHaveBeenCalledOnce();
});

test('control calls that change something are in the audit log, and taken back if they fail', async () => {
  const token = 'x'.repeat(32);
  const entries: unknown[] = [];
  await using server = await serve({
    store: memoryStore('integer', demoSeed()),
    port: 0,
    audit: {
      check: async () => undefined,
      request: () => new AuditedRequest(async (some) => void entries.push(...some)),
    },
    extend: testControls({ token, seed: demoSeed }),
  });
  const call = async (method: string, path: string, body: string | null = null) =>
    (await fetch(`${server.url}/__mkt/v1${path}`, { method, body, headers: { Authorization: `Bearer ${token}` } }))
      .status;
  expect(await call('GET', '/requests')).toBe(200);
  expect(entries).toEqual([]);
  expect(await call('POST', '/reset')).toBe(204);
  expect(entries).toMatchObject([
    { operation: 'control POST /reset', path: '/__mkt/v1/reset', status: 204, user_id: null, token_id: null },
  ]);
  expect(await call('POST', '/act/finishCampaign')).toBe(422);
  // The body is parsed after the entry was written.
  expect(await call('POST', '/act/finishCampaign', '{')).toBe(400);
  expect(await call('PUT', '/seed', '{"seed":"demo"}')).toBe(200);
  expect(entries.slice(1).map((entry) => (entry as AuditEntry).status)).toEqual([204, 422, 204, 400, 200]);
});

test('no response of the control API may be read as another type than it says', async () => {
  await using server = await serve({
    store: memoryStore('integer', demoSeed()),
    port: 0,
    extend: testControls({ token: 'control', seed: demoSeed }),
  });
  const headers = { Authorization: 'Bearer control' };
  const requests: [string, RequestInit, number][] = [
    ['/clock', { headers }, 200],
    ['/faults', { method: 'DELETE', headers }, 204],
    ['/clock', {}, 401],
  ];
  for (const [path, init, status] of requests) {
    const response = await fetch(`${server.url}/__mkt/v1${path}`, init);
    expect([path, response.status, response.headers.get('x-content-type-options')]).toEqual([path, status, 'nosniff']);
  }
});
