import { campaignFields } from '@mkt/sdk/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../src/digest.js';
import { demoSeed } from '../src/seed/demo.js';
import { exportSeed, parseSeed } from '../src/seed/file.js';
import { largeSeed } from '../src/seed/large.js';
import { memoryStore } from '../src/store/memory-lists.js';
import type { Dump } from '../src/store/store.js';
import { type TableName, tableNames } from '../src/store/tables.js';

const isName = (name: string): boolean => campaignFields.shape.name.safeParse(name).success;
const options = { sha256, random: (bytes: number) => 'x'.repeat(bytes) };
const again = async (dump: Dump): Promise<Dump> => (await parseSeed(exportSeed(dump), options)).dump;

const byId = (left: { id: string | number }, right: { id: string | number }) => (left.id < right.id ? -1 : 1);
const readable = (name: string, value: unknown) =>
  name === 'bytes' ? Buffer.from(value as Uint8Array).toString('base64') : value;
/** What a seed file contains: everything except access tokens; rows by id, bytes as text. */
const comparable = ({ tables, serials }: Dump) => ({
  serials: Object.fromEntries(Object.entries(serials).sort()),
  ...Object.fromEntries(
    tableNames
      .filter((name: TableName) => name !== 'access_tokens')
      .map((name) => [
        name,
        [...tables[name]]
          .sort(byId)
          .map((row) =>
            Object.fromEntries(Object.entries(row).map(([column, value]) => [column, readable(column, value)])),
          ),
      ]),
  ),
});

describe('a seed that is exported and read again', () => {
  test('has the same rows: the demo data', async () => {
    expect(comparable(await again(demoSeed()))).toEqual(comparable(demoSeed()));
  });

  test('has the same rows: the large data', async () => {
    const dump = largeSeed({ campaigns: 300 });
    expect(comparable(await again(dump))).toEqual(comparable(dump));
  });

  test('has times in whole seconds: those of a twin, which are as its source has them', async () => {
    const [version, masked] = [1, false];
    const twin = { version, source: 'https://api.example.com', organization: 1, pulled_at: '', masked, caller: 'ada' };
    const acme = { name: 'Acme', members: { ada: 'owner' }, created_at: '2026-01-01T00:00:00.123456Z' };
    const { dump } = await parseSeed({ twin, users: { ada: {} }, organizations: { acme } }, options);
    expect(dump.tables.organizations[0]?.created_at).toBe('2026-01-01T00:00:00.123456Z');
    expect((await again(dump)).tables.organizations[0]?.created_at).toBe('2026-01-01T00:00:00Z');
  });

  test('has the same rows after inserts, updates and deletes', async () => {
    const store = memoryStore();
    await store.load(demoSeed());
    await store.transact(async (writer) => {
      await writer.delete('memberships', 'mem_8_cleo');
      await writer.delete('campaigns', 47);
      await writer.delete('collabs', 24);
      await writer.delete('social_accounts', 2);
      await writer.delete('addresses', 1);
      // Joined last in the first organization; with another kind of id.
      for (const [id, organization_id] of [
        ['m-77', 5],
        ['mem_9_eve', 9],
      ] as const) {
        await writer.insert('memberships', {
          id,
          organization_id,
          user_id: 'usr_eve',
          role: 'member',
          is_owner: false,
          created_at: '2026-05-01T10:00:00Z',
          updated_at: '2026-05-01T10:00:01Z',
        });
      }
      await writer.insert('users', { id: '0b8f', name: 'Zoë 😀', email: 'zoe@example.com' });
      await writer.insert('users', { id: 'usr_Ada', name: 'Another Ada', email: 'ada2@example.com' });
      await writer.update('organizations', 9, { name: '123' });
      await writer.update('organizations', 10, { name: 'Acme Cosmetics', website: null });
      await writer.update('campaigns', 3, { website: null, brief: null, countries: [], platform_ids: [] });
      await writer.update('campaigns', 4, { status: 'finished' });
      await writer.update('collabs', 7, { website: null, brief: null });
    });
    const dump = await store.dump();
    expect(comparable(await again(dump))).toEqual(comparable(dump));
  });

  test('has the same text, whatever its characters are', async () => {
    const { dump: small } = await parseSeed(
      'users: {ada: {address: {address_one: A, city: B, state: C, postal_code: D, country_code: US}}}\n' +
        'organizations: {acme: {name: Acme, members: {ada: owner}, campaigns: [{name: A}]}}',
      options,
    );
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      .filter((value) => /\S/.test(value) && !/\0/.test(value));
    const line = fc.oneof(
      text,
      fc.constantFrom(
        'yes',
        'null',
        '~',
        '0x1F',
        '1e3',
        '2026-01-01',
        '- a',
        '# b',
        'a: b',
        '"',
        "'",
        ' x ',
        'a\nb\n',
        '\t',
        '[',
        '{}',
        '&a',
        '*a',
        '!x',
        '|',
        '>',
      ),
    );
    await fc.assert(
      fc.asyncProperty(line, line, async (name, street) => {
        fc.pre(isName(name) && /\S/.test(street));
        const dump = await again(small);
        for (const row of [...dump.tables.campaigns, ...dump.tables.organizations]) row.name = name;
        for (const row of dump.tables.addresses) row.address_one = street;
        expect(comparable(await again(dump))).toEqual(comparable(dump));
      }),
      { numRuns: 40 },
    );
  });
});

describe('an exported seed', () => {
  const text = exportSeed(demoSeed());

  test('contains no token and no digest, and says so', () => {
    expect(text).toMatch(/^# [\s\S]*Access tokens are left out/);
    for (const { digest } of demoSeed().tables.access_tokens) expect(text).not.toContain(digest);
    expect(text).not.toContain('mkt_demo');
  });

  test('does not use ids of tokens again', async () => {
    expect((await again(demoSeed())).serials.access_tokens).toBe(8);
  });

  test('names objects by handles', () => {
    expect(text).toMatch(/^users:\n {2}ada:\n {4}name: Ada Okafor\n/m);
    expect(text).toMatch(/^ {2}acme-cosmetics:\n {4}id: 5\n/m);
    expect(text).toMatch(/^ {4}members:\n {6}ada:\n {8}role: owner\n/m);
  });

  test('repeats a list that rows share', () => {
    const dump = demoSeed();
    const shared = ['US', 'CA'];
    for (const row of dump.tables.campaigns) row.countries = shared;
    expect(exportSeed(dump)).not.toMatch(/countries: [&*]/);
  });

  test('is the same after reading it', async () => {
    expect(exportSeed(await again(demoSeed()))).toBe(text);
  });
});
