import { existsSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { openPersistentStore } from '../src/node/open-store.js';
import { demoSeed } from '../src/seed/demo.js';
import { sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import type { IdFormat } from '../src/store/tables.js';
import { Run } from './support/command.js';
import { createDatabase } from './support/postgres.js';
import { temporaryFile } from './support/stores.js';

// What was changed by hand in a database is named when a server starts, with its statement.

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

type Change = readonly [change: string, named: string];
const everywhere: readonly Change[] = [
  ['drop index social_accounts_by_normalized_url', 'create unique index social_accounts_by_normalized_url on'],
  ['drop index users_by_email; create index users_by_email on users (email)', 'create unique index users_by_email'],
  ['drop index campaigns_by_views', 'create index campaigns_by_views on campaigns ('],
  ['alter table collabs drop column brief', 'column collabs.brief (text'],
  ['alter table campaigns rename column brief to summary', 'column campaigns.brief (text'],
];
const changes: Readonly<Record<'sqlite' | 'postgres', readonly Change[]>> = {
  sqlite: [
    ...everywhere,
    ['drop trigger campaigns_totals_updated', 'create trigger campaigns_totals_updated after update of'],
    [
      'drop trigger collabs_search_inserted; create trigger collabs_search_inserted after insert on collabs begin select 1; end',
      'create trigger collabs_search_inserted after insert on collabs begin insert into collabs_search',
    ],
    ['drop table campaigns_search', 'create virtual table campaigns_search using fts5'],
    ['drop table collabs_blocks', 'column collabs_blocks.block (integer not null)'],
  ],
  postgres: [
    ...everywhere,
    ['drop trigger campaigns_totals_update on campaigns', 'create trigger campaigns_totals_update after update'],
    [
      'alter table campaigns disable trigger campaigns_totals_insert',
      'create trigger campaigns_totals_insert after insert',
    ],
    [
      'create or replace function collabs_totals_delete() returns trigger language plpgsql as $$ begin return null; end $$',
      'create function collabs_totals_delete() returns trigger',
    ],
    [
      'alter table campaigns alter column base_reward_amount type numeric',
      'column campaigns.base_reward_amount (bigint not null)',
    ],
    ['alter table memberships alter column role drop not null', 'column memberships.role (text collate "C" not null)'],
    ["alter table collabs add constraint named check (name <> '')", 'alter table collabs drop constraint named;'],
  ],
};

async function databaseOf(kind: 'sqlite' | 'postgres', ids: IdFormat) {
  const place = kind === 'sqlite' ? await temporaryFile() : await createDatabase();
  const db = 'url' in place ? place.url : place.db;
  const store = await openPersistentStore(db, { ids });
  await store.load(demoSeed(ids));
  await store.close();
  return {
    db,
    run: async (sql: string) => {
      if ('query' in place) return place.query(sql);
      const database = (await sqliteDriver()).open(db);
      database.exec(sql);
      return database.close();
    },
    end: () => ('drop' in place ? place.drop() : place.remove()),
  };
}

test('"check" says it without serving, and creates nothing', async () => {
  const { db, run, end } = await databaseOf('sqlite', 'integer');
  const check = async (file: string) => {
    const command = new Run(['check', '--db', file]);
    return [await command.ended, command.stderr];
  };
  expect(await check(db)).toEqual([0, `${db} can be served.\n`]);
  await run('drop index users_by_email');
  expect(await check(db)).toEqual([
    2,
    expect.stringContaining('  create unique index users_by_email on users (email);\n'),
  ]);
  expect(await check(`${db}.typo`)).toEqual([2, expect.stringContaining('There is no database file')]);
  expect(existsSync(`${db}.typo`)).toBe(false);
  await end();
});

describe.each(['sqlite', 'postgres'] as const)('%s', (kind) => {
  test.each(['integer', 'opaque'] as const)(
    'with %s ids is opened as it was made, also with more in it',
    async (ids) => {
      const { db, run, end } = await databaseOf(kind, ids);
      await run(
        'create table notes (id integer); create index notes_by_id on notes (id); alter table users add column note text',
      );
      await (await openPersistentStore(db)).close();
      await end();
    },
  );

  test('everything that was changed is reported with its statement', async () => {
    const { db, run, end } = await databaseOf(kind, 'integer');
    for (const [change] of changes[kind]) await run(change);
    const failure = await openPersistentStore(db).then(
      (store) => store.close(),
      (error: Error) => `${error.name}: ${error.message}`,
    );
    await end();
    expect(failure).toMatch(/^StoreConfigurationError: The database .* was changed by hand/);
    for (const [, named] of changes[kind]) expect(failure).toContain(`  ${named}`);
    // The columns of a dropped table have a line each.
    expect(String(failure).split('\n')).toHaveLength(1 + changes[kind].length + (kind === 'sqlite' ? 3 : 0));
  });
});
