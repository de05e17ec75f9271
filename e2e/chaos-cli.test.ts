import { demoTokens } from '@mkt/server';
import { describe, expect, test, vi } from 'vitest';
import { isLong } from '../packages/server/test/support/long.js';
import { chaosEnvironment } from './support/chaos-environment.js';
import type { ChaosProxy } from './support/chaos-proxy.js';
import { type Ended, mkt } from './support/mkt.js';
import {
  cutResponse,
  delayResponse,
  dripResponse,
  dropResponse,
  gatewayError,
  type NetworkFault,
  neverRespond,
  passThrough,
  resetOnConnect,
  respondWith,
} from './support/network-faults.js';
import { secretPattern } from './support/outcome.js';

// What must end in time is asserted call by call; the machine may be busy.
vi.setConfig({ testTimeout: isLong ? 600_000 : 60_000 });

/** What the exit codes mean is part of the command line's contract: `mkt --help`. */
const exit = { ok: 0, unexpected: 1, rateLimited: 7, network: 8, partial: 9 } as const;

const run = async (proxy: ChaosProxy, ...args: string[]): Promise<Ended> => {
  const env = { MKT_TOKEN: demoTokens.ada_write, MKT_BASE_URL: proxy.url };
  const ended = await mkt(args, { env });
  expect(`${ended.stdout}${ended.stderr}`).not.toMatch(secretPattern);
  return ended;
};

const list = ['campaigns', 'list', '--org', '5'];
const show = ['campaigns', 'show', '3', '--org', '5'];
const create = ['campaigns', 'create', '--org', '5', '--name', 'Chaos'];

describe('a network that fails, to the end of the program', () => {
  const portal = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>Welcome</h1>';
  const cases: readonly (readonly [string, NetworkFault, readonly string[], number, string])[] = [
    ['half-open', neverRespond, [...show, '--timeout', '1'], exit.network, 'timeout'],
    ['carried out, never answered', dropResponse, [...create, '--timeout', '1'], exit.network, 'timeout'],
    ['a body of one byte a second', dripResponse(1000), [...list, '--timeout', '1'], exit.network, 'timeout'],
    ['a reset', resetOnConnect, create, exit.network, 'network'],
    ['a reset in the body', cutResponse(900, 'reset'), create, exit.network, 'network'],
    ['an end in the body', cutResponse(900, 'end'), create, exit.network, 'network'],
    ['an end in the head', cutResponse(40, 'end'), create, exit.network, 'network'],
    ['no HTTP', respondWith('SSH-2.0-OpenSSH_9.2\r\n\r\n'), create, exit.network, 'network'],
    ['500', gatewayError(500, {}, '<h1>Oops</h1>'), list, exit.unexpected, 'service_failed'],
    ['503 on a change', gatewayError(503), create, exit.unexpected, 'service_failed'],
    ['503 for a day', gatewayError(503, { 'Retry-After': '86400' }), list, exit.unexpected, 'service_failed'],
    ['429 for an hour', gatewayError(429, { 'Retry-After': '3600' }), list, exit.rateLimited, 'rate_limited'],
    ['a captive portal', respondWith(portal), list, exit.unexpected, 'unreadable_answer'],
  ];

  test.concurrent.for(cases)('%s', async ([_what, fault, args, code, word], { expect, onTestFinished }) => {
    const environment = await chaosEnvironment(onTestFinished);
    const proxy = await environment.proxy();
    proxy.plan(() => fault);
    const [people, programs] = await Promise.all([run(proxy, ...args), run(proxy, ...args, '--json')]);

    expect(people).toMatchObject({ code, stdout: '' });
    expect(people.stderr).toMatch(/^error: .+\n/);
    expect(people.stderr, 'no stack trace without --debug').not.toMatch(/^ +at /m);

    expect(programs).toMatchObject({ code, stdout: '' });
    expect(programs.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(programs.stderr).error).toMatchObject({ code: word, exitCode: code });
  });
});

describe('a network that recovers', () => {
  test('prints the whole list and no error', async () => {
    const environment = await chaosEnvironment();
    const proxy = await environment.proxy();
    const faults = [gatewayError(503, { 'Retry-After': '0' }), cutResponse(600, 'reset'), delayResponse(200)];
    proxy.plan((connection) => faults[connection] ?? passThrough);
    const { code, stdout } = await run(proxy, ...list, '--json', '--page', '1');
    expect(code).toBe(exit.ok);
    expect(JSON.parse(stdout)).toHaveLength(20);
  });

  test('an export that breaks off fails', async () => {
    const environment = await chaosEnvironment();
    const proxy = await environment.proxy();
    let answered = 0;
    proxy.plan(() => (answered++ === 0 ? cutResponse(15_000, 'reset') : resetOnConnect));
    const { code } = await run(proxy, 'export', 'campaigns', '--org', '5', '--format', 'ndjson');
    expect(code).toBe(exit.network);
  });

  test('a bulk action reports exactly the items that it changed', async () => {
    const environment = await chaosEnvironment();
    const direct = environment.client(await environment.proxy());
    const ids: string[] = [];
    for (let index = 0; index < (isLong ? 200 : 12); index++)
      ids.push(String((await direct.campaigns.create(5, { name: `bulk ${index}` })).id));
    const proxy = await environment.proxy();
    // The reads that precede the actions are repeated when they fail, so only actions are disturbed.
    let actions = 0;
    proxy.plan(() => (client, connect) => {
      const server = connect();
      server.pipe(client);
      client.on('data', (part) => {
        server.write(part);
        if (part.includes('POST ') && actions++ % 3 === 0) client.resetAndDestroy();
      });
    });
    const { code, stdout, stderr } = await run(proxy, 'campaigns', 'publish', ...ids, '--org', '5', '--yes', '--json');
    expect(code, stderr).toBe(exit.partial);
    const rows = JSON.parse(stdout) as { id: string | number; ok?: false; status?: string }[];
    expect(rows.map(({ id }) => String(id))).toEqual(ids);
    const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    const results = error.results as { id: number; ok: boolean }[];
    expect(results.map(({ id, ok }) => [id, ok])).toEqual(rows.map(({ id, ok }) => [id, ok !== false]));
    for (const { id, ok } of results) if (ok) expect((await direct.campaigns.get(5, id)).status).toBe('active');
    const statuses = new Map((await environment.dump()).tables.campaigns.map(({ id, status }) => [String(id), status]));
    expect(statuses.get('1'), 'nothing else was published').toBe('draft');
  });

  test('a creation whose response is lost exits with 8 and creates one campaign', async () => {
    const environment = await chaosEnvironment();
    const proxy = await environment.proxy();
    proxy.plan(() => cutResponse(0, 'reset'));
    expect((await run(proxy, ...create)).code).toBe(exit.network);
    expect((await environment.dump()).tables.campaigns.filter(({ name }) => name === 'Chaos')).toHaveLength(1);
    expect(proxy.connections).toBeLessThanOrEqual(1);
  });
});
