import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '@mkt/sdk/contract';
import { demoSeed, differencesIn, type Like, memoryStore, serviceDifferences } from '@mkt/server';
import { openStore, type ServeOptions } from '@mkt/server/node';
import { describe, expect, it, vi } from 'vitest';
import type * as z from 'zod/mini';
import { brand, differencesOf, drift, one, page, SECRET, service } from './support/drifting-service.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

vi.setConfig({ testTimeout: 30_000 });

const reading = endpoints.filter(({ method }) => method === 'GET').map(({ operation }) => operation);

/** The differences of a response without the fields that may be null. */
const nullable: ReadonlySet<string> = new Set(
  endpoints.flatMap(({ response }) =>
    Object.entries((response as z.ZodMiniObject | undefined)?.shape ?? {}).flatMap(([field, schema]) =>
      schema._zod.def.type === 'nullable' ? [`missing field ${field}`] : [],
    ),
  ),
);

describe('the reference server', () => {
  /** What the server was asked for, method by method. */
  async function watched(options: Partial<ServeOptions> = {}) {
    const methods: string[] = [];
    const log: ServeOptions['log'] = {
      requestCompleted: ({ method }) => methods.push(method),
      failed: (_exchange, error) => expect.unreachable(String(error)),
      stopping: () => undefined,
    };
    const service = await startService({ log, ...options });
    return { service, methods };
  }

  it.each([
    ['memory', () => ({})],
    ['SQLite', () => ({ store: () => openStore(join(temporaryFolder(), 'demo.db')), seed: demoSeed() })],
  ])('on %s has no differences for any user, and is only read', async (_store, options) => {
    const { service, methods } = await watched(options());
    await using _ = service;
    for (const token of [
      tokens.ada_write,
      tokens.ada_read,
      tokens.ben_write,
      tokens.cleo_write,
      tokens.dan_write,
      tokens.eve_write,
    ]) {
      const { code, rows, differences } = await drift({ MKT_TOKEN: token, MKT_BASE_URL: service.url });
      expect({ code, differences }).toEqual({ code: 0, differences: [] });
      expect([...new Set(rows.map(({ endpoint }) => endpoint))]).toEqual(reading);
    }
    expect(new Set(methods)).toEqual(new Set(['GET']));
    expect(methods.length).toBeGreaterThan(100);
  });

  it.each<[Like]>([...serviceDifferences.map((name): [Like] => [[name]]), ['live'], ['document']])(
    'like %s has exactly the documented differences (D129)',
    async (like) => {
      const decisions = readFileSync(new URL('../../../docs/decisions.md', import.meta.url), 'utf8');
      const documented = differencesIn(like)?.flatMap((name) => {
        const [, kind, names = ''] =
          new RegExp(`^\\| \`${name}\` \\|.*\\| (?:\`(.+)\` (.+)|nothing) \\|$`, 'm').exec(decisions) ?? [];
        return kind === undefined ? [] : names.split(', ').map((where) => `${kind} ${where}`);
      });
      for (const ids of ['integer', 'opaque'] as const) {
        await using service = await startService({ like, store: memoryStore(ids), seed: demoSeed(ids) });
        const { code, differences } = await drift({ MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url });
        const found = new Set(differences.map(({ kind, where }) => `${kind} ${where}`));
        const expected = documented?.flatMap((each) =>
          each === 'missing field fields that may be null' ? [...found].filter((one) => nullable.has(one)) : [each],
        );
        expect(found).toEqual(new Set(expected));
        expect(found.has('missing field paused_at')).toBe(differencesIn(like)?.includes('absent-null'));
        expect(code).toBe(documented?.length === 0 ? 0 : 1);
      }
    },
  );

  it('is read in every organization that the token has access to', async () => {
    await using service = await startService();
    const { stdout, stderr, code } = await runCli(['doctor', '--drift'], {
      env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url },
      columns: 80,
    });
    expect(code).toBe(0);
    await expect(
      stdout,
      'Look at the difference; if it is right: npx vitest run --project cli doctor-drift -u',
    ).toMatchFileSnapshot('goldens/doctor-drift-none.txt');
    expect(stderr).toMatch(/\d+ requests, GET only, in 2 organizations\.\n$/);
  });

  it('is read in one organization with --org, by id or by name', async () => {
    const { service, methods } = await watched();
    await using _ = service;
    const env = { MKT_TOKEN: tokens.ben_write, MKT_BASE_URL: service.url };
    for (const org of ['8', 'Orphan Labs']) {
      const { code, rows } = await drift(env, ['--org', org]);
      expect(code).toBe(0);
      expect(rows.find(({ endpoint }) => endpoint === 'members.list')).toMatchObject({ kind: 'ok', times: 1 });
    }
    expect(await drift(env, ['--org', '6'])).toMatchObject({ code: 3, stdout: '' });
    expect(methods).not.toContain('POST');
  });

  it('is waited for when it limits requests', async () => {
    await using service = await startService({ rateLimit: { requests: 30, seconds: 1 }, clock: Date.now });
    const { code, differences } = await drift({ MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url });
    expect({ code, differences }).toEqual({ code: 0, differences: [] });
  });

  it.each([
    ['a wrong token', { MKT_TOKEN: 'wrong' }, 4],
    ['no settings', { MKT_BASE_URL: '' }, 2],
  ])('%s ends it before anything is reported', async (_name, more, code) => {
    await using service = await startService();
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, ...more };
    expect(await drift(env)).toMatchObject({ code, stdout: '' });
  });
});

