import { describe, expect, test, vi } from 'vitest';
import type { Scan } from '../src/store/store.js';
import { everyStore, firstPage } from './support/every-store.js';
import { campaignRow, imageRow, membershipRow, tokenRow, userRow } from './support/rows.js';

everyStore((stage) => {
  const { read, write, addCampaigns } = stage;

  describe('order', () => {
    test('memberships: admins first, then by joining order (D4)', async () => {
      await write(async (writer) => {
        for (const id of ['u1', 'u2', 'u3', 'u4']) await writer.insert('users', userRow(id));
        for (const [id, role] of [
          ['u1', 'member'],
          ['u2', 'admin'],
          ['u3', 'member'],
          ['u4', 'admin'],
        ] as const)
          await writer.insert('memberships', membershipRow(`m_${id}`, { user_id: id, role }));
      });
      const ids = () =>
        read(async (reader) =>
          (await reader.page('memberships', 'byOrganization', [1], firstPage)).map(({ user_id }) => user_id),
        );
      expect(await ids()).toEqual(['u2', 'u4', 'u1', 'u3']);
      await write((writer) => writer.update('memberships', 'm_u1', { role: 'admin' }));
      expect(await ids()).toEqual(['u1', 'u2', 'u4', 'u3']);

      await read(async (reader) => {
        expect(await reader.count('memberships', 'byOrganizationAndRole', [1, 'admin'])).toBe(3);
        const admins = await reader.page('memberships', 'byOrganizationAndRole', [1, 'admin'], firstPage);
        expect(admins.map(({ id }) => id)).toEqual(['m_u1', 'm_u2', 'm_u4']);
        expect(await reader.count('memberships', 'byOrganizationAndRole', [2, 'admin'])).toBe(0);
      });
    });

    test("a user's organizations by their id, not by joining order", async () => {
      await write(async (writer) => {
        await writer.insert('memberships', membershipRow('m1', { organization_id: 2 }));
        await writer.insert('memberships', membershipRow('m2', { organization_id: 1 }));
      });
      const rows = await read((reader) => reader.page('memberships', 'byUser', ['ada'], firstPage));
      expect(rows.map(({ organization_id }) => organization_id)).toEqual([1, 2]);
    });

    test('images by their text id, byte by byte', async () => {
      await write(async (writer) => {
        for (const id of ['b', 'B', 'a', '_', '1', 'Z', 'é', '-']) await writer.insert('images', imageRow(id));
      });
      const rows = await read((reader) => reader.page('images', 'byOrganization', [1], firstPage));
      expect(rows.map(({ id }) => id)).toEqual(['-', '1', 'B', 'Z', '_', 'a', 'b', 'é']);
    });

    test('tokens: revoked ones are not listed, and are listed again once they are not revoked', async () => {
      await write(async (writer) => {
        for (const digest of ['a', 'b', 'c']) await writer.insert('access_tokens', tokenRow(digest));
        await writer.update('access_tokens', 2, { revoked_at: '2026-05-02T00:00:00Z' });
      });
      const ids = () =>
        read(async (reader) => (await reader.page('access_tokens', 'byUser', ['ada'], firstPage)).map(({ id }) => id));
      expect(await ids()).toEqual([1, 3]);
      expect(await read((reader) => reader.count('access_tokens', 'byUser', ['ada']))).toBe(2);
      await write((writer) => writer.update('access_tokens', 2, { revoked_at: null }));
      expect(await ids()).toEqual([1, 2, 3]);
    });
  });

  describe('pages', () => {
    test('every slice of a list is the slice of the whole', async () => {
      await addCampaigns(45);
      const all = await read((reader) => reader.page('campaigns', 'byOrganization', [1], { offset: 0, limit: 100 }));
      expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
      for (const offset of [0, 1, 20, 40, 44, 45, 46, 1000, 1001, 2 ** 40, 2 ** 53 - 1, 2 ** 60, 1e22])
        expect(await read((reader) => reader.page('campaigns', 'byOrganization', [1], { offset, limit: 20 }))).toEqual(
          all.slice(offset, offset + 20),
        );
      expect(await read((reader) => reader.page('campaigns', 'byOrganization', [2], firstPage))).toEqual([]);
    });

    test('far pages of a long list are right too', async () => {
      const rows = Array.from({ length: 2507 }, (_, index) => ({
        id: index + 1,
        ...campaignRow({ status: index % 3 === 0 ? 'draft' : 'active' }),
      }));
      const dump = await stage.store.dump();
      await stage.store.load({ ...dump, tables: { ...dump.tables, campaigns: rows } });
      const published = rows.filter(({ status }) => status !== 'draft');
      const ids = (list: readonly { id: number | string }[]) => list.map(({ id }) => id);
      for (const offset of [980, 999, 1000, 1001, 1240, 1260, 1653, 1660, 1671, 2480, 2500, 2506, 2507, 2520]) {
        for (const [index, all] of [
          ['byOrganization', rows],
          ['byOrganizationWithoutDrafts', published],
        ] as const)
          expect([
            offset,
            ids(await read((reader) => reader.page('campaigns', index, [1], { offset, limit: 20 }))),
          ]).toEqual([offset, ids(all.slice(offset, offset + 20))]);
      }
    });
  });

  describe('scans', () => {
    const names = (scan: Partial<Scan>, organization = 1) =>
      read(async (reader) =>
        (await reader.scan('campaigns', 'byOrganization', [organization], { limit: 100, ...scan })).map(
          ({ name }) => name,
        ),
      );

    test('begin after any row, in both directions', async () => {
      await addCampaigns(5);
      await write((writer) => writer.delete('campaigns', 3));
      expect(await names({ after: 1, limit: 2 })).toEqual(['Campaign 2', 'Campaign 4']);
      expect(await names({ after: 3 })).toEqual(['Campaign 4', 'Campaign 5']);
      expect(await names({ newestFirst: true, limit: 2 })).toEqual(['Campaign 5', 'Campaign 4']);
      expect(await names({ newestFirst: true, after: 3 })).toEqual(['Campaign 2', 'Campaign 1']);
      expect(await names({ after: 5 })).toEqual([]);
      expect(await names({}, 2)).toEqual([]);
      const [row] = await read((reader) => reader.scan('campaigns', 'byOrganization', [1], { limit: 1 }));
      expect(row).not.toHaveProperty('brief');
    });

    test('find a part of a name, ignoring case and accents, and nothing else as a pattern', async () => {
      const all = ['Crème de nuit', 'GLOW 100% "natural"', 'under_score\\', '夏の新作', 'Größe XL', 'Ñandú', 'Straße'];
      all.push('Water aternal', 'Aqua');
      for (const name of all) await addCampaigns(1, { name });
      await addCampaigns(1, { name: 'Crème', organization_id: 2 });
      const search = async (text: string) => (await names({ text })).map((name) => all.indexOf(name));
      expect(await search('creme')).toEqual([0]);
      expect(await search('CRÈME DE')).toEqual([0]);
      expect(await search('  crème   de ')).toEqual([0]);
      expect(await search('cre\u0300me')).toEqual([0]);
      expect(await search('ÑANDU')).toEqual([5]);
      expect(await search('größe')).toEqual([4]);
      expect(await search('100%')).toEqual([1]);
      expect(await search('"nat')).toEqual([1]);
      expect(await search('r_s')).toEqual([2]);
      expect(await search('re\\')).toEqual([2]);
      expect(await search('夏の新')).toEqual([3]);
      expect(await search('新作')).toEqual([3]);
      expect(await search('GL')).toEqual([1]);
      // Words in any order, also those that are too short for an index.
      expect(await search('nuit crème')).toEqual([0]);
      expect(await search('nui DE cre')).toEqual([0]);
      expect(await search('de 00 ow')).toEqual([]);
      expect(await search('00 ow')).toEqual([1]);
      expect(await search('natural glow %')).toEqual([1]);
      expect(await search('nuit glow')).toEqual([]);
      expect(await search('creme x')).toEqual([]);
      expect(await search('qu q')).toEqual([8]);
      // All of its parts are in a name, but not together.
      expect(await search('waternal')).toEqual([]);
      for (const text of [
        '%%%',
        '___',
        'cre OR glow',
        'glow*',
        '\0',
        '\ud800',
        'name:glow',
        '*',
        '^glo',
        'q q9',
        'aQq',
        'OO',
      ])
        expect([text, await search(text)]).toEqual([text, []]);
      expect(await names({ text: 'e', newestFirst: true, limit: 2 })).toEqual(['Water aternal', 'Straße']);
    });

    test('find each of 500 names of all scripts by itself, however it is composed', async () => {
      const own = [
        '한국 여름',
        'パーティー',
        'Ёлка',
        '１２３',
        'A  B',
        'ΟΔΟΣ',
        'İstanbul',
        'ﬁne',
        'Việt',
        'Ǆ x',
        '👩‍👩‍👧 sale',
      ];
      const blocks = [
        0xc0, 0x100, 0x370, 0x400, 0x531, 0x5d0, 0x620, 0x904, 0xe01, 0x10a0, 0x1e00, 0x1f00, 0x3041, 0x30a1,
      ];
      const others = [0x3300, 0x4e00, 0xac00, 0xb000, 0xf900, 0xfb00, 0xff10, 0x10400, 0x1d400, 0x1f600];
      const generated = [...blocks, ...others].flatMap((start) =>
        Array.from({ length: 21 }, (_, place) => {
          const points = [0, 1, 2, 3].map((step) => String.fromCodePoint(start + place * 3 + step));
          return points.join('').replace(/\p{Cn}/gu, '');
        }).filter((name) => name.trim() !== ''),
      );
      const all = [...own, ...generated];
      expect(all.length).toBeGreaterThan(500);
      for (const name of all) await addCampaigns(1, { name });
      const missed: string[] = [];
      for (const name of all)
        for (const text of new Set([name, name.normalize('NFD'), name.normalize('NFKC')]))
          if (!(await names({ text, limit: 600 })).includes(name)) missed.push(`${name} by ${text}`);
      for (const text of ['하', '한국', '국 여', 'ーテ', 'елка', '123', 'a b', 'οδοσ', 'ISTANBUL', 'viet', 'FIN'])
        if ((await names({ text, limit: 600 })).length === 0) missed.push(text);
      expect(missed).toEqual([]);
    });

    test('find names as they are after renames, deletions, rollbacks, loads and moves', async () => {
      await addCampaigns(3);
      await write((writer) => writer.update('campaigns', 1, { name: 'Renamed' }));
      await write((writer) => writer.update('campaigns', 2, { status: 'active' }));
      await write((writer) => writer.delete('campaigns', 3));
      const dump = await stage.store.dump();
      await expect(
        write(async (writer) => {
          await writer.update('campaigns', 2, { name: 'Renamed too' });
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      const check = async () =>
        expect([await names({ text: 'campaign' }), await names({ text: 'renamed' })]).toEqual([
          ['Campaign 2'],
          ['Renamed'],
        ]);
      await check();
      await stage.store.load(dump);
      await check();
      const byStatus = await read((reader) =>
        reader.scan('campaigns', 'byOrganizationAndStatus', [1, 'active'], { limit: 5, text: 'camp' }),
      );
      expect(byStatus.map(({ name }) => name)).toEqual(['Campaign 2']);
      await write((writer) => writer.update('campaigns', 2, { organization_id: 2 }));
      expect([await names({ text: 'campaign' }), await names({ text: 'campaign' }, 2)]).toEqual([[], ['Campaign 2']]);
      await write((writer) => writer.deleteOrganization(2));
      await vi.waitFor(async () => expect(await names({ text: 'campaign' }, 2)).toEqual([]));
    });
  });

  describe('totals', () => {
    const totals = () =>
      read(async (reader) => ({
        all: await reader.count('campaigns', 'byOrganization', [1]),
        published: await reader.count('campaigns', 'byOrganizationWithoutDrafts', [1]),
        others: await reader.count('campaigns', 'byOrganization', [2]),
      }));

    test('follow inserts, status changes, moves and deletes', async () => {
      expect(await totals()).toEqual({ all: 0, published: 0, others: 0 });
      await addCampaigns(3);
      await addCampaigns(2, { status: 'active' });
      expect(await totals()).toEqual({ all: 5, published: 2, others: 0 });
      await write((writer) => writer.update('campaigns', 1, { status: 'active' }));
      expect(await totals()).toEqual({ all: 5, published: 3, others: 0 });
      await write((writer) => writer.update('campaigns', 1, { status: 'paused', name: 'Paused' }));
      expect(await totals()).toEqual({ all: 5, published: 3, others: 0 });
      await write((writer) => writer.update('campaigns', 1, { status: 'draft' }));
      expect(await totals()).toEqual({ all: 5, published: 2, others: 0 });
      await write((writer) => writer.update('campaigns', 4, { organization_id: 2 }));
      expect(await totals()).toEqual({ all: 4, published: 1, others: 1 });
      await write(async (writer) => {
        expect(await writer.delete('campaigns', 5)).toBe(true);
        expect(await writer.delete('campaigns', 5)).toBe(false);
      });
      expect(await totals()).toEqual({ all: 3, published: 0, others: 1 });
    });

    test('inside a transaction are those of the transaction; a rollback takes them back', async () => {
      await addCampaigns(2, { status: 'active' });
      await expect(
        write(async (writer) => {
          await writer.insert('campaigns', campaignRow());
          await writer.delete('campaigns', 1);
          expect(await writer.count('campaigns', 'byOrganization', [1])).toBe(2);
          expect(await writer.count('campaigns', 'byOrganizationWithoutDrafts', [1])).toBe(1);
          throw new Error('taken back');
        }),
      ).rejects.toThrow('taken back');
      expect(await totals()).toEqual({ all: 2, published: 2, others: 0 });
    });

    test('go with their organization', async () => {
      await addCampaigns(3, { status: 'active' });
      await addCampaigns(2, { organization_id: 2 });
      await write((writer) => writer.deleteOrganization(1));
      await vi.waitFor(async () => expect(await totals()).toEqual({ all: 0, published: 0, others: 2 }));
    });

    test('are those of the data that was loaded', async () => {
      await addCampaigns(3, { status: 'active' });
      const dump = await stage.store.dump();
      await addCampaigns(4);
      await stage.store.load(dump);
      expect(await totals()).toEqual({ all: 3, published: 3, others: 0 });
    });
  });
});
