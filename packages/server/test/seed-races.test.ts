import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readSeed, type Seed } from '../src/node/seeding.js';
import { demoSeed } from '../src/seed/demo.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { PostgresConnection } from '../src/store/sql/postgres-connection.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { SqliteConnection } from '../src/store/sql/sqlite-connection.js';
import type { Dump, Part, PersistentStore } from '../src/store/store.js';
import { createDatabase } from './support/postgres.js';
import { temporaryFile } from './support/stores.js';

vi.setConfig({ testTimeout: 60_000 });

/** A transaction of the first process reaches its middle, and stays there until `goOn`. */
function middle() {
  let reach = (): void => undefined;
  let goOn = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const hold = (): Promise<void> => {
    reach();
    return released;
  };
  return { hold, reached, goOn };
}

const { users } = demoSeed().tables;
async function* backup(hold: () => Promise<void>): AsyncGenerator<Part> {
  yield { table: 'users', rows: users };
  await hold();
  yield { serials: {} };
}

describe.each(['sqlite', 'postgres'] as const)('two processes with one new database: %s', (kind) => {
  let first: PersistentStore;
  let second: PersistentStore;
  /** Resolves when the second process waits for the first one. */
  let secondWaits: () => Promise<void>;
  let remove: () => Promise<void>;
  const Connection = kind === 'sqlite' ? SqliteConnection : PostgresConnection;

  beforeEach(async () => {
    if (kind === 'sqlite') {
      const place = await temporaryFile();
      [first, second] = [await sqliteStore(place.db), await sqliteStore(place.db)];
      const run = vi.spyOn(SqliteConnection.prototype, 'runSync');
      const begun = () => run.mock.calls.filter(([{ text }]) => text === 'begin immediate').length;
      secondWaits = () => vi.waitFor(() => expect(begun()).toBeGreaterThan(1));
      remove = place.remove;
    } else {
      const database = await createDatabase();
      [first, second] = [await postgresStore(database.url), await postgresStore(database.url)];
      const waiting = () =>
        database.query(
          'select from pg_locks join pg_database on oid = database where not granted and datname = current_database()',
        );
      secondWaits = () => vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 10_000 });
      remove = database.drop;
    }
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all([first.close(), second.close()]);
    await remove();
  });

  /** Seeds the store of the first process, and stops at the first rows. */
  function seedsUntil(hold: () => Promise<void>, seed: Seed): Promise<boolean> {
    const { insertAll } = Connection.prototype;
    vi.spyOn(Connection.prototype, 'insertAll').mockImplementationOnce(async function (this: never, ...rows) {
      await hold();
      return insertAll.apply(this, rows);
    });
    return first.fill(seed.dump);
  }

  const peopleIn = ({ tables }: Dump) => [tables.users, tables.access_tokens];
  const people = async () => peopleIn(await first.dump());

  describe.each(['empty', 'demo'])('--seed %s', (name) => {
    test('a server that starts during a restore adds nothing to the restored data', async () => {
      const { hold, reached, goOn } = middle();
      const restoring = first.restore(backup(hold));
      await reached;
      const seeding = second.fill((await readSeed(name)).dump);
      await secondWaits();
      goOn();
      await restoring;
      expect(await seeding).toBe(false);
      expect(await people()).toEqual([users, []]);
    });

    test('a restore that begins while a server seeds is rejected', async () => {
      const { hold, reached, goOn } = middle();
      const seed = await readSeed(name);
      const seeding = seedsUntil(hold, seed);
      await reached;
      const restored = expect(second.restore(backup(async () => undefined))).rejects.toThrow(/already contains data/);
      await secondWaits();
      goOn();
      expect(await seeding).toBe(true);
      await restored;
      expect(await people()).toEqual(peopleIn(seed.dump));
    });

    test('only one of two servers stores its seed', async () => {
      const { hold, reached, goOn } = middle();
      const seed = await readSeed(name);
      const seeding = seedsUntil(hold, seed);
      await reached;
      const other = second.fill((await readSeed(name)).dump);
      await secondWaits();
      goOn();
      expect([await seeding, await other]).toEqual([true, false]);
      expect(await people()).toEqual(peopleIn(seed.dump));
    });
  });
});