it('no service ends it before anything is reported', async () => {
  // A port that was free a moment ago: the low ones are refused by fetch itself before anything is tried.
  const gone = await startService();
  await gone.close();
  expect(await drift({ MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: gone.url })).toMatchObject({ code: 8, stdout: '' });
});

describe('a hostile or failing service', () => {
  it('reads two of endless pages', async () => {
    const { env, asked } = await service(
      one('/me/access_tokens.json', () => page([], { 'total-count': '99999999999', 'total-pages': '9999999999' })),
    );
    expect((await drift(env)).code).toBe(0);
    expect(asked.filter(({ path }) => path === '/me/access_tokens.json').map((each) => each.page)).toEqual([
      null,
      '9999999999',
    ]);
  });

  it('reports HTML responses for each endpoint', async () => {
    const { differences } = await differencesOf(() => ({
      body: '<html>Welcome</html>',
      headers: { 'content-type': 'text/html' },
    }));
    expect(new Set(differences.map(([endpoint]) => endpoint))).toEqual(
      new Set(['accessTokens.list', 'organizations.list', 'socialAccounts.list', 'address.get']),
    );
  });

  it('shows neither a returned token nor escape sequences', async () => {
    const nasty = { id: `${SECRET}\u001b[31m`, [`${'x'.repeat(200)}\u001b]0;evil\u0007`]: SECRET, created_at: SECRET };
    const { env } = await service(one('/organizations.json', page([nasty], { 'total-count': 'x' })));
    const { stdout } = await runCli(['doctor', '--drift'], { env, columns: 100 });
    expect(stdout).not.toContain('\u001b');
    expect((await drift(env)).differences.length).toBeGreaterThan(5);
  });

  it('ends with 8 and prints what was found when the service goes away', async () => {
    const { env } = await service(({ path }) => (path.startsWith('/organizations/') ? 'drop' : undefined));
    const { code, rows } = await drift(env);
    expect(code).toBe(8);
    expect(rows.find(({ endpoint }) => endpoint === 'organizations.list')).toMatchObject({ kind: 'ok' });
    expect(rows.find(({ endpoint }) => endpoint === 'organizations.get')).toMatchObject({ kind: 'no response' });
  });

  it('ends with 8 when no response comes', async () => {
    const { env } = await service(() => 'hang');
    const began = Date.now();
    const { code } = await drift(env, ['--timeout', '0.2']);
    expect(code).toBe(8);
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('reads again after a 503, which is not a difference', async () => {
    let failures = 0;
    const { differences } = await differencesOf(
      one('/me/social_accounts.json', () => (failures++ === 0 ? { status: 503 } : undefined)),
    );
    expect({ differences, tried: failures > 1 }).toEqual({ differences: [], tried: true });
  });

  it.each([502, 503, 504])('reports what a service that is unavailable (%i) hides as not checked', async (status) => {
    const { env } = await service(one('/me/social_accounts.json', { status, headers: { 'retry-after': '0' } }));
    const { code, stderr, rows, differences } = await drift(env);
    expect({ code, differences }).toEqual({ code: 1, differences: [] });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'service_failed', message: expect.stringContaining(`unavailable (${status}) for some requests`) },
    });
    expect(rows).toContainEqual(
      expect.objectContaining({
        endpoint: 'socialAccounts.list',
        kind: 'not checked',
        where: `unavailable (${status})`,
      }),
    );
  });

  it('does not report a single 503 to any request as a difference', async () => {
    const { env, asked } = await service(() => undefined);
    await drift(env);
    for (const [nth, { path, headers }] of asked.entries()) {
      let count = 0;
      const { differences } = await differencesOf(() =>
        count++ === nth ? { status: 503, headers: { 'retry-after': '0' } } : undefined,
      );
      expect(differences, `${path} ${nth} ${JSON.stringify(headers)}`).toEqual([]);
    }
  });

  it('ends with 4 when the token is revoked during the run', async () => {
    const { env } = await service(({ path }) => (path.startsWith('/organizations/') ? { status: 401 } : undefined));
    expect(await drift(env)).toMatchObject({ code: 4 });
  });

  it('ends with 130 on Ctrl-C while it waits for a rate limit', async () => {
    const stop = new AbortController();
    const { env } = await service(
      one('/me/social_accounts.json', () => {
        setTimeout(() => stop.abort(), 50);
        return { status: 429, headers: { 'retry-after': '20' } };
      }),
    );
    expect(await drift(env, [], { interrupted: stop.signal })).toMatchObject({ code: 130 });
  });

  it('ends with 7 and prints what was found when the rate limit lasts', async () => {
    const { env } = await service(one('/me/social_accounts.json', { status: 429, headers: { 'retry-after': '0' } }));
    const { code, rows } = await drift(env);
    expect(code).toBe(7);
    expect(rows.find(({ endpoint }) => endpoint === 'organizations.list')).toMatchObject({ kind: 'ok' });
  });

  it('ends with 130 on Ctrl-C', async () => {
    const stop = new AbortController();
    const { env } = await service(({ path }) => {
      if (path === '/me/address.json') stop.abort();
      return undefined;
    });
    expect(await drift(env, [], { interrupted: stop.signal })).toMatchObject({ code: 130, stdout: '' });
  });
});

it('shows differences at 80 columns without cutting endpoints and kinds', async () => {
  const { env } = await service((asked) => {
    if (asked.path === '/organizations.json') return page([{ ...brand, colour: 'red', privacy_setting: 'secret' }]);
    if (asked.path.endsWith('/members.json')) return { status: 403 };
    if (asked.path === '/me/access_tokens.json') return { body: [] };
    if (asked.path === '/organizations/0.json') return { status: 404 };
    return undefined;
  });
  const { code, stdout, stderr } = await runCli(['doctor', '--drift'], { env, columns: 80 });
  expect(code).toBe(1);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  await expect(
    stdout,
    'Look at the difference; if it is right: npx vitest run --project cli doctor-drift -u',
  ).toMatchFileSnapshot('goldens/doctor-drift.txt');
  expect(stderr).toContain('error: The service differs from the API document in 5 ways.');
});
