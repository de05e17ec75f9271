import { demoTokens } from '@mkt/server';
import { describe, expect, test, vi } from 'vitest';
import type { ChaosProxy } from './support/chaos-proxy.js';
import { chaosWorld } from './support/chaos-world.js';
import {
  answerCut,
  deaf,
  dripping,
  type Fate,
  gateway,
  late,
  passing,
  saying,
  silent,
  slammed,
} from './support/fates.js';
import { type Ended, mkt } from './support/mkt.js';
import { secretPattern } from './support/outcome.js';

// What must end in time is asserted call by call; the machine may be busy.
vi.setConfig({ testTimeout: process.env.TEST_LONG === '1' ? 600_000 : 60_000 });

/** What the exit codes mean is part of the command line's contract: `mkt --help`. */
const exit = { ok: 0, unexpected: 1, rateLimited: 7, network: 8, partial: 9 } as const;

const run = async (door: ChaosProxy, ...args: string[]): Promise<Ended> => {
  const env = { MKT_TOKEN: demoTokens.ada_write, MKT_BASE_URL: door.url };
  const ended = await mkt(args, { env });
  expect(`${ended.stdout}${ended.stderr}`).not.toMatch(secretPattern);
  return ended;
};

const list = ['campaigns', 'list', '--org', '5'];
const show = ['campaigns', 'show', '3', '--org', '5'];
const create = ['campaigns', 'create', '--org', '5', '--name', 'Chaos'];

describe('a network that fails, to the end of the program', () => {
  const portal = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>Welcome</h1>';
  const cases: readonly (readonly [string, Fate, readonly string[], number, string])[] = [
    ['half-open', silent, [...show, '--timeout', '1'], exit.network, 'timeout'],
    ['carried out, never answered', deaf, [...create, '--timeout', '1'], exit.network, 'timeout'],
    ['a body of one byte a second', dripping(1000), [...list, '--timeout', '1'], exit.network, 'timeout'],
    ['a reset', slammed, create, exit.network, 'network'],
    ['a reset in the body', answerCut(900, 'reset'), create, exit.network, 'network'],
    ['an end in the body', answerCut(900, 'end'), create, exit.network, 'network'],
    ['an end in the head', answerCut(40, 'end'), create, exit.network, 'network'],
    ['no HTTP', saying('SSH-2.0-OpenSSH_9.2\r\n\r\n'), create, exit.network, 'network'],
    ['500', gateway(500, {}, '<h1>Oops</h1>'), list, exit.unexpected, 'service_failed'],
    ['503 on a change', gateway(503), create, exit.unexpected, 'service_failed'],
    ['503 for a day', gateway(503, { 'Retry-After': '86400' }), list, exit.unexpected, 'service_failed'],
    ['429 for an hour', gateway(429, { 'Retry-After': '3600' }), list, exit.rateLimited, 'rate_limited'],
    ['a captive portal', saying(portal), list, exit.unexpected, 'unreadable_answer'],
  ];

  test.concurrent.for(cases)('%s', async ([_what, fate, args, code, word], { expect, onTestFinished }) => {
    const world = await chaosWorld(onTestFinished);
    const door = await world.door();
    door.plan(() => fate);
    const [people, programs] = await Promise.all([run(door, ...args), run(door, ...args, '--json')]);

    expect(people).toMatchObject({ code, stdout: '' });
    expect(people.stderr).toMatch(/^error: .+\n/);
    expect(people.stderr, 'no stack trace without --debug').not.toMatch(/^ +at /m);

    expect(programs).toMatchObject({ code, stdout: '' });
    expect(programs.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(programs.stderr).error).toMatchObject({ code: word, exitCode: code });
  });
});

describe('a network that recovers', () => {
  test('a list comes whole, nothing is said', async () => {
    const world = await chaosWorld();
    const door = await world.door();
    const fates = [gateway(503, { 'Retry-After': '0' }), answerCut(600, 'reset'), late(200)];
    door.plan((connection) => fates[connection] ?? passing);
    const { code, stdout } = await run(door, ...list, '--json', '--page', '1');
    expect(code).toBe(exit.ok);
    expect(JSON.parse(stdout)).toHaveLength(20);
  });

  test('an export broken off in the middle is no success', async () => {
    const world = await chaosWorld();
    const door = await world.door();
    let answered = 0;
    door.plan(() => (answered++ === 0 ? answerCut(15_000, 'reset') : slammed));
    const { code } = await run(door, 'export', 'campaigns', '--org', '5', '--format', 'ndjson');
    expect(code).toBe(exit.network);
  });

  test('a bulk action: what it says was done was done, and nothing else than asked for', async () => {
    const world = await chaosWorld();
    const direct = world.client(await world.door());
    const ids: string[] = [];
    for (let index = 0; index < (process.env.TEST_LONG === '1' ? 200 : 12); index++)
      ids.push(String((await direct.campaigns.create(5, { name: `bulk ${index}` })).id));
    const door = await world.door();
    const broken = (connection: number) => answerCut((connection * 97) % 1400, connection % 2 === 0 ? 'reset' : 'end');
    door.plan((connection) => (connection % 3 === 1 ? broken(connection) : passing));
    const { code, stdout, stderr } = await run(door, 'campaigns', 'publish', ...ids, '--org', '5', '--yes', '--json');
    expect(code, stderr).toBe(exit.partial);
    const rows = JSON.parse(stdout) as { id: string | number; ok?: false; status?: string }[];
    expect(rows.map(({ id }) => String(id))).toEqual(ids);
    const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    const results = error.results as { id: string; ok: boolean }[];
    expect(results.map(({ id, ok }) => [id, ok])).toEqual(rows.map(({ id, ok }) => [String(id), ok !== false]));
    for (const { id, ok } of results) if (ok) expect((await direct.campaigns.get(5, id)).status).toBe('active');
    const statuses = new Map((await world.dump()).tables.campaigns.map(({ id, status }) => [String(id), status]));
    expect(statuses.get('1'), 'nothing else was published').toBe('draft');
  });

  test('a creation whose answer is lost: exit 8, and one campaign', async () => {
    const world = await chaosWorld();
    const door = await world.door();
    door.plan(() => answerCut(0, 'reset'));
    expect((await run(door, ...create)).code).toBe(exit.network);
    expect((await world.dump()).tables.campaigns.filter(({ name }) => name === 'Chaos')).toHaveLength(1);
    expect(door.connections).toBeLessThanOrEqual(1);
  });
});
