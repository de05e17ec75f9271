import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Run } from './support/command.js';
import { isLong } from './support/long.js';
import { hasNginx, startNginx } from './support/nginx.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';
import { type RoundRobin, roundRobin } from './support/round-robin.js';
import { urlOf } from './support/served.js';

// What compose.yaml starts, without containers: the same command and environment, in as many processes.

const file = readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8');
const { services, configs, volumes } = parse(file);
const { server, proxy, database } = services;

describe('compose.yaml', () => {
  test('starts four servers with one session secret, a database and a proxy, one after the other', () => {
    expect(Object.keys(services)).toEqual(['database', 'server', 'proxy']);
    expect(server.deploy.replicas).toBe(4);
    expect(server.environment.MKT_SERVE_SESSION_SECRET).toMatch(/^\$\{MKT_SESSION_SECRET:\?/);
    expect(server.healthcheck.test.join(' ')).toContain('/readyz');
    expect(server.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect([server, database, proxy].map(({ restart }) => restart)).toEqual(Array(3).fill('unless-stopped'));
    expect(proxy.depends_on).toEqual({ server: { condition: 'service_healthy' } });
    // Only the proxy can be reached from outside.
    expect([server.ports, database.ports, proxy.ports]).toEqual([undefined, undefined, ['4010:80']]);
    expect(database.volumes[0].split(':')[0]).toBe(Object.keys(volumes)[0]);
    expect(proxy.configs[0].source).toBe(Object.keys(configs)[0]);
    expect(configs.nginx.content).toContain('server server:4010');
    const header = server.command[server.command.indexOf('--address-header') + 1];
    expect(configs.nginx.content).toContain(`proxy_set_header ${header} $$remote_addr;`);
  });

  test('leaves each process time to stop, and PostgreSQL connections to spare', () => {
    const value = (flag: string) => Number(server.command[server.command.indexOf(flag) + 1]);
    expect(Number.parseInt(server.stop_grace_period, 10)).toBeGreaterThan(value('--drain-delay') + 10);
    expect(value('--db-connections') * server.deploy.replicas).toBeLessThan(100);
  });
});

test.skipIf(!hasNginx)(
  'the proxy rejects more than 100 requests at once of an address, and serves others',
  async () => {
    const upstream = createServer(({ url, headers }, response) => {
      if (url !== '/waits') response.end(String(headers['x-real-ip']));
    });
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    const nginx = await startNginx([(upstream.address() as AddressInfo).port]);
    const sent = (path: string, localAddress: string) => request(nginx.url + path, { localAddress, agent: false });
    const ofOne = Array.from({ length: 101 }, () => sent('/waits', '127.0.0.2').on('error', () => undefined));
    try {
      const rejected = Promise.race(ofOne.map(async (each) => (await once(each, 'response')) as [IncomingMessage]));
      for (const each of ofOne) each.end();
      const [{ statusCode, headers }] = await rejected;
      expect([statusCode, headers.connection, headers['retry-after']]).toEqual([429, 'close', '1']);
      // The address that a client says is its own does not count.
      const fromOther = sent('/', '127.0.0.3').setHeader('X-Real-IP', '127.0.0.2');
      const [other] = (await once(fromOther.end(), 'response')) as [IncomingMessage];
      expect([other.statusCode, String((await other.toArray())[0])]).toEqual([200, '127.0.0.3']);
    } finally {
      for (const each of ofOne) each.destroy();
      await nginx.stop();
      upstream.closeAllConnections();
      upstream.close();
    }
  },
);

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

describe('the services that it starts', () => {
  let stored: TestDatabase;
  let balancer: RoundRobin;
  let secret: string;
  let folder: string;
  const runs: { readonly run: Run; readonly port: number }[] = [];

  beforeAll(async () => {
    stored = await createDatabase();
    const [, , ...flags] = server.command as string[];
    const env = { MKT_SERVE_DB: stored.url, MKT_SERVE_SESSION_SECRET: 'one secret of more than 32 characters for all' };
    folder = mkdtempSync(join(tmpdir(), 'mkt-compose-'));
    flags[flags.indexOf('--token-file') + 1] = join(folder, 'token');
    // All at once, on an empty database.
    const started = Array.from({ length: server.deploy.replicas }, () => new Run([...flags, '--port', '0'], env));
    for (const run of started) {
      await run.printed('\n');
      const ready = JSON.parse(run.stdout.slice(0, run.stdout.indexOf('\n')));
      expect(ready.tokens).toEqual({});
      runs.push({ run, port: Number(new URL(ready.url).port) });
    }
    secret = readFileSync(join(folder, 'token'), 'utf8').trim();
    expect(secret).toMatch(/^mkt_\S+$/);
    balancer = await roundRobin(runs.map(({ port }) => port));
  });
  afterAll(async () => {
    // Without the drain delay: nothing uses them anymore.
    for (const { run } of runs) run.signal('SIGKILL');
    await Promise.all(runs.map(({ run }) => run.ended));
    await balancer?.close();
    await stored?.drop();
    rmSync(folder, { recursive: true });
  });

  /** One request over a connection of its own: the next process answers it. */
  const send = (method: string, path: string, headers: Record<string, string>, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${balancer.url}${path}`, { method, headers, agent: false }, async (response) => {
        let text = '';
        for await (const part of response.setEncoding('utf8')) text += part;
        resolve({ status: response.statusCode as number, headers: response.headers, text });
      });
      sent.on('error', reject).end(body);
    });
  const json = async (method: string, path: string, body?: object) => {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
    };
    const { status, text } = await send(method, path, headers, body && JSON.stringify(body));
    return { status, body: text === '' ? null : JSON.parse(text) };
  };
  const newOrganization = async (name: string): Promise<number> => {
    const { status, body } = await json('POST', '/organizations.json', { organization: { name } });
    expect(status).toBe(201);
    return body.id;
  };

  test('each process sees at once what another one has written, under load', async () => {
    const clients = Array.from({ length: 8 }, async (_, client) => {
      const organization = await newOrganization(`Organization ${client}`);
      const path = `/organizations/${organization}/campaigns`;
      for (let count = 1; count <= (isLong ? 200 : 10); count += 1) {
        const created = await json('POST', `${path}.json`, { campaign: { name: `Campaign ${count}` } });
        expect(created.status).toBe(201);
        expect((await json('GET', `${path}/${created.body.id}.json`)).body.name).toBe(`Campaign ${count}`);
        const renamed = await json('PATCH', `${path}/${created.body.id}.json`, { campaign: { name: 'Renamed' } });
        expect(renamed.status).toBe(200);
        expect((await json('GET', `${path}/${created.body.id}.json`)).body.name).toBe('Renamed');
      }
    });
    await Promise.all(clients);
  });

  /** A browser whose requests reach one process after the other. */
  const browser = () => {
    const cookies = new Map<string, string>();
    const request = async (method: string, path: string, form?: URLSearchParams) => {
      const headers = {
        accept: 'text/html',
        cookie: [...cookies.values()].join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      };
      const answer = await send(method, path, headers, form && String(form));
      for (const cookie of answer.headers['set-cookie'] ?? []) {
        const [pair = ''] = cookie.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair);
      }
      return answer;
    };
    const get = async (path: string): Promise<Answer> => {
      const answer = await request('GET', path);
      return answer.status === 303 ? get(answer.headers.location ?? '') : answer;
    };
    /** The fields of the form on a page, with `typed` in those that are empty. */
    const fields = async (path: string, typed: string) => {
      const form = new URLSearchParams();
      for (const [input] of (await get(path)).text.matchAll(/<input[^>]*>/g)) {
        const name = /name="([^"]*)"/.exec(input)?.[1];
        if (name) form.set(name, /value="([^"]*)"/.exec(input)?.[1] || typed);
      }
      return form;
    };
    const post = (path: string, form: URLSearchParams) => request('POST', path, form);
    return { get, post, fields };
  };
  const signedIn = async () => {
    const visitor = browser();
    const answer = await visitor.post('/sign_in', await visitor.fields('/sign_in', secret));
    expect(answer.headers.location).toBe('/organizations');
    return visitor;
  };

  test('a sign-in holds in every process', async () => {
    const { get } = await signedIn();
    for (let turn = 0; turn < 2 * runs.length; turn += 1) {
      const page = await get('/organizations');
      expect([page.status, page.text.includes('Organization 0')]).toEqual([200, true]);
    }
  });

  test('a form that is sent to all processes at once is processed once, and its message is shown', async () => {
    const { get, post, fields } = await signedIn();
    const form = await fields('/organizations/new', '');
    form.set('organization[name]', 'Clicked four times');
    const answers = await Promise.all(runs.map(() => post('/organizations', form)));
    const [to = '', ...others] = new Set(answers.map(({ headers }) => headers.location));
    expect([answers.map(({ status }) => status), others]).toEqual([runs.map(() => 303), []]);
    expect((await get(to)).text).toMatch(/role="status"/);
    expect((await post('/organizations', form)).headers.location).toBe(to);
    const { body } = await json('GET', '/organizations.json');
    expect(body.filter(({ name }: { name: string }) => name === 'Clicked four times')).toHaveLength(1);
  });

  test('--rate-limit counts in each process: four of them permit four times as many requests', async () => {
    const flags = ['--port', '0', '--json', '--db', stored.url, '--rate-limit', '3/h'];
    const limited = runs.map(() => new Run(flags));
    const ports = await Promise.all(limited.map(async (run) => Number(new URL(await urlOf(run)).port)));
    const statuses: number[] = [];
    for (let request = 0; request < 16; request += 1) {
      const url = `http://127.0.0.1:${ports[request % ports.length]}/organizations.json`;
      const headers = { accept: 'application/json', authorization: `Bearer ${secret}` };
      statuses.push((await fetch(url, { headers })).status);
    }
    expect(statuses).toEqual([...Array(12).fill(200), ...Array(4).fill(429)]);
    await Promise.all(limited.map((run) => run.stop()));
  });

  test('a process that is stopped is taken out in time: no request fails', async () => {
    const organization = await newOrganization('Drained');
    const path = `/organizations/${organization}/campaigns.json`;
    let takenOut = false;
    let over = false;
    const statuses = new Set<number>();
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let count = 0; !over; count += 1) {
        const name = `Campaign ${client} ${count}`;
        statuses.add((await json('POST', path, { campaign: { name } })).status);
        statuses.add((await json('GET', path)).status);
        // No request can reach the process anymore; it waits for its drain delay.
        if (takenOut) await pause(50);
      }
    });
    const { run, port } = runs[1] as (typeof runs)[number];
    run.signal('SIGTERM');
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    while (await isReady()) await pause(20);
    balancer.remove(port);
    takenOut = true;
    expect(await run.ended).toBe(0);
    over = true;
    await Promise.all(clients);
    expect([...statuses].sort()).toEqual([200, 201]);
  });
});
