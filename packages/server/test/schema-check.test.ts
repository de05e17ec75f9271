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
  ['drop index campaigns_by_views', 'create index campaigns_by_views on campaigns ('],
  ['alter table collabs drop column brief', 'column collabs.brief (text'],
  ['alter table campaigns rename column brief to summary', 'column campaigns.brief (text'],
];
const changes: Readonly<Record<'sqlite' | 'postgres', readonly Change[]>> = {
  sqlite: [
    ...everywhere,
    [
      'drop index users_by_email; create index users_by_email on users (email)',
      'drop index "users_by_email"; create unique index users_by_email on users (email);',
    ],
    ['drop trigger campaigns_totals_updated', 'create trigger campaigns_totals_updated after update of'],
    [
      'drop trigger collabs_search_inserted; create trigger collabs_search_inserted after insert on collabs begin select 1; end',
      'drop trigger "collabs_search_inserted"; create trigger collabs_search_inserted after insert on collabs begin insert into collabs_search',
    ],
    [
      'drop table campaigns_search; create table campaigns_search (parts)',
      'drop table "campaigns_search"; create virtual table campaigns_search using fts5',
    ],
    [
      'create trigger "an added one" before insert on CAMPAIGNS begin select raise(abort, 1); end',
      'drop trigger "an added one";',
    ],
    ['create unique index added on campaigns (name)', 'drop index "added";'],
    ['alter table users add column added text check (added > 1)', 'alter table users drop column added;'],
    [
      `create table other (id text not null primary key, expires_at text not null check (expires_at > 1), result text) strict;
      drop table processed_forms; alter table other rename to processed_forms;
      create index processed_forms_by_expiry on processed_forms (expires_at, id)`,
      'column processed_forms.expires_at (text not null)',
    ],
    [
      `drop table ended_sessions;
      create table ended_sessions (id text not null primary key, expires_at text not null, check (id <> expires_at)) strict;
      create index ended_sessions_by_expiry on ended_sessions (expires_at)`,
      'table ended_sessions, without: check (id <> expires_at)',
    ],
    [
      `drop table deleted_organizations;
      create table deleted_organizations (id integer not null primary key references collabs (id)) strict;
      create index deleted_organizations_all on deleted_organizations (id)`,
      'column deleted_organizations.id (integer not null primary key references organizations (id))',
    ],
    [
      `drop table images;
      create table "images" (id text not null primary key, organization_id integer not null references organizations(id), type text not null, bytes blob not null);
      create index images_by_organization on images (organization_id, id)`,
      'table images (strict)',
    ],
    ['drop table collabs_search', 'create virtual table collabs_search using fts5'],
    ['drop table collabs_blocks', 'create table collabs_blocks ( organization_id integer not null'],
  ],
  postgres: [
    ...everywhere,
    [
      'drop index users_by_email; create index users_by_email on users (email)',
      'drop index users_by_email; create unique index users_by_email on users (email);',
    ],
    [
      'drop index access_tokens_by_digest; create unique index access_tokens_by_digest on access_tokens (id)',
      'drop index access_tokens_by_digest; create unique index access_tokens_by_digest on access_tokens (digest);',
    ],
    ['drop trigger campaigns_totals_update on campaigns', 'create trigger campaigns_totals_update after update'],
    [
      'alter table campaigns disable trigger campaigns_totals_insert',
      'drop trigger campaigns_totals_insert on campaigns; create trigger campaigns_totals_insert after insert',
    ],
    [
      'create or replace trigger collabs_totals_insert before insert on collabs execute function collabs_totals_insert()',
      'drop trigger collabs_totals_insert on collabs; create trigger collabs_totals_insert after insert on collabs',
    ],
    [
      'create or replace function collabs_totals_delete() returns trigger language plpgsql as $$ begin return null; end $$',
      'create or replace function collabs_totals_delete() returns trigger',
    ],
    [
      'alter table campaigns alter column base_reward_amount type numeric',
      'column campaigns.base_reward_amount (bigint not null)',
    ],
    ['alter table memberships alter column role drop not null', 'column memberships.role (text collate "C" not null)'],
    ['alter table images alter column type type text', 'column images.type (text collate "C" not null)'],
    ["alter table collabs add constraint named check (name <> '')", 'alter table collabs drop constraint named;'],
    [
      'alter table processed_forms drop constraint processed_forms_pkey',
      'alter table processed_forms add primary key (id);',
    ],
    [
      'alter table campaigns drop constraint campaigns_organization_id_fkey',
      'alter table campaigns add foreign key (organization_id) references organizations (id);',
    ],
    [
      'alter table collabs_blocks drop constraint collabs_blocks_key',
      'alter table collabs_blocks add constraint collabs_blocks_key primary key (organization_id, block, state);',
    ],
    [
      'alter table campaigns alter column id drop identity',
      'column campaigns.id (bigint generated by default as identity',
    ],
    ['alter table kept_images add column "An added" text not null', 'alter table kept_images drop column "An added";'],
    ['create unique index added on campaigns (name)', 'drop index added;'],
    ['create rule added as on insert to campaigns do instead nothing', 'drop rule added on campaigns;'],
    [
      'create trigger added before insert on users for each row execute function suppress_redundant_updates_trigger()',
      'drop trigger added on users;',
    ],
    [
      'alter sequence organizations_id_seq restart with 2',
      "select setval('organizations_id_seq', (select max(id) from organizations));",
    ],
    [
      "select setval('addresses_id_seq', 1, false)",
      "select setval('addresses_id_seq', (select max(id) from addresses));",
    ],
    ['alter table ended_sessions set unlogged', 'alter table ended_sessions set logged;'],
    ['drop table collabs_totals', 'create table collabs_totals ( organization_id bigint not null'],
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
        `create table notes (id integer primary key, name text not null unique check (name <> ''));
        create index notes_by_name on notes (name); create index users_by_name on users (name);
        create view names as select name from users;
        ${kind === 'postgres' ? 'create unique index users_pkey_ccnew on users (id); create unique index again on users (email);' : ''}
        alter table users add column note text; alter table users add column source text not null default 'a, (b'`,
      );
      await (await openPersistentStore(db)).close();
      await end();
    },
  );

  test('everything that was changed is reported with its statement, which repairs it', async () => {
    const { db, run, end } = await databaseOf(kind, 'integer');
    const failure = () =>
      openPersistentStore(db).then(
        (store) => store.close().then(() => ''),
        (error: Error) => `${error.name}: ${error.message}`,
      );
    for (const [change] of changes[kind]) await run(change);
    const [first, ...lines] = (await failure()).split('\n');
    expect(first).toMatch(/^StoreConfigurationError: The database .* was changed by hand/);
    for (const [, named] of changes[kind])
      expect(lines.filter((line) => line.startsWith(`  ${named}`))).toHaveLength(1);
    expect(lines).toHaveLength(changes[kind].length);

    const statements = lines.filter((line) => line.endsWith(';'));
    expect(statements.length).toBeGreaterThan(lines.length / 2);
    for (const statement of statements) await run(statement);
    expect((await failure()).split('\n').slice(1)).toEqual(lines.filter((line) => !line.endsWith(';')));
    await end();
  });
});
