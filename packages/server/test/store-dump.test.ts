import { describe, expect, test } from 'vitest';
import { Conflict, type Dump, type Store } from '../src/store/store.js';
import { everyStore, nothing } from './support/every-store.js';
import {
  accountRow,
  addressRow,
  campaignRow,
  collabRow,
  imageRow,
  membershipRow,
  tokenRow,
  userRow,
} from './support/rows.js';
import { openTestStore } from './support/stores.js';

everyStore((stage) => {
  const { kind, write } = stage;

  describe('serial numbers', () => {
    const add = (changes: Parameters<typeof campaignRow>[0] = {}) =>
      write(async (writer) => (await writer.insert('campaigns', campaignRow(changes))).id);

    test('count up from 1 and are never used twice, not even the last one', async () => {
      expect([await add(), await add(), await add()]).toEqual([1, 2, 3]);
      await write((writer) => writer.delete('campaigns', 3));
      expect(await add()).toBe(4);
      await write((writer) => writer.deleteOrganization(1));
      expect(await add({ organization_id: 2 })).toBe(5);
    });

    test('are part of a dump: a deleted number is not reused after dump and load', async () => {
      await add();
      await add();
      await write((writer) => writer.delete('campaigns', 2));
      const dump = await stage.store.dump();
      expect(dump.serials).toMatchObject({ campaigns: 3, collabs: 1, organizations: 3, memberships: 1 });
      await add();
      await stage.store.load(dump);
      expect(await add()).toBe(3);
    });

    test('continue after the highest loaded one if the dump contains none', async () => {
      const dump = await stage.store.dump();
      await stage.store.load({ tables: { ...dump.tables, campaigns: [{ id: 12, ...campaignRow() }] }, serials: {} });
      expect(await add()).toBe(13);
    });

    test('of memberships give the order of joining', async () => {
      const positions = await write(async (writer) => [
        (await writer.insert('memberships', membershipRow('m1'))).position,
        (await writer.insert('memberships', membershipRow('m2', { user_id: 'ben' }))).position,
      ]);
      expect(positions).toEqual([1, 2]);
    });
  });

  describe('dump and load', () => {
    const everything = () =>
      write(async (writer) => {
        await writer.insert('access_tokens', tokenRow('d', { revoked_at: '2026-05-02T00:00:00Z' }));
        await writer.insert('memberships', membershipRow('zz', { role: 'admin', is_owner: true }));
        await writer.insert('memberships', membershipRow('aa', { user_id: 'ben' }));
        await writer.insert(
          'campaigns',
          campaignRow({ name: '夏 🌞 "\\\'', platform_ids: ['a,b', '"'], view_count: 2 ** 53 - 1 }),
        );
        await writer.insert('collabs', collabRow());
        await writer.insert('social_accounts', accountRow('url', { engagement_rate: '0.0420' }));
        await writer.insert('addresses', addressRow({ latitude: '37.3300' }));
        await writer.insert('images', imageRow('i', { bytes: Uint8Array.from({ length: 256 }, (_, byte) => byte) }));
        await writer.update('memberships', 'zz', { role: 'member' });
      });

    test('restore everything', async () => {
      await everything();
      const dump = await stage.store.dump();
      expect(dump.tables.campaigns[0]).toMatchObject({ name: '夏 🌞 "\\\'', view_count: 2 ** 53 - 1 });
      expect(dump.tables.memberships.map(({ id }) => id)).toEqual(['zz', 'aa']);
      await stage.store.load(nothing);
      expect(await stage.store.isEmpty()).toBe(true);
      await stage.store.load(dump);
      expect(await stage.store.dump()).toEqual(dump);
      expect(await stage.store.isEmpty()).toBe(false);
    });

    test('fill loads into an empty store only', async () => {
      const dump = await stage.store.dump();
      expect([await stage.store.fill(nothing), await stage.store.dump()]).toEqual([false, dump]);
      await stage.store.load(nothing);
      expect([await stage.store.fill(dump), await stage.store.dump()]).toEqual([true, dump]);
    });

    test('a dump is the same on every store, and each loads the others', async () => {
      await everything();
      const dump = await stage.store.dump();
      const other = await openTestStore(kind === 'memory' ? 'sqlite' : 'memory');
      try {
        await other.store.load(dump);
        expect(await other.store.dump()).toEqual(dump);
        await stage.store.load(await other.store.dump());
        expect(await stage.store.dump()).toEqual(dump);
      } finally {
        await other.dispose();
      }
    });

    test('sessions that have ended stay ended, whatever is loaded', async () => {
      const end = (id: string) =>
        write((writer) => writer.insert('ended_sessions', { id, expires_at: '2026-06-01T12:00:00Z' }));
      const hasEnded = (store: Store, id: string) =>
        store.read(async (reader) => (await reader.get('ended_sessions', id)) !== null);
      await end('before');
      const dump = await stage.store.dump();
      await end('after');
      await stage.store.load(dump);
      expect([await hasEnded(stage.store, 'before'), await hasEnded(stage.store, 'after')]).toEqual([true, true]);
      const other = await openTestStore(kind);
      try {
        await other.store.load(dump);
        expect(await hasEnded(other.store, 'before')).toBe(true);
      } finally {
        await other.dispose();
      }
    });

    test('a dump that cannot be loaded changes nothing', async () => {
      await everything();
      const dump = await stage.store.dump();
      const twice = {
        ...dump,
        tables: { ...dump.tables, users: [...dump.tables.users, userRow('x', { email: 'ada@example.com' })] },
      };
      await expect(stage.store.load(twice)).rejects.toThrow(Conflict);
      expect(await stage.store.dump()).toEqual(dump);
      expect(await write(async (writer) => (await writer.insert('campaigns', campaignRow())).id)).toBe(2);
    });

    test('a dump is a consistent snapshot', async () => {
      let dumps: Dump[] = [];
      await Promise.all([
        (async () => {
          dumps = await Promise.all(Array.from({ length: 5 }, () => stage.store.dump()));
        })(),
        ...Array.from({ length: 20 }, (_, index) =>
          write(async (writer) => {
            await writer.insert('campaigns', campaignRow());
            await writer.count('collabs', 'byOrganization', [1]);
            await writer.insert('collabs', collabRow({ name: `with ${index}` }));
          }),
        ),
      ]);
      for (const { tables } of dumps) expect(tables.collabs).toHaveLength(tables.campaigns.length);
    });
  });

  test('ping succeeds', async () => {
    await expect(stage.store.ping()).resolves.toBeUndefined();
  });
});
