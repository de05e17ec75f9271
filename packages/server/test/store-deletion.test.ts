import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Dump, PersistentStore, Store } from '../src/store/store.js';
import { type Api, demoApi } from './support/api.js';
import { everyStore, firstPage } from './support/every-store.js';
import { isLong } from './support/long.js';
import { campaignRow, imageRow, membershipRow, organizationRow } from './support/rows.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';

const many = isLong ? 100_000 : 6000;

/** Adds `count` campaigns of `organization`. Loads a dump, because inserts take longer. */
async function loadCampaigns(store: Store, organization: number, count: number): Promise<Dump> {
  const dump = await store.dump();
  const first = (dump.serials.campaigns ?? 1) + 1;
  const rows = Array.from({ length: count }, (_, index) => ({
    id: first + index,
    ...campaignRow({ organization_id: organization, status: index % 2 ? 'active' : 'draft' }),
  }));
  const filled = { tables: { ...dump.tables, campaigns: [...dump.tables.campaigns, ...rows] }, serials: {} };
  await store.load(filled);
  return filled;
}

const countIn = (store: Store, organization: number) =>
  store.read((reader) => reader.count('campaigns', 'byOrganization', [organization]));
const removed = (store: Store, organization: number) =>
  vi.waitFor(async () => expect(await countIn(store, organization)).toBe(0), { timeout: 60_000, interval: 20 });

everyStore((stage) => {
  const { kind } = stage;
  const fill = async (count: number): Promise<Dump> => {
    await stage.write(async (writer) => {
      for (const [index, user] of ['ada', 'ben'].entries())
        await writer.insert('memberships', membershipRow(`m${index}`, { user_id: user }));
      await writer.insert('memberships', membershipRow('other', { organization_id: 2 }));
      for (let number = 0; number < 25; number += 1)
        await writer.insert('images', imageRow(`image ${number}`, { organization_id: number < 24 ? 1 : 2 }));
    });
    await stage.addCampaigns(2, { organization_id: 2 });
    return loadCampaigns(stage.store, 1, count);
  };

  describe('a deleted organization', () => {
    test('is gone with the commit, and its rows soon after; other organizations keep theirs', async () => {
      const before = await fill(1200);
      await stage.write((writer) => writer.deleteOrganization(1));
      const { tables } = await stage.store.dump();
      expect(tables).toEqual({
        ...before.tables,
        organizations: before.tables.organizations.filter(({ id }) => id === 2).map((row) => ({ ...row })),
        memberships: before.tables.memberships.filter(({ id }) => id === 'other'),
        campaigns: before.tables.campaigns.filter((campaign) => campaign.organization_id === 2),
        images: before.tables.images.filter(({ id }) => id === 'image 24'),
      });
      await stage.read(async (reader) => {
        expect(await reader.get('organizations', 1)).toBeNull();
        expect(await reader.getMany('organizations', [1, 2])).toHaveLength(1);
        expect(await reader.find('memberships', 'byOrganizationAndUser', [1, 'ada'])).toBeNull();
        expect(await reader.count('memberships', 'byUser', ['ben'])).toBe(0);
      });
      await removed(stage.store, 1);
      await vi.waitFor(async () => {
        const left = await stage.read((reader) => reader.page('images', 'byOrganization', [1], firstPage));
        expect(left).toEqual([]);
      });
      expect(await stage.read((reader) => reader.count('campaigns', 'byOrganizationWithoutDrafts', [1]))).toBe(0);
      expect(await countIn(stage.store, 2)).toBe(2);
    });

    test('is there again after a rollback, with all its rows', async () => {
      const before = await fill(50);
      await expect(
        stage.write(async (writer) => {
          await writer.deleteOrganization(1);
          expect(await writer.get('organizations', 1)).toBeNull();
          throw new Error('taken back');
        }),
      ).rejects.toThrow('taken back');
      expect((await stage.store.dump()).tables).toEqual(before.tables);
      await stage.write((writer) => writer.insert('organizations', organizationRow()));
      expect(await countIn(stage.store, 1)).toBe(50);
    });

    test('two can be deleted at once', async () => {
      await fill(700);
      await stage.write(async (writer) => {
        await writer.deleteOrganization(1);
        await writer.deleteOrganization(2);
      });
      expect((await stage.store.dump()).tables.organizations).toEqual([]);
      await removed(stage.store, 1);
      await removed(stage.store, 2);
    });

    test('is not removed when a dump restores it meanwhile', async () => {
      const before = await fill(2000);
      await stage.write((writer) => writer.deleteOrganization(1));
      await stage.store.load(before);
      await stage.write((writer) => writer.deleteOrganization(2));
      await removed(stage.store, 2);
      expect(await countIn(stage.store, 1)).toBe(2000);
      expect(await stage.read((reader) => reader.get('organizations', 1))).not.toBeNull();
    });

    test.skipIf(kind === 'memory')('is not in a backup that is made meanwhile', async () => {
      await fill(many);
      await stage.write((writer) => writer.deleteOrganization(1));
      const rows: string[] = [];
      for await (const part of (stage.store as PersistentStore).backup())
        if ('rows' in part)
          for (const row of part.rows as readonly { organization_id?: number; id: unknown }[])
            if (row.organization_id === 1 || part.table.includes('organizations')) rows.push(`${part.table} ${row.id}`);
      expect(rows).toEqual(['organizations 2']);
    });

    test.skipIf(kind === 'memory')('is removed in steps: others write in between', async () => {
      await fill(many);
      await stage.write((writer) => writer.deleteOrganization(1));
      const left: number[] = [];
      // Other writers come first, several times.
      do {
        await stage.addCampaigns(1, { organization_id: 2 });
        left.push(await countIn(stage.store, 1));
        // As between two requests: SQLite answers without giving other work of the process a turn.
        await new Promise((resolve) => setImmediate(resolve));
      } while (left.at(-1) !== 0 && left.length < 10_000);
      expect(left.at(-1)).toBe(0);
      expect(left.filter((count) => count > 0).length).toBeGreaterThan(1);
    });
  });
});

describe.each(storeKinds)('over the API, on %s', (kind) => {
  let opened: TestStore;
  let api: Api;
  beforeAll(async () => {
    opened = await openTestStore(kind);
    api = await demoApi({ store: opened.store });
  });
  afterAll(() => opened?.dispose());

  test('a large organization is deleted: 204, and every address of it is 404 at once', async () => {
    const { store } = opened;
    await loadCampaigns(store, 5, many);
    const organization = (await api.call('ada_write', 'GET', '/organizations/5.json')).body;
    const [campaign] = (await api.call('ada_write', 'GET', '/organizations/5/campaigns.json')).body;
    const logo = new URL(organization.logo_url).pathname;
    expect((await api.call(null, 'GET', logo)).status).toBe(200);
    expect((await api.call('ada_write', 'DELETE', '/organizations/5.json')).status).toBe(204);
    const get = async (path: string) => (await api.call('ada_write', 'GET', path)).status;
    for (const path of ['', '/members', '/campaigns', '/collabs', `/campaigns/${campaign.id}`])
      expect([path, await get(`/organizations/5${path}.json`)]).toEqual([path, 404]);
    expect(await get(logo)).toBe(404);
    expect((await api.call('ada_write', 'DELETE', '/organizations/5.json')).status).toBe(404);
    const { body } = await api.call('ada_write', 'GET', '/organizations.json');
    expect(body.map(({ id }: { id: number }) => id)).toEqual([7]);
    await removed(store, 5);
  });
});
