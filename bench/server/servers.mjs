// Servers in processes of their own, and requests to them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';

export const list = '/organizations/5/campaigns.json';
export const item = '/organizations/5/campaigns/1.json';

/** Ada of the demo data, who sees everything in organization 5. */
export const headers = { accept: 'application/json', authorization: 'Bearer mkt_demo_ada_write' };

export const bin = resolve('packages/server/dist/bin.js');

/** Reports what the process costs, from inside: no server has code for that. A server that has closed everything still ends. */
const report = `process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuSeconds: (user + system) / 1e6, rss: process.memoryUsage.rss() });
});
process.channel.unref();`;

/** Starts a server that prints its URL when it is ready, after `span` milliseconds. */
export async function startServer(program, args, options) {
  const began = performance.now();
  const child = fork(program, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], ...options });
  // A run that fails leaves nothing behind.
  const abandon = () => child.kill('SIGKILL');
  process.once('exit', abandon);
  const [ready] = await once(child.stdout, 'data');
  const span = performance.now() - began;
  const [url] = /http:\/\/[\w.:]+/.exec(String(ready));
  child.stdout.resume();
  return {
    url,
    span,
    async cost() {
      child.send('cost');
      return (await once(child, 'message'))[0];
    },
    async stop(signal) {
      const ended = once(child, 'exit');
      child.kill(signal);
      if (!(await Promise.race([ended, pause(15_000, undefined, { ref: false })]))) child.kill('SIGKILL');
      await ended;
      process.off('exit', abandon);
    },
  };
}

const startReporting = (program, args) =>
  startServer(program, args, { execArgv: ['--import', `data:text/javascript,${encodeURIComponent(report)}`] });

const demo = (db) => ['--port', '0', '--db', db, '--seed', 'demo'];

/** The reference server as it is built, with the demo data. `db` as in `--db`. `--json` would log each request. */
export const ours = (db, ...more) => startReporting(bin, [...demo(db), ...more]);

/** The same as `mkt serve` starts it: for data in memory, with test controls. */
export const oursWithControls = (db) => startReporting(resolve('packages/cli/dist/bin.cjs'), ['serve', ...demo(db)]);

/** node:http and JSON.stringify, nothing else. */
export const raw = (bodies) => startReporting('bench/server/raw-server.mjs', [JSON.stringify(bodies)]);

/** What a server answers for the list and for the item, as objects. */
export async function answersOf(server) {
  const [listed, shown] = await Promise.all([list, item].map((path) => fetch(server.url + path, { headers })));
  return { list: await listed.json(), item: await shown.json(), etag: shown.headers.get('etag') };
}

/**
 * Requests one resource over and over, by default from 32 connections.
 * @param {{ path: string, headers?: object, status?: number }} target
 * @param {object} amount autocannon's `duration` in seconds, or `amount` of requests; fewer `connections`.
 * @returns requests in a second of the server's CPU time, and of the clock.
 */
export async function load(server, { path, headers: more = {}, status = 200 }, amount) {
  const before = await server.cost();
  const url = server.url + path;
  const result = await autocannon({ url, connections: 32, headers: { ...headers, ...more }, ...amount });
  const after = await server.cost();
  const right = result.statusCodeStats[status]?.count ?? 0;
  const answered = Object.values(result.statusCodeStats).reduce((sum, { count }) => sum + count, 0);
  if (right === 0 || right !== answered || result.errors > 0)
    throw new Error(`${path}: ${answered - right} of ${answered} answers were not ${status}, ${result.errors} failed.`);
  return {
    perCpuSecond: answered / (after.cpuSeconds - before.cpuSeconds),
    perSecond: answered / result.duration,
  };
}
