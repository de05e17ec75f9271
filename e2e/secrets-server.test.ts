import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMarketplaceMock } from '@mkt/mock-server';
import { Marketplace } from '@mkt/sdk';
import { sqliteDriver } from '@mkt/server/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mkt } from './support/mkt.js';
import { type Serving, serving } from './support/serving.js';

vi.setConfig({ testTimeout: 60_000 });

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'mkt-secrets-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

async function started(...args: Parameters<typeof serving>): Promise<Serving> {
  const server = await serving(...args);
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

/** Which of the secrets a text holds: none, or the test names them. */
const heldBy = (text: string, secrets: readonly string[]): string[] => secrets.filter((each) => text.includes(each));

/** Everything that a person or a program may send a secret with, by design or by mistake. */
async function useSecrets({ url }: Serving, owner: string): Promise<string[]> {
  const wrong = 'mkt_WrongSecretThatNobodyOwns0123456789';
  const json = { accept: 'application/json' };
  const bearer = (token: string) => ({ ...json, authorization: `Bearer ${token}` });
  const mkt = new Marketplace({ token: owner, baseUrl: url });
  const { token: made } = await mkt.accessTokens.create({ description: 'Another', permission: 'write' });
  const secrets = [owner, made as string, wrong];
  for (const secret of [...secrets]) {
    await fetch(`${url}/organizations.json`, { headers: bearer(secret) });
    await fetch(`${url}/organizations.json?access_token=${secret}`, { headers: bearer(secret) });
    await fetch(`${url}/me/access_tokens/${secret}.json`, { method: 'DELETE', headers: bearer(owner) });
    await fetch(`${url}/${secret}`, { headers: json });
    await fetch(`${url}/me/address.json`, {
      method: 'PATCH',
      headers: { ...bearer(owner), 'content-type': 'application/json', referer: `${url}/?t=${secret}` },
      body: JSON.stringify({ address: { city: secret }, token: secret }),
    });
    await fetch(`${url}/organizations.json`, {
      headers: { ...json, authorization: `Basic ${secret}`, cookie: `session=${secret}` },
    });
    // The sign-in page: its form carries the secret in the body.
    const page = await fetch(`${url}/sign_in`);
    const csrf = /name="csrf_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const cookie = page.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const entered = await fetch(`${url}/sign_in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams({ csrf_token: csrf, token: secret }),
    });
    expect(entered.status).toBe(secret === wrong ? 422 : 303);
    const session = entered.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    await fetch(`${url}/me/access_tokens`, { headers: { cookie: session } });
    secrets.push(...session.split('; ').flatMap((each) => /^\w*session=(.{40,})$/.exec(each)?.[1] ?? []), csrf);
  }
  return [...new Set(secrets)].filter((each) => each.length > 10);
}

