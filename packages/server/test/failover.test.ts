import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Run } from './support/command.js';
import { isLong, sampleOf } from './support/long.js';
import { type Cluster, type Node, startCluster } from './support/postgres-cluster.js';
import { urlOf } from './support/served.js';
import { type TcpProxy, tcpProxy } from './support/tcp-proxy.js';

// A primary and its synchronous standby. The failovers under load take minutes: `npm run test:long` has all of them.

let cluster: Cluster;
let primary: Node;
let standby: Node;
let runs: Run[] = [];

beforeAll(async () => {
  cluster = await startCluster();
  [primary, standby] = cluster.nodes;
});
afterEach(async () => {
  for (const run of runs) run.signal('SIGKILL');
  await Promise.all(runs.map((run) => run.ended));
  runs = [];
});
afterAll(() => cluster?.stop());

const serve = (db: string, ...flags: string[]): Run => {
  const run = new Run(['--port', '0', '--json', '--db', db, ...flags]);
  runs.push(run);
  return run;
};
/** The standby first. */
const bothHosts = () => `postgres://mkt@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;
const tokenOf = (run: Run): string => {
  const { tokens } = JSON.parse(run.stdout.slice(0, run.stdout.indexOf('\n')));
  return Object.values(tokens)[0] as string;
};
const readiness = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/readyz`);
  return `${response.status} ${((await response.json()) as { status: string }).status}`;
};

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape.
  readonly body: any;
}

const agent = new Agent({ keepAlive: true });

const post = (url: string, token: string, path: string, body: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    const sent = request(`${url}${path}`, { method: 'POST', headers, agent }, async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      resolve({
        status: response.statusCode as number,
        retryAfter: response.headers['retry-after'],
        body: JSON.parse(text),
      });
    });
    sent.on('error', reject).end(JSON.stringify(body));
  });

const outages = (run: Run): string[] =>
  run.stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line).msg as string)
    .filter((message) => message.startsWith('The database'))
    .map((message) => message.replace(/\d+\.\d s/, 'N s'));

/** Messages of errors with a stack. */
const stacks = (run: Run): string[] => run.stdout.split('\n').filter((line) => line.includes('"stack"'));

let token: string;

test('a server finds the host that accepts writes, whichever is first', async () => {
  const run = serve(bothHosts());
  const url = await urlOf(run);
  token = tokenOf(run);
  expect(await readiness(url)).toBe('200 ready');
  const created = await post(url, token, '/organizations.json', { organization: { name: 'Served' } });
  expect(created.status).toBe(201);
  expect(await primary.query("select from organizations where name = 'Served'")).toHaveLength(1);
});

test('if no host accepts writes, the start ends with 2 and names the hosts', async () => {
  const run = serve(
    `postgres://mkt:s3cret@/postgres?host=127.0.0.1,127.0.0.1&port=${standby.port},1&target_session_attrs=read-write`,
  );
  expect(await run.ended).toBe(2);
  const failures = [`127.0.0.1:${standby.port} (it accepts no writes)`, '127.0.0.1:1 (nothing listens there)'];
  for (const failure of failures) expect(run.stderr).toContain(failure);
  expect(run.stderr).not.toContain('s3cret');
  expect(run.stderr).toContain(
    `error: The database at 127.0.0.1:${standby.port},127.0.0.1:1/postgres cannot be used: no host accepts writes: `,
  );
});

test('on a standby /readyz is 503, and reads are served', async () => {
  const url = await urlOf(serve(standby.url));
  expect(await readiness(url)).toBe('503 The database does not accept writes. It is a standby, or was made read-only.');
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  expect((await fetch(`${url}/organizations.json`, { headers })).status).toBe(200);
  const write = await post(url, token, '/organizations.json', { organization: { name: 'On a standby' } });
  expect([write.status, write.body.error]).toEqual([503, expect.stringContaining('does not accept writes')]);
});

test('while commits wait for a standby that is away, /readyz is 503; when it is back, 200', async () => {
  const url = await urlOf(serve(bothHosts()));
  standby.freeze();
  const waiting = post(url, token, '/organizations.json', { organization: { name: 'Waits' } });
  await expect.poll(() => readiness(url), { timeout: 15_000 }).toMatch(/^503 Writes wait for more than 2 s\./);
  const { status, body } = await waiting;
  expect([status, body.error]).toEqual([503, expect.stringContaining('The change may have been made')]);
  // Also without any write that waits.
  expect(await readiness(url)).toMatch(/^503 Writes wait/);
  standby.unfreeze();
  await expect.poll(() => readiness(url), { timeout: 20_000 }).toBe('200 ready');
  expect(await primary.query("select from processed_forms where id like 'probe%'")).toEqual([]);
});

interface Write {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number;
  readonly error: string | undefined;
}

/** Writers that write all the time. */
function load(url: string, organization: number, label: string) {
  const writes: Write[] = [];
  let over = false;
  const writer = async (number: number) => {
    for (let count = 0; !over; count += 1) {
      const name = `${label} ${number} ${count}`;
      const startedAt = performance.now();
      const { status, retryAfter, body } = await post(url, token, `/organizations/${organization}/campaigns.json`, {
        campaign: { name },
      });
      writes.push({ name, startedAt, endedAt: performance.now(), status, error: body.error });
      if (status === 503) expect(retryAfter).toBeDefined();
      if (status !== 201) await pause(20);
    }
  };
  const writers = [0, 1, 2, 3].map(writer);
  return {
    writes,
    stop: async () => {
      over = true;
      await Promise.all(writers);
    },
  };
}

