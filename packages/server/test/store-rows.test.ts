import { describe, expect, test } from 'vitest';
import { tableNames } from '../src/store/tables.js';
import { everyStore, firstPage } from './support/every-store.js';
import {
  accountRow,
  addressRow,
  campaignRow,
  collabRow,
  imageRow,
  membershipRow,
  organizationRow,
  sampleRow,
  tokenRow,
  userRow,
} from './support/rows.js';

everyStore((stage) => {
  const { read, write, addCampaigns } = stage;

  describe('rows', () => {
    test('come back as they were stored, in every table and with every type', async () => {
      const stored = await write(async (writer) => ({
        users: await writer.insert('users', userRow('cleo')),
        access_tokens: await writer.insert('access_tokens', tokenRow('d1', { revoked_at: '2026-05-02T00:00:00Z' })),
        organizations: await writer.insert('organizations', organizationRow({ has_active_subscription: true })),
        memberships: await writer.insert('memberships', membershipRow('m1', { is_owner: true })),
        campaigns: await writer.insert('campaigns', campaignRow({ published_at: '2026-05-01T23:59:59Z' })),
        collabs: await writer.insert('collabs', collabRow()),
        social_accounts: await writer.insert('social_accounts', accountRow('x', { view_count: 0 })),
        addresses: await writer.insert('addresses', addressRow()),
        images: await writer.insert('images', imageRow('i1')),
        ended_sessions: await writer.insert('ended_sessions', { id: 's1', expires_at: '2026-06-01T12:00:00Z' }),
      }));
      expect(stored.campaigns).toEqual({ id: 1, ...campaignRow({ published_at: '2026-05-01T23:59:59Z' }) });
      expect(stored.memberships).toEqual({ position: 1, ...membershipRow('m1', { is_owner: true }) });
      expect(stored.images).toEqual(imageRow('i1'));
      const all: Record<string, { readonly id: string | number }> = { ...stored };
      for (const table of tableNames)
        all[table] ??= await write((writer) => writer.insert(table, sampleRow(table, all) as never));
      for (const table of tableNames)
        expect([table, await read((reader) => reader.get(table, all[table]?.id as never))]).toEqual([
          table,
          all[table],
        ]);
    });

    test.each([
      ['the largest integer (D19)', { view_count: 2 ** 53 - 1 }],
      [
        'text beyond ASCII',
        { name: 'Été 夏 🌞 \u{1F468}\u200D\u{1F469}\u200D\u{1F467}', brief: "'; drop table users; --" },
      ],
      ['text that looks like something else', { name: '[1,2]', website: 'null', brief: '{"a":1}', category: '007' }],
      ['white space and line ends', { name: ' a\t\r\nb ', brief: '' }],
      [
        'lists with quotes, commas and nothing',
        { countries: [], platform_ids: ['a,b', '"c"', '\\', '{}', '', 'NULL'] },
      ],
      ['a time at the start of a leap day', { paused_at: '2028-02-29T00:00:00Z' }],
    ])('keep %s', async (_, changes) => {
      const { id } = await write((writer) => writer.insert('campaigns', campaignRow(changes)));
      expect(await read((reader) => reader.get('campaigns', id))).toMatchObject(changes);
    });

    test('have null in nullable columns that were left out', async () => {
      const user = {
        user_id: 'ada',
        platform_id: 'tiktok',
        account_url: 'https://t.example/@x',
        normalized_url: 't/@x',
      };
      const times = { created_at: '2026-05-01T10:00:00Z', updated_at: '2026-05-01T10:00:00Z' };
      const row = { ...user, ...times, uid: 'x', status: 'pending' };
      const inserted = await write((writer) => writer.insert('social_accounts', row));
      const metrics = ['subscriber_count', 'view_count', 'video_count', 'likes_count', 'engagement_rate'] as const;
      for (const name of [...metrics, 'last_synced_at'] as const) expect(inserted[name], name).toBeNull();
      expect(await read((reader) => reader.get('social_accounts', inserted.id))).toEqual(inserted);
    });

    test('store every byte', async () => {
      // PostgreSQL's are read in pieces of 512 KiB.
      const piece = 512 * 1024;
      for (const length of [0, 70_000, piece - 1, piece, piece + 1, 2 * piece]) {
        const bytes = Uint8Array.from({ length }, (_, index) => (index + (index >> 8)) % 256);
        const row = imageRow(`bytes ${length}`, { bytes });
        await write((writer) => writer.insert('images', row));
        const found = await read((reader) => reader.get('images', row.id));
        expect({ ...found, bytes: null }).toEqual({ ...row, bytes: null });
        expect(found?.bytes.constructor).toBe(Uint8Array);
        expect(Buffer.compare(found?.bytes ?? new Uint8Array(1), bytes)).toBe(0);
      }
    });

    test('are copies or frozen, so callers cannot change them', async () => {
      const given = userRow('cleo');
      const inserted = await write((writer) => writer.insert('users', given));
      await addCampaigns(1);
      const [listed] = await read((reader) => reader.page('campaigns', 'byOrganization', [1], firstPage));
      const got = await read((reader) => reader.get('users', 'cleo'));
      for (const row of [given, inserted, listed, got]) Reflect.set(row ?? {}, 'name', 'changed');

      expect((await read((reader) => reader.get('users', 'cleo')))?.name).toBe('Name of cleo');
      expect((await read((reader) => reader.get('campaigns', 1)))?.name).toBe('Campaign 1');
    });
  });

  describe('look-ups', () => {
    test('get: null without such a row, whatever the id', async () => {
      const ids = [0, -1, 99, 1.5, 2 ** 53, 2 ** 63, 1e300, Number.NaN, Number.POSITIVE_INFINITY];
      for (const id of ids) expect(await read((reader) => reader.get('campaigns', id))).toBeNull();
      for (const id of ['', 'unknown', 'a\0b', '\uD800', '🌞', "'", 'x'.repeat(10_000)])
        expect(await read((reader) => reader.get('users', id))).toBeNull();
    });

    test('find: null without such a key, whatever the key', async () => {
      for (const text of ['', 'a\0b', '\uDFFF', 'unknown@example.com'])
        expect(await read((reader) => reader.find('users', 'byEmail', [text]))).toBeNull();
      const key = [2 ** 70, 'a\0b'];
      expect(await read((reader) => reader.find('memberships', 'byOrganizationAndUser', key))).toBeNull();
    });

    test('page and count: nothing for a key that is not possible', async () => {
      for (const key of [2 ** 53, 1e300, Number.NaN]) {
        expect(await read((reader) => reader.page('campaigns', 'byOrganization', [key], firstPage))).toEqual([]);
        expect(await read((reader) => reader.count('campaigns', 'byOrganization', [key]))).toBe(0);
      }
      expect(await read((reader) => reader.count('access_tokens', 'byUser', ['a\0b']))).toBe(0);
    });

    test('delete and lock: ignore an id that is not possible', async () => {
      await write(async (writer) => {
        expect(await writer.delete('campaigns', 1e300)).toBe(false);
        expect(await writer.delete('users', 'a\0b')).toBe(false);
        await writer.lock('users', 'a\0b');
        await writer.lock('organizations', Number.NaN);
        await writer.lock('organizations', 99);
      });
      expect(await read((reader) => reader.get('users', 'ada'))).not.toBeNull();
    });

    test('getMany: in the order of the ids, without those that are not there, without columns omitted from lists', async () => {
      await addCampaigns(3);
      const rows = await read((reader) => reader.getMany('campaigns', [3, 99, 1, 1e300, 3]));
      expect(rows.map(({ id }) => id)).toEqual([3, 1, 3]);
      expect(rows[0]).not.toHaveProperty('brief');
      expect(await read((reader) => reader.getMany('users', ['ben', 'a\0b', 'ada']))).toEqual([
        userRow('ben'),
        userRow('ada'),
      ]);
      expect(await read((reader) => reader.getMany('users', []))).toEqual([]);
    });

    test('find goes through each unique index', async () => {
      await write(async (writer) => {
        await writer.insert('access_tokens', tokenRow('digest'));
        await writer.insert('memberships', membershipRow('m1'));
        await writer.insert('social_accounts', accountRow('tiktok.com/@acme'));
        await writer.insert('addresses', addressRow());
      });
      await read(async (reader) => {
        expect(await reader.find('users', 'byEmail', ['ben@example.com'])).toEqual(userRow('ben'));
        expect((await reader.find('access_tokens', 'byDigest', ['digest']))?.id).toBe(1);
        expect((await reader.find('memberships', 'byOrganizationAndUser', [1, 'ada']))?.id).toBe('m1');
        expect(await reader.find('memberships', 'byOrganizationAndUser', [2, 'ada'])).toBeNull();
        expect((await reader.find('social_accounts', 'byNormalizedUrl', ['tiktok.com/@acme']))?.id).toBe(1);
        expect((await reader.find('addresses', 'byUser', ['ada']))?.id).toBe(1);
      });
    });

    test('columns omitted from lists are absent from pages and present in get and find', async () => {
      await addCampaigns(1);
      await write((writer) => writer.insert('images', imageRow('i1')));
      const lists = await read(async (reader) => [
        ...(await reader.page('campaigns', 'byOrganization', [1], firstPage)),
        ...(await reader.page('images', 'byOrganization', [1], firstPage)),
      ]);
      expect(lists).toHaveLength(2);
      for (const row of lists) expect(Object.keys(row)).not.toContain('brief');
      expect(lists[1]).toEqual({ id: 'i1', organization_id: 1, type: 'image/png' });
      expect((await read((reader) => reader.get('campaigns', 1)))?.brief).toBe('<p>Brief</p>');
    });
  });

  describe('updates', () => {
    test('change only the named columns and return the whole row', async () => {
      const before = await write((writer) => writer.insert('campaigns', campaignRow()));
      const changes = { name: 'New', countries: ['FR'], website: 'https://acme.example', brief: null };
      expect(await write((writer) => writer.update('campaigns', 1, changes))).toEqual({ ...before, ...changes });
      expect(await read((reader) => reader.get('campaigns', 1))).toEqual({ ...before, ...changes });
    });

    test('without changes return the row', async () => {
      expect(await write((writer) => writer.update('users', 'ada', {}))).toEqual(userRow('ada'));
    });

    test('of a row that does not exist are an error', async () => {
      for (const changes of [{ name: 'x' }, {}])
        await expect(write((writer) => writer.update('campaigns', 99, changes))).rejects.toThrow(
          'campaigns 99 does not exist.',
        );
    });
  });
});