test('with a stored database: no secret in the JSON logs, stack traces, files or the process list', async () => {
  const path = folder();
  const db = join(path, 'kept.db');
  // What belongs in no command line has an environment variable.
  const own = ['the-secret-of-all-sessions-0123456789', 'the-token-of-the-control-api-0123456789'] as const;
  const env = { MKT_SERVE_SESSION_SECRET: own[0], MKT_SERVE_CONTROL_TOKEN: own[1] };
  const server = await started(path, ['--db', db, '--metrics-port', '0', '--control'], { env });
  expect(server.control?.token).toBe(own[1]);
  const [owner = ''] = Object.values(server.tokens);
  const secrets = [...(await useSecrets(server, owner)), ...own];
  const { url, token } = server.control as { url: string; token: string };
  await fetch(`${url}/requests`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${url}/requests`, { headers: { authorization: 'Bearer wrong' } });
  expect(secrets.length).toBeGreaterThan(5);

  for (const place of [server.metrics ?? '', ...['/openapi.json', '/docs', '/readyz'].map((path) => server.url + path)])
    expect(heldBy(await (await fetch(place)).text(), secrets), place).toEqual([]);

  // The store fails: what is logged then are the database's own words, with a stack.
  const raw = (await sqliteDriver()).open(db);
  raw.exec('create trigger broken before insert on social_accounts begin select abs(-9223372036854775808); end');
  raw.close();
  const failed = await fetch(`${server.url}/me/social_accounts.json`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${owner}`,
    },
    body: JSON.stringify({ social_account: { platform_id: 'tiktok', account_url: 'https://www.tiktok.com/@zoe' } }),
  });
  expect(failed.status).toBe(500);
  expect(heldBy(await failed.text(), secrets)).toEqual([]);

  expect(heldBy(server.commandLine(), secrets)).toEqual([]);
  expect(await server.stop()).toBe(0);
  const logs = server.printed();
  expect(logs).toContain('"msg":"failed"');
  expect(logs).toMatch(/"stack":"/);
  expect(logs).toContain('/sign_in');
  expect(logs).toContain('"operation":"control"');
  expect(heldBy(logs, secrets)).toEqual([]);

  const tokens = secrets.filter((each) => each.startsWith('mkt_'));
  for (const name of readdirSync(path).filter((each) => each.startsWith('kept.db'))) {
    const bytes = readFileSync(join(path, name), 'latin1');
    // The wrong one was sent as a city, and is kept as what it was sent for.
    expect(
      heldBy(
        bytes,
        tokens.filter((each) => !each.includes('Wrong')),
      ),
      name,
    ).toEqual([]);
  }
});

test('tokens add prints the secret once, on stdout; an export holds neither secrets nor digests', async () => {
  const db = join(folder(), 'kept.db');
  const env = { MKT_SERVE_DB: db };
  await (await started(folder(), ['--db', db])).stop();
  expect((await mkt(['serve', 'users', 'add', 'ada@example.com'], { env })).code).toBe(0);
  const added = await mkt(['serve', 'tokens', 'add', 'ada@example.com', '--permission', 'write'], { env });
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^mkt_[\w-]{40,}\n$/) });
  expect(added.stderr).not.toContain(added.stdout.trim());

  const exported = await mkt(['serve', 'export'], { env });
  expect(exported.code).toBe(0);
  expect(exported.stdout).toContain('ada@example.com');
  const secret = added.stdout.trim();
  const digest = createHash('sha256').update(secret).digest('hex');
  expect(heldBy(exported.stdout, [secret, digest])).toEqual([]);
});

test('does not repeat the password of a database URL', async () => {
  const db = 'postgres://mkt:Hunter2-Hunter2@127.0.0.1:9/none';
  for (const [args, env] of [
    [['--db', db], {}],
    [[], { MKT_SERVE_DB: db }],
    [['--db', `${db}?password=Hunter2-Hunter2`], {}],
  ] as const) {
    const { code, stdout, stderr } = await mkt(['serve', '--port', '0', ...args], { env });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/\w+/);
    expect(stdout + stderr).not.toContain('Hunter2');
  }
});

test('snapshots, exports and the request log of the control API contain no token', async () => {
  const mock = createMarketplaceMock();
  const sdk = new Marketplace({ token: mock.tokens.ada_write as string, baseUrl: mock.baseUrl, fetch: mock.fetch });
  const { token: made } = await sdk.accessTokens.create({ description: 'Another', permission: 'write' });
  const secrets = [...Object.values(mock.tokens), made as string];
  expect(heldBy(JSON.stringify(await mock.snapshot()), secrets)).toEqual([]);
  const json = { accept: 'application/json' };
  for (const secret of secrets) {
    await mock.fetch(new Request(`${mock.baseUrl}/organizations.json?access_token=${secret}`, { headers: json }));
    const headers = { ...json, authorization: `Bearer ${mock.tokens.ada_write}` };
    await mock.fetch(new Request(`${mock.baseUrl}/me/access_tokens/${secret}.json`, { method: 'DELETE', headers }));
  }
  expect(heldBy(JSON.stringify(mock.requests.list()), secrets)).toEqual([]);
  expect(mock.requests.list().length).toBeGreaterThan(0);
});
