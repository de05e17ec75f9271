import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import type { Store } from '../src/store/store.js';
import { isLong } from './support/long.js';

/** Two stores on one file are two connections to SQLite, as two processes have them. */
let folder: string;
let here: Store;
let elsewhere: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-cache-'));
  const file = join(folder, 'kept.db');
  [here, elsewhere] = [await sqliteStore(file), await sqliteStore(file)];
  await here.load(demoSeed());
});
afterEach(async () => {
  await here.close();
  await elsewhere.close();
  rmSync(folder, { recursive: true });
});

const nameOf = (store: Store, id = 1) =>
  store.read(async (reader) => (await reader.get('campaigns', id))?.name ?? null);
const rename = (store: Store, name: string, id = 1) =>
  store.transact(async (writer) => {
    await writer.update('campaigns', id, { name });
  });

describe('the read cache', () => {
  test('returns the same frozen object for the same row, also in a page', async () => {
    const read = () =>
      here.read(async (reader) => [
        await reader.get('campaigns', 1),
        ...(await reader.page('campaigns', 'byOrganization', [5], { offset: 0, limit: 20 })),
      ]);
    const [first, again] = [await read(), await read()];
    expect(first).toHaveLength(21);
    for (const [index, row] of first.entries()) {
      expect(row).toBe(again[index]);
      expect(Object.isFrozen(row)).toBe(true);
    }
  });

  test('is cleared by a commit of this store or of another one on the file', async () => {
    for (const [turn, writer] of [here, elsewhere, here, elsewhere].entries()) {
      await Promise.all([nameOf(here), nameOf(elsewhere)]);
      await rename(writer, `name ${turn}`);
      expect([await nameOf(here), await nameOf(elsewhere)]).toEqual([`name ${turn}`, `name ${turn}`]);
    }
  });

  test('caches neither missing nor deleted rows beyond a commit', async () => {
    const total = () => here.read((reader) => reader.count('campaigns', 'byOrganization', [6]));
    const { id: _, ...row } = await here.read(async (reader) => (await reader.get('campaigns', 47))!);
    expect([await nameOf(here, 48), await total()]).toEqual([null, 2]);
    await elsewhere.transact((writer) => writer.insert('campaigns', { ...row, name: 'new' }));
    expect([await nameOf(here, 48), await total()]).toEqual(['new', 3]);
    await elsewhere.transact((writer) => writer.delete('campaigns', 48));
    expect([await nameOf(here, 48), await total()]).toEqual([null, 2]);
  });

  test('does not show a transaction that fails or is still running', async () => {
    const before = await nameOf(here);
    await here.transact(async (writer) => {
      await writer.update('campaigns', 1, { name: 'not yet' });
      expect(await nameOf(here)).toBe(before);
    });
    expect(await nameOf(here)).toBe('not yet');
    const failing = here.transact(async (writer) => {
      await writer.update('campaigns', 1, { name: 'never' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await nameOf(here)).toBe('not yet');
  });

  test('does not cache a result that was read before a commit and returned after it', async () => {
    const other = (await sqliteDriver()).open(join(folder, 'kept.db'));
    const early = nameOf(here);
    other.exec("update campaigns set name = 'new' where id = 1");
    // Another reader notices the commit before the first one has its result.
    const meanwhile = here.read((reader) => reader.get('organizations', 5));
    await Promise.all([early, meanwhile]);
    expect(await nameOf(here)).toBe('new');
    other.close();
  });

  test('distinguishes keys of different tables, indexes and types', async () => {
    const found = await here.read(async (reader) => [
      await reader.find('memberships', 'byOrganizationAndUser', [5, 'usr_ada']),
      await reader.find('memberships', 'byOrganizationAndUser', [5, 'usr_ben']),
      await reader.get('memberships', '5'),
      await reader.get('organizations', 5),
    ]);
    expect(found.map((row) => row?.id ?? null)).toEqual(['mem_5_ada', 'mem_5_ben', null, 5]);
  });

  test('drops everything when it is full, and reads again', async () => {
    const brief = 'x'.repeat(60_000);
    const ids = await here.transact(async (writer) => {
      const { id: _, ...row } = (await writer.get('campaigns', 1))!;
      const added: number[] = [];
      for (let n = 0; n < 300; n += 1)
        added.push((await writer.insert('campaigns', { ...row, brief, name: `c${n}` })).id as number);
      return added;
    });
    for (let pass = 0; pass < 2; pass += 1)
      for (const [n, id] of ids.entries()) expect(await nameOf(here, id)).toBe(`c${n}`);
  });

  test('always returns what is committed, for random reads and writes of two connections', async () => {
    const step = fc.record({
      writes: fc.boolean(),
      store: fc.constantFrom('here', 'elsewhere'),
      id: fc.integer({ min: 1, max: 4 }),
      name: fc.string({ minLength: 1, maxLength: 3, unit: 'grapheme-ascii' }),
    });
    const names = new Map<number, string | null>();
    for (let id = 1; id <= 4; id += 1) names.set(id, await nameOf(here, id));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        for (const { writes, store, id, name } of steps) {
          const chosen = store === 'here' ? here : elsewhere;
          if (writes) {
            await rename(chosen, name, id);
            names.set(id, name);
          } else expect(await nameOf(chosen, id)).toBe(names.get(id));
        }
      }),
      { numRuns: isLong ? 500 : 40 },
    );
  });
});
