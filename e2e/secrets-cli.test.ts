import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Ended, mkt } from './support/mkt.js';
import { commandLineOf } from './support/process-watch.js';

vi.setConfig({ testTimeout: 90_000 });

const token = demoTokens.ada_write;

async function reference(): Promise<string> {
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  onTestFinished(() => server.close());
  return server.url;
}

/** A server that says the token back wherever an answer has room for it, as some debugging gateways do. */
async function echoing(status: number): Promise<string> {
  const server = createServer((request, response) => {
    const said = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const headers = { 'X-Request-Id': said, Location: `/elsewhere?token=${said}`, ETag: `"${said}"`, Allow: said };
    // Longer than a command waits.
    const wait = status === 429 ? { 'Retry-After': '86400' } : {};
    response.writeHead(status, { ...headers, ...wait, 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: `Bad token ${said}`, errors: { name: [`Not with ${said}`] }, message: said }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const all = async (work: readonly (() => Promise<void>)[]): Promise<void> => {
  const waiting = [...work];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next();
  };
  await Promise.all([worker(), worker(), worker()]);
};

const leaves = ({ stdout, stderr }: Ended, what: string): void => {
  expect(stdout, `stdout of ${what}`).not.toContain(token);
  expect(stderr, `stderr of ${what}`).not.toContain(token);
};

test('--debug, --verbose and MKT_DEBUG print four characters of the token, never all of it', async () => {
  const env = { MKT_TOKEN: token, MKT_BASE_URL: await reference(), MKT_DEBUG: '1' };
  const lines = [
    'auth status --check --debug',
    'config list --show-origin --debug',
    'organizations list --debug --verbose',
    'campaigns show 3 --org 5 --debug',
    'campaigns show 999 --org 5 --debug',
    'campaigns create --org 5 --name x --cpm-amount 1 --min-payout-amount 9 --max-payout-amount 1 --debug --json',
    'tokens list --debug --json',
    'export campaigns --org 5 --format csv --debug',
    'api /organizations/5.json -i --debug',
    'api /nothing.json --debug',
  ];
  await all(
    lines.map((line) => async () => {
      const ended = await mkt(line.split(' '), { env });
      leaves(ended, line);
      if (line.includes('show 3')) expect(ended.stderr).toContain(`Bearer ****${token.slice(-4)}`);
    }),
  );
});

test('errors with stack traces: no network, a token that no header can carry, a server that says it back', async () => {
  const down = await echoing(500);
  const round = await echoing(303);
  const work = [
    { env: { MKT_TOKEN: token, MKT_BASE_URL: round }, code: 1 },
    { env: { MKT_TOKEN: token, MKT_BASE_URL: 'http://127.0.0.1:9' }, code: 8 },
    { env: { MKT_TOKEN: `${token} and more`, MKT_BASE_URL: down }, code: 2 },
    ...(await Promise.all(
      (
        [
          [401, 4],
          [403, 5],
          [404, 3],
          [422, 6],
          [429, 7],
          [500, 1],
        ] as const
      ).map(async ([status, code]) => ({
        env: { MKT_TOKEN: token, MKT_BASE_URL: await echoing(status) },
        code,
      })),
    )),
  ].flatMap(({ env, code }) =>
    ['campaigns list --org 5 --debug', 'campaigns update 3 --org 5 --name x --debug --json'].map((line) => async () => {
      const ended = await mkt([...line.split(' '), '--timeout', '20'], { env });
      leaves(ended, `${line} (exit ${code})`);
      // The redirect of a read is followed, here round and round, until the platform's fetch gives up; that of a write is not.
      const givesUp = env.MKT_BASE_URL === round && line.includes('list');
      expect(ended.code).toBe(givesUp ? 8 : code);
    }),
  );
  await all(work);
});

test('login by stdin stores the token in one file that only its owner can read; a new token is printed only on stdout', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mkt-secrets-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const config = join(home, 'config');
  const env = { MKT_CONFIG_DIR: config, MKT_BASE_URL: await reference() };
  const commandLines: string[] = [];
  const whileRunning = (pid: number) => commandLines.push(commandLineOf(pid));
  const login = await mkt(['login', '--with-token', '--org', '5', '--debug'], {
    env,
    stdin: `${token}\n`,
    whileRunning,
  });
  expect(login.code, login.stderr).toBe(0);
  leaves(login, 'login');
  expect(commandLines.length).toBeGreaterThan(0);
  expect(commandLines.join()).not.toContain(token);

  const filesWith = (secret: string): string[] =>
    readdirSync(config, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name), 'utf8').includes(secret))
      .map(({ name }) => name);
  expect(filesWith(token)).toEqual(['credentials.json']);
  expect(statSync(join(config, 'credentials.json')).mode & 0o777).toBe(0o600);
  expect(statSync(config).mode & 0o777).toBe(0o700);

  const created = await mkt(['tokens', 'create', '--description', 'CI', '--permission', 'read', '--json', '--debug'], {
    env,
  });
  const { token: made } = JSON.parse(created.stdout) as { token: string };
  expect(made).toMatch(/^mkt_/);
  expect(created.stderr).not.toContain(made);
  leaves(created, 'tokens create');
  expect(filesWith(made), 'a new token is kept nowhere').toEqual([]);
});
