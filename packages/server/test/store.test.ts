import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Conflict, type Dump, type Reader, type Store, type Writer } from '../src/store/store.js';
import { type TableName, tableNames } from '../src/store/tables.js';
import {
  accountRow,
  addressRow,
  campaignRow,
  collabRow,
  imageRow,
  membershipRow,
  organizationRow,
  tokenRow,
  userRow,
} from './support/rows.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';

const nothing: Dump = {
  tables: Object.fromEntries(tableNames.map((name) => [name, []])) as unknown as Dump['tables'],
  serials: {},
};
const firstPage = { offset: 0, limit: 20 };

describe.each(storeKinds)('the %s store', (kind) => {
  let opened: TestStore;
  let store: Store;

  beforeAll(async () => {
    opened = await openTestStore(kind);
    store = opened.store;
  });
  afterAll(() => opened?.dispose());

  /** Two users, two organizations. */
  beforeEach(async () => {
    await store.load(nothing);
    await store.transact(async (writer) => {
      await writer.insert('users', userRow('ada'));
      await writer.insert('users', userRow('ben'));
      await writer.insert('organizations', organizationRow());
      await writer.insert('organizations', organizationRow({ name: 'Globex' }));
    });
  });

  const read = <Result>(work: (reader: Reader) => Promise<Result>) => store.read(work);
  const write = <Result>(work: (writer: Writer) => Promise<Result>) => store.transact(work);
  const addCampaigns = (count: number, changes: Parameters<typeof campaignRow>[0] = {}) =>
    write(async (writer) => {
      for (let number = 1; number <= count; number++)
        await writer.insert('campaigns', campaignRow({ name: `Campaign ${number}`, ...changes }));
    });

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
      }));
      expect(stored.campaigns).toEqual({ id: 1, ...campaignRow({ published_at: '2026-05-01T23:59:59Z' }) });
      expect(stored.memberships).toEqual({ position: 1, ...membershipRow('m1', { is_owner: true }) });
      expect(stored.images).toEqual(imageRow('i1'));
      for (const table of tableNames)
        expect([table, await read((reader) => reader.get(table, stored[table].id as never))]).toEqual([
          table,
          stored[table],
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

    test('keep every byte', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
      await write((writer) => writer.insert('images', imageRow('all', { bytes })));
      expect(await read((reader) => reader.get('images', 'all'))).toEqual(imageRow('all', { bytes }));
    });

    test('are copies or frozen: what the caller does to them changes nothing', async () => {
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
      for (const id of ['', 'nobody', 'a\0b', '\uD800', '🌞', "'", 'x'.repeat(10_000)])
        expect(await read((reader) => reader.get('users', id))).toBeNull();
    });

    test('find: null without such a key, whatever the key', async () => {
      for (const text of ['', 'a\0b', '\uDFFF', 'nobody@example.com'])
        expect(await read((reader) => reader.find('users', 'byEmail', [text]))).toBeNull();
      const key = [2 ** 70, 'a\0b'];
      expect(await read((reader) => reader.find('memberships', 'byOrganizationAndUser', key))).toBeNull();
    });

    test('page and count: none for a key that cannot be', async () => {
      for (const key of [2 ** 53, 1e300, Number.NaN]) {
        expect(await read((reader) => reader.page('campaigns', 'byOrganization', [key], firstPage))).toEqual([]);
        expect(await read((reader) => reader.count('campaigns', 'byOrganization', [key]))).toBe(0);
      }
      expect(await read((reader) => reader.count('access_tokens', 'byUser', ['a\0b']))).toBe(0);
    });

    test('delete, deleteAll and lock: nothing happens for an id that cannot be', async () => {
      await write(async (writer) => {
        expect(await writer.delete('campaigns', 1e300)).toBe(false);
        expect(await writer.delete('users', 'a\0b')).toBe(false);
        await writer.deleteAll('campaigns', 'byOrganization', [2 ** 70]);
        await writer.lock('users', 'a\0b');
        await writer.lock('organizations', Number.NaN);
        await writer.lock('organizations', 99);
      });
      expect(await read((reader) => reader.get('users', 'ada'))).not.toBeNull();
    });

    test('getMany: in the order of the ids, without those that are not there, without wide columns', async () => {
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

    test('wide columns are absent from pages and present in get and find', async () => {
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

    test('tokens: the revoked ones stand outside their list, and come back into it', async () => {
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

    test('far pages of a long list are right too, whichever end they are read from', async () => {
      const rows = Array.from({ length: 2507 }, (_, index) => ({
        id: index + 1,
        ...campaignRow({ status: index % 3 === 0 ? 'draft' : 'active' }),
      }));
      const dump = await store.dump();
      await store.load({ ...dump, tables: { ...dump.tables, campaigns: rows } });
      const published = rows.filter(({ status }) => status !== 'draft');
      const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id);
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

    test('deleteAll empties one key and one index, and no other', async () => {
      await addCampaigns(3);
      await addCampaigns(2, { status: 'active' });
      await addCampaigns(2, { organization_id: 2 });
      await write((writer) => writer.deleteAll('campaigns', 'byOrganizationWithoutDrafts', [1]));
      expect(await totals()).toEqual({ all: 3, published: 0, others: 2 });
      await write((writer) => writer.deleteAll('campaigns', 'byOrganization', [1]));
      expect(await totals()).toEqual({ all: 0, published: 0, others: 2 });
    });

    test('deleteAll empties a key of thousands of rows', async () => {
      const rows = Array.from({ length: 4500 }, (_, index) => ({ id: index + 1, ...campaignRow() }));
      const dump = await store.dump();
      await store.load({ ...dump, tables: { ...dump.tables, campaigns: rows } });
      await addCampaigns(1, { organization_id: 2 });
      await write((writer) => writer.deleteAll('campaigns', 'byOrganization', [1]));
      expect(await totals()).toEqual({ all: 0, published: 0, others: 1 });
      expect((await store.dump()).tables.campaigns).toHaveLength(1);
    });

    test('go with their organization, and an organization with the same data counts anew', async () => {
      await addCampaigns(3, { status: 'active' });
      await write(async (writer) => {
        await writer.deleteAll('campaigns', 'byOrganization', [1]);
        expect(await writer.delete('organizations', 1)).toBe(true);
      });
      expect(await totals()).toEqual({ all: 0, published: 0, others: 0 });
    });

    test('are those of the data that was loaded', async () => {
      await addCampaigns(3, { status: 'active' });
      const dump = await store.dump();
      await addCampaigns(4);
      await store.load(dump);
      expect(await totals()).toEqual({ all: 3, published: 3, others: 0 });
    });
  });

  describe('unique indexes', () => {
    const twice: { [T in TableName]?: (writer: Writer) => Promise<unknown> } = {
      users: (writer) => writer.insert('users', userRow('x', { email: 'ada@example.com' })),
      access_tokens: (writer) => writer.insert('access_tokens', tokenRow('digest')),
      memberships: (writer) => writer.insert('memberships', membershipRow('other id')),
      social_accounts: (writer) => writer.insert('social_accounts', accountRow('url', { user_id: 'ben' })),
      addresses: (writer) => writer.insert('addresses', addressRow()),
    };
    const fill = (writer: Writer) =>
      Promise.all([
        writer.insert('access_tokens', tokenRow('digest')),
        writer.insert('memberships', membershipRow('m1')),
        writer.insert('social_accounts', accountRow('url')),
        writer.insert('addresses', addressRow()),
      ]);

    test.each(Object.keys(twice) as TableName[])(
      '%s: the second one is a Conflict that names the table',
      async (table) => {
        await write(fill);
        const second = write((writer) => twice[table]?.(writer) ?? Promise.resolve());
        await expect(second).rejects.toThrow(new Conflict(table));
        await expect(second).rejects.toHaveProperty('table', table);
      },
    );

    test('an id that is taken is a Conflict, and the row that has it stays as it is', async () => {
      await expect(
        write((writer) => writer.insert('users', userRow('ada', { email: 'new@example.com' }))),
      ).rejects.toThrow(Conflict);
      await expect(write((writer) => writer.insert('organizations', { id: 1, ...organizationRow() }))).rejects.toThrow(
        Conflict,
      );
      expect(await read((reader) => reader.get('users', 'ada'))).toEqual(userRow('ada'));
    });

    test('an update into a taken key is a Conflict; into its own key it is none', async () => {
      await expect(write((writer) => writer.update('users', 'ben', { email: 'ada@example.com' }))).rejects.toThrow(
        Conflict,
      );
      const row = await write((writer) =>
        writer.update('users', 'ben', { email: 'ben@example.com', name: 'Benjamin' }),
      );
      expect(row).toEqual(userRow('ben', { name: 'Benjamin' }));
    });

    test('a key is free again after its row changed or went', async () => {
      await write(async (writer) => {
        await writer.update('users', 'ada', { email: 'ada@new.example' });
        await writer.update('users', 'ben', { email: 'ada@example.com' });
        await writer.insert('addresses', addressRow());
        await writer.delete('addresses', 1);
        await writer.insert('addresses', addressRow({ city: 'Paris' }));
      });
      expect((await read((reader) => reader.find('addresses', 'byUser', ['ada'])))?.city).toBe('Paris');
      expect((await read((reader) => reader.find('users', 'byEmail', ['ada@example.com'])))?.id).toBe('ben');
    });

    test('a transaction that catches a Conflict goes on, and keeps what it wrote before and after', async () => {
      await write(async (writer) => {
        await writer.insert('campaigns', campaignRow({ name: 'before' }));
        await expect(writer.insert('users', userRow('x', { email: 'ada@example.com' }))).rejects.toThrow(Conflict);
        await expect(writer.update('users', 'ben', { email: 'ada@example.com' })).rejects.toThrow(Conflict);
        await writer.insert('campaigns', campaignRow({ name: 'after' }));
      });
      const rows = await read((reader) => reader.page('campaigns', 'byOrganization', [1], firstPage));
      expect(rows.map(({ name }) => name)).toEqual(['before', 'after']);
      expect(await read((reader) => reader.get('users', 'x'))).toBeNull();
    });

    test('of two transactions with the same key at once, one gets the Conflict', async () => {
      const results = await Promise.allSettled(
        ['ada', 'ben', 'ada', 'ben'].map((user_id) =>
          write(async (writer) => {
            await writer.find('social_accounts', 'byNormalizedUrl', ['url']);
            return writer.insert('social_accounts', accountRow('url', { user_id }));
          }),
        ),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Conflict);
    });
  });

  describe('updates', () => {
    test('change the named columns alone and return the whole row', async () => {
      const before = await write((writer) => writer.insert('campaigns', campaignRow()));
      const changes = { name: 'New', countries: ['FR'], website: 'https://acme.example', brief: null };
      expect(await write((writer) => writer.update('campaigns', 1, changes))).toEqual({ ...before, ...changes });
      expect(await read((reader) => reader.get('campaigns', 1))).toEqual({ ...before, ...changes });
    });

    test('without changes return the row', async () => {
      expect(await write((writer) => writer.update('users', 'ada', {}))).toEqual(userRow('ada'));
    });

    test('of a row that is not there are an error', async () => {
      for (const changes of [{ name: 'x' }, {}])
        await expect(write((writer) => writer.update('campaigns', 99, changes))).rejects.toThrow(
          'campaigns 99 is not there to be changed.',
        );
    });
  });

  describe('transactions', () => {
    test('return what the work returns', async () => {
      expect(await write(async () => 'answer')).toBe('answer');
      expect(await read(async () => 'answer')).toBe('answer');
    });

    test('that throw leave nothing: no row, no change, no deletion', async () => {
      await addCampaigns(2);
      const before = await store.dump();
      const failure = new Error('no');
      await expect(
        write(async (writer) => {
          await writer.insert('users', userRow('cleo'));
          await writer.insert('campaigns', campaignRow());
          await writer.update('campaigns', 1, { name: 'changed', status: 'active' });
          await writer.delete('campaigns', 2);
          await writer.deleteAll('campaigns', 'byOrganization', [1]);
          await writer.update('organizations', 1, { default_countries: [] });
          throw failure;
        }),
      ).rejects.toBe(failure);
      expect((await store.dump()).tables).toEqual(before.tables);
    });

    test('see their own writes; readers see them only afterwards', async () => {
      let written: () => void = () => undefined;
      let looked: () => void = () => undefined;
      const isWritten = new Promise<void>((resolve) => {
        written = resolve;
      });
      const isLooked = new Promise<void>((resolve) => {
        looked = resolve;
      });
      const writing = write(async (writer) => {
        await writer.insert('campaigns', campaignRow());
        await writer.update('users', 'ada', { name: 'New' });
        expect(await writer.get('campaigns', 1)).not.toBeNull();
        written();
        // The memory store makes readers wait for the writer instead.
        if (kind !== 'memory') await isLooked;
      });
      await isWritten;
      const reading = read(async (reader) => ({
        campaign: await reader.get('campaigns', 1),
        total: await reader.count('campaigns', 'byOrganization', [1]),
        name: (await reader.get('users', 'ada'))?.name,
      })).finally(looked);
      const seen = await reading;
      await writing;
      const after = { campaign: expect.anything(), total: 1, name: 'New' };
      expect(seen).toEqual(kind === 'memory' ? after : { campaign: null, total: 0, name: 'Name of ada' });
      expect(await read((reader) => reader.get('campaigns', 1))).not.toBeNull();
    });

    test('that run at once keep all their writes, also when others among them fail', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, index) =>
          write(async (writer) => {
            await writer.insert('users', userRow(`user ${index}`));
            await writer.count('campaigns', 'byOrganization', [1]);
            if (index % 3 === 0) throw new Error('no');
            await writer.insert('campaigns', campaignRow({ name: `by ${index}` }));
          }),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(40);
      expect(await read((reader) => reader.count('campaigns', 'byOrganization', [1]))).toBe(40);
      const { users } = (await store.dump()).tables;
      expect(users.filter(({ id }) => id.startsWith('user '))).toHaveLength(40);
    });

    test('that lock the same row run one after the other (D27)', async () => {
      const spend = () =>
        write(async (writer) => {
          await writer.lock('organizations', 1);
          const total = await writer.count('campaigns', 'byOrganization', [1]);
          await writer.get('users', 'ada');
          if (total >= 3) return 'full';
          await writer.insert('campaigns', campaignRow());
          return 'added';
        });
      const results = await Promise.all(Array.from({ length: 12 }, spend));
      expect(results.filter((result) => result === 'added')).toHaveLength(3);
      expect(await read((reader) => reader.count('campaigns', 'byOrganization', [1]))).toBe(3);
    });

    test('a row for a parent that is not there is refused', async () => {
      if (kind === 'memory') return;
      await expect(write((writer) => writer.insert('campaigns', campaignRow({ organization_id: 99 })))).rejects.toThrow(
        /foreign key/i,
      );
    });
  });

  describe('serial numbers', () => {
    const add = (changes: Parameters<typeof campaignRow>[0] = {}) =>
      write(async (writer) => (await writer.insert('campaigns', campaignRow(changes))).id);

    test('count up from 1 and are never used twice, not even the last one', async () => {
      expect([await add(), await add(), await add()]).toEqual([1, 2, 3]);
      await write((writer) => writer.delete('campaigns', 3));
      expect(await add()).toBe(4);
      await write((writer) => writer.deleteAll('campaigns', 'byOrganization', [1]));
      expect(await add()).toBe(5);
    });

    test('go on after a number that was given', async () => {
      const row = await write((writer) => writer.insert('campaigns', { id: 40, ...campaignRow() }));
      expect(row.id).toBe(40);
      expect(await add()).toBe(41);
      await write((writer) => writer.insert('campaigns', { id: 7, ...campaignRow() }));
      expect(await add()).toBe(42);
    });

    test('are part of a dump: a deleted number stays used after dump and load', async () => {
      await add();
      await add();
      await write((writer) => writer.delete('campaigns', 2));
      const dump = await store.dump();
      expect(dump.serials).toMatchObject({ campaigns: 3, collabs: 1, organizations: 3, memberships: 1 });
      await add();
      await store.load(dump);
      expect(await add()).toBe(3);
    });

    test('go on after the highest loaded one when the dump names none', async () => {
      const dump = await store.dump();
      await store.load({ tables: { ...dump.tables, campaigns: [{ id: 12, ...campaignRow() }] }, serials: {} });
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

    test('bring everything back as it was', async () => {
      await everything();
      const dump = await store.dump();
      expect(dump.tables.campaigns[0]).toMatchObject({ name: '夏 🌞 "\\\'', view_count: 2 ** 53 - 1 });
      expect(dump.tables.memberships.map(({ id }) => id)).toEqual(['zz', 'aa']);
      await store.load(nothing);
      expect(await store.isEmpty()).toBe(true);
      await store.load(dump);
      expect(await store.dump()).toEqual(dump);
      expect(await store.isEmpty()).toBe(false);
    });

    test('a dump is the same on every store, and each loads the others', async () => {
      await everything();
      const dump = await store.dump();
      const other = await openTestStore(kind === 'memory' ? 'sqlite' : 'memory');
      try {
        await other.store.load(dump);
        expect(await other.store.dump()).toEqual(dump);
        await store.load(await other.store.dump());
        expect(await store.dump()).toEqual(dump);
      } finally {
        await other.dispose();
      }
    });

    test('a dump that cannot be loaded changes nothing', async () => {
      await everything();
      const dump = await store.dump();
      const twice = {
        ...dump,
        tables: { ...dump.tables, users: [...dump.tables.users, userRow('x', { email: 'ada@example.com' })] },
      };
      await expect(store.load(twice)).rejects.toThrow(Conflict);
      expect(await store.dump()).toEqual(dump);
      expect(await write(async (writer) => (await writer.insert('campaigns', campaignRow())).id)).toBe(2);
    });

    test('a dump is of one moment', async () => {
      let dumps: Dump[] = [];
      await Promise.all([
        (async () => {
          dumps = await Promise.all(Array.from({ length: 5 }, () => store.dump()));
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

  test('ping answers', async () => {
    await expect(store.ping()).resolves.toBeUndefined();
  });
});
