import { describe, expect, test } from 'vitest';
import { Conflict, type Writer } from '../src/store/store.js';
import type { TableName } from '../src/store/tables.js';
import { everyStore, firstPage } from './support/every-store.js';
import { accountRow, addressRow, campaignRow, membershipRow, tokenRow, userRow } from './support/rows.js';

everyStore((stage) => {
  const { kind, read, write, addCampaigns } = stage;

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
        await expect(second).rejects.toMatchObject({ name: 'Conflict', table });
        await expect(second).rejects.toHaveProperty('table', table);
      },
    );

    test('an id that is taken is a Conflict, and the existing row is not changed', async () => {
      await expect(
        write((writer) => writer.insert('users', userRow('ada', { email: 'new@example.com' }))),
      ).rejects.toThrow(Conflict);
      expect(await read((reader) => reader.get('users', 'ada'))).toEqual(userRow('ada'));
    });

    test('a key is free again after its row was deleted', async () => {
      await write(async (writer) => {
        await writer.insert('addresses', addressRow());
        await writer.delete('addresses', 1);
        await writer.insert('addresses', addressRow({ city: 'Paris' }));
      });
      expect((await read((reader) => reader.find('addresses', 'byUser', ['ada'])))?.city).toBe('Paris');
    });

    test('a transaction that catches a Conflict can continue, and stores what it wrote before and after', async () => {
      await write(async (writer) => {
        await writer.insert('campaigns', campaignRow({ name: 'before' }));
        await expect(writer.insert('users', userRow('x', { email: 'ada@example.com' }))).rejects.toThrow(Conflict);
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

  describe('many rows at once', () => {
    const organization = [1];
    const rows = () => read((reader) => reader.page('campaigns', 'byOrganization', organization, firstPage));

    test('are changed and deleted, and ids without a row are skipped', async () => {
      await write(async (writer) => {
        for (const name of ['one', 'two', 'three']) await writer.insert('campaigns', campaignRow({ name }));
      });
      const [one, two, three] = (await rows()).map(({ id }) => id) as [number, number, number];
      await write((writer) => writer.updateMany('campaigns', [one, three], { name: 'new', countries: ['DE'] }));
      const row = await read((reader) => reader.get('campaigns', three));
      expect([row?.name, row?.countries]).toEqual(['new', ['DE']]);
      expect((await rows()).map(({ name }) => name)).toEqual(['new', 'two', 'new']);
      expect(await write((writer) => writer.deleteMany('campaigns', [one, 999_999, Number.NaN, two]))).toBe(2);
      expect((await rows()).map(({ id }) => id)).toEqual([three]);
    });

    test('have versions that change with each column', async () => {
      await write((writer) => writer.insert('campaigns', campaignRow({ name: 'one', brief: 'a' })));
      const [{ id } = { id: 0 }] = await rows();
      const version = async () => {
        const versions = await read((reader) => reader.versions('campaigns', [id, 999_999]));
        const inside = await write((writer) => writer.versions('campaigns', [id]));
        expect([...versions.keys(), inside.get(id)]).toEqual([id, versions.get(id)]);
        return versions.get(id);
      };
      const seen = [await version()];
      for (const changes of [{ name: 'two' }, { brief: 'b' }, { view_count: 1 }, { platform_ids: ['tiktok'] }]) {
        await write((writer) => writer.update('campaigns', id, changes));
        seen.push(await version());
      }
      expect(new Set(seen).size).toBe(5);
    });
  });

  describe('transactions', () => {
    test('return what the work returns', async () => {
      expect(await write(async () => 'answer')).toBe('answer');
      expect(await read(async () => 'answer')).toBe('answer');
    });

    test('that throw are rolled back: inserts, updates and deletions', async () => {
      await addCampaigns(2);
      const before = await stage.store.dump();
      const failure = new Error('no');
      await expect(
        write(async (writer) => {
          await writer.insert('users', userRow('cleo'));
          await writer.insert('campaigns', campaignRow());
          await writer.update('campaigns', 1, { name: 'changed', status: 'active' });
          await writer.delete('campaigns', 2);
          await writer.deleteOrganization(2);
          await writer.update('organizations', 1, { default_countries: [] });
          throw failure;
        }),
      ).rejects.toBe(failure);
      expect((await stage.store.dump()).tables).toEqual(before.tables);
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
      const { users } = (await stage.store.dump()).tables;
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

    test('a row whose parent does not exist is rejected', async () => {
      if (kind === 'memory') return;
      await expect(write((writer) => writer.insert('campaigns', campaignRow({ organization_id: 99 })))).rejects.toThrow(
        /foreign key/i,
      );
    });
  });
});
