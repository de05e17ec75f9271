import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { demoSeed } from '../src/seed/demo.js';
import { largeSeed } from '../src/seed/large.js';
import { emptySeed } from '../src/seed/open.js';
import { memoryStore } from '../src/store/memory-lists.js';
import { isConsistent } from './seed-invariants.js';

describe('the empty seed', () => {
  const dump = emptySeed({ secret: 'mkt_r4nd0m', now: '2026-05-01T10:00:00Z' });

  test('has one user with one write token, stored as its digest', () => {
    expect(dump.tables.users).toHaveLength(1);
    expect(dump.tables.access_tokens).toEqual([
      {
        id: 1,
        user_id: dump.tables.users[0]?.id,
        digest: createHash('sha256').update('mkt_r4nd0m').digest('hex'),
        description: expect.stringMatching(/\S/),
        permission: 'write',
        created_at: '2026-05-01T10:00:00Z',
        revoked_at: null,
      },
    ]);
  });

  test('has no other rows', async () => {
    const store = memoryStore();
    await store.load(dump);
    const { tables } = await store.dump();
    const { users: _users, access_tokens: _tokens, ...others } = tables;
    expect(Object.values(others).flat()).toEqual([]);
  });
});

describe('the large seed', () => {
  const dump = largeSeed();

  test('includes the demo data unchanged, so that its tokens work', () => {
    const { tables } = demoSeed();
    expect(dump.tables.users.slice(0, tables.users.length)).toEqual(tables.users);
    expect(dump.tables.access_tokens).toEqual(tables.access_tokens);
    expect(dump.tables.campaigns.slice(0, 47)).toEqual(tables.campaigns);
    expect(dump.tables.collabs.slice(0, 24)).toEqual(tables.collabs);
  });

  test('has in organization 11 ten thousand campaigns in every state, two thousand collabs, hundreds of members', () => {
    const inFirst = <Item extends { organization_id: number | string }>(rows: readonly Item[]) =>
      rows.filter((row) => row.organization_id === 11);
    const campaigns = inFirst(dump.tables.campaigns);
    expect(campaigns).toHaveLength(10_000);
    expect(new Set(campaigns.map((row) => row.status))).toEqual(new Set(['draft', 'active', 'paused', 'finished']));
    expect(new Set(campaigns.map((row) => row.name)).size).toBe(10_000);
    expect(inFirst(dump.tables.collabs)).toHaveLength(2000);
    expect(inFirst(dump.tables.memberships)).toHaveLength(503);
    expect(dump.tables.memberships.filter((row) => row.user_id === 'usr_ada')).toHaveLength(102);
  });

  test('is consistent', () => isConsistent(largeSeed({ campaigns: 500 })));

  test('is the same every time', () => expect(largeSeed()).toEqual(dump));

  test('accepts another number of campaigns', () => {
    const { tables, serials } = largeSeed({ campaigns: 100 });
    expect(tables.campaigns).toHaveLength(147);
    expect(tables.collabs).toHaveLength(44);
    expect(serials.campaigns).toBe(148);
  });

  test('loads into a store', async () => {
    const store = memoryStore();
    await store.load(dump);
    expect(await store.read((reader) => reader.count('campaigns', 'byOrganization', [11]))).toBe(10_000);
    expect((await store.dump()).serials).toMatchObject(dump.serials);
  });
});
