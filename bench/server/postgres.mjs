// 1, 2 and 4 server processes on one PostgreSQL. On a machine with few cores they share them with the database and the
// client, so this shows that more processes cost nothing, not that they bring more.
import { figure, inTurns, parts } from '../lib/measure.mjs';
import { postgresServer } from './databases.mjs';
import { answersOf, item, list, load, ours } from './servers.mjs';

export const title = 'Several processes on one PostgreSQL';
export const sizes = { rounds: 5, seconds: 2 };

/** Requests per second over all servers, each with its part of 32 connections. */
async function perSecond(servers, path, duration) {
  const amount = { duration, connections: 32 / servers.length };
  const results = await Promise.all(servers.map((server) => load(server, { path }, amount)));
  return results.reduce((sum, each) => sum + each.perSecond, 0);
}

export async function run({ rounds, seconds }) {
  const { url, stop } = await postgresServer();
  const servers = [];
  // The first one creates the tables and the data.
  for (let index = 0; index < 4; index += 1) servers.push(await ours(url));
  // Each process compiles its code for itself: the later ones, which get fewer requests, must not be measured cold.
  for (const server of servers) for (const path of [list, item]) await perSecond([server], path, seconds);
  const cases = {};
  for (const count of [1, 2, 4])
    for (const path of [list, item]) cases[`${count} ${path}`] = { some: servers.slice(0, count), path };
  const results = await inTurns(rounds, cases, ({ some, path }) => perSecond(some, path, seconds));
  // autocannon hangs up on requests that are not answered yet: they end before the servers do.
  for (const server of servers) for (let turn = 0; turn < 5; turn += 1) await answersOf(server);
  await Promise.all(servers.map((server) => server.stop()));
  await stop();
  const row = (kind, path, count) => {
    const paces = results[`${count} ${path}`];
    return {
      cells: [
        `${kind}, ${count} process${count > 1 ? 'es' : ''}`,
        figure(paces, { digits: 0 }),
        figure(parts(paces, results[`1 ${path}`])),
      ],
      ...(count === 4 && { goal: { of: 2, atLeast: 0.85 } }),
    };
  };
  return {
    about: `Answers in a second of the clock over 32 connections, which the processes share. They also share this machine's cores with the database and the
client, so more of them cannot bring more here; the goal is that they cost little.`,
    columns: ['servers', 'per second', 'part of one process'],
    rows: Object.entries({ 'list of 20': list, 'one item': item }).flatMap(([kind, path]) =>
      [1, 2, 4].map((count) => row(kind, path, count)),
    ),
  };
}