/** What happens to the primary, after which the standby is promoted. */
const incidents = {
  'kill -9': () => primary.kill(),
  'a clean switch': () => primary.stop(),
  'a frozen primary': async () => {
    primary.freeze();
    // What decides about a failover needs its time as well.
    await pause(3000);
  },
};

describe('failover under load: no acknowledged write is lost or doubled', () => {
  let balancer: TcpProxy;
  beforeEach(async () => {
    balancer = await tcpProxy(primary.port);
  });
  afterEach(() => balancer.close());

  const names = Object.keys(incidents) as (keyof typeof incidents)[];
  const ways = ['two hosts in the URL', 'one host, a balancer'] as const;
  const all = ways.flatMap((way) => names.map((name) => [way, name] as const));
  test.each(sampleOf(all))('%s: %s', async (way, name) => {
    const hasBalancer = way !== ways[0];
    const db = hasBalancer ? primary.url.replace(`:${primary.port}/`, `:${balancer.port}/`) : bothHosts();
    const run = serve(db);
    const url = await urlOf(run);
    const organization = (await post(url, token, '/organizations.json', { organization: { name } })).body.id;
    const { writes, stop } = load(url, organization, `${way} ${name}`);
    await pause(isLong ? 3000 : 500);
    const failedAt = performance.now();
    await incidents[name]();
    await standby.promote();
    const promotedAt = performance.now();
    if (hasBalancer) balancer.moveTo(standby.port);
    const acknowledgedAfter = () => writes.filter(({ status, startedAt }) => status === 201 && startedAt > promotedAt);
    await expect.poll(() => acknowledgedAfter().length, { timeout: 30_000 }).toBeGreaterThan(20);
    await pause(isLong ? 3000 : 500);
    await stop();

    const firstAfter = Math.min(
      ...writes.filter(({ status, endedAt }) => status === 201 && endedAt > promotedAt).map(({ endedAt }) => endedAt),
    );
    const acknowledged = writes.filter(({ status }) => status === 201).map((write) => write.name);
    const others = writes.filter(({ status }) => status !== 201);
    const rows = await standby.query(`select name from campaigns where organization_id = ${organization}`);
    const stored = rows.map((row) => row.name as string);
    const storedNames = new Set(stored);
    const lines = outages(run);
    if (isLong)
      process.stderr.write(
        `${way}, ${name}: promotion ${((promotedAt - failedAt) / 1000).toFixed(1)} s, first write ${((firstAfter - promotedAt) / 1000).toFixed(1)} s later; ${acknowledged.length} acknowledged, ${others.length} not\n`,
      );
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(others.length > 0 ? [503] : []));
    expect(acknowledged.filter((each) => !storedNames.has(each))).toEqual([]);
    expect(stored.length).toBe(storedNames.size);
    // What is stored without an acknowledgement had a response that says so.
    const acknowledgedNames = new Set(acknowledged);
    const unknown = others.filter((write) => storedNames.has(write.name) && !acknowledgedNames.has(write.name));
    for (const { error } of unknown) expect(error).toContain('The change may have been made');
    expect(firstAfter - promotedAt).toBeLessThan(3000);
    expect(await readiness(url)).toBe('200 ready');
    expect(stacks(run)).toEqual([]);
    expect(lines.filter((line) => line.startsWith('The database is lost.')).length).toBeLessThanOrEqual(1);
    expect(lines.at(-1)).toMatch(/^The database (is back after N s|has moved)/);
    expect(lines.length).toBeLessThanOrEqual(2);

    // The old primary becomes the standby.
    if (name === 'a clean switch') await primary.followFromNow(standby);
    else {
      await primary.kill();
      await primary.follow(standby);
    }
    [primary, standby] = [standby, primary];
  });
});

test.runIf(isLong)('of two primaries, the one whose synchronous standby has left acknowledges no write', async () => {
  const url = await urlOf(serve(bothHosts()));
  const organization = (await post(url, token, '/organizations.json', { organization: { name: 'Split' } })).body.id;
  const { writes, stop } = load(url, organization, 'split');
  await pause(1000);
  await standby.promote();
  // The old primary goes on, and does not know about the promotion.
  const promotedAt = performance.now();
  const acknowledgedAfter = () => writes.filter(({ status, startedAt }) => status === 201 && startedAt > promotedAt);
  await expect.poll(() => acknowledgedAfter().length, { timeout: 60_000 }).toBeGreaterThan(20);
  await stop();
  const rows = await standby.query(`select name from campaigns where organization_id = ${organization}`);
  const stored = new Set(rows.map((row) => row.name));
  const acknowledged = writes.filter(({ status }) => status === 201);
  expect(acknowledged.filter(({ name }) => !stored.has(name))).toEqual([]);
  expect(rows.length).toBe(stored.size);
});
