import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { version } from '../package.json';
import { shownDb } from '../src/node/ready-message.js';
import { demoSeed, demoTokens } from '../src/seed/demo.js';
import { Run } from './support/command.js';
import { freePort } from './support/free-port.js';
import { openTestStore } from './support/stores.js';

// Every test starts processes, some of them several.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
const runs: Run[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-serve-'));
});
afterEach(async () => {
  await Promise.all(runs.splice(0).map((run) => run.stop()));
  rmSync(folder, { recursive: true });
});

const start = (...args: string[]): Run => {
  const run = new Run(args);
  runs.push(run);
  return run;
};
const inFolder = (name: string): string => join(folder, name);

interface Ready {
  readonly url: string;
  readonly db: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly organizations: readonly { readonly id: number | string; readonly name: string }[];
  readonly metrics?: string;
  readonly pid: number;
}
const ready = async (run: Run): Promise<Ready> => {
  await run.printed('\n');
  return JSON.parse(run.stdout.slice(0, run.stdout.indexOf('\n')));
};
const serving = async (...args: string[]) => {
  const run = start('--port', '0', '--json', ...args);
  return { run, ...(await ready(run)) };
};
const inFlight = async (url: string): Promise<number> =>
  Number(/^mkt_requests_in_flight (\d+)$/m.exec(await (await fetch(url)).text())?.[1]);
const get = (url: string, token: string) =>
  fetch(url, { headers: { Accept: 'application/json', Authorization: `Bearer ${token}` } });

describe('starting', () => {
  test('without flags: demo data in memory, on this machine only, with the URLs of everything', async () => {
    const run = start('--port', '0');
    await run.printed('curl');
    const url = /API +(http:\/\/127\.0\.0\.1:\d+)/.exec(run.stdout)?.[1] ?? '';
    expect(run.stdout).toContain(`${url}/sign_in`);
    expect(run.stdout).toContain(`${url}/docs`);
    expect(run.stdout).toMatch(/Cleo Martin +cleo@acme\.example +write +mkt_demo_cleo_write/);
    expect(run.stdout).toContain('--db FILE.db');
    expect((await get(`${url}/organizations/5.json`, demoTokens.ada_read)).status).toBe(200);
    expect(run.stderr).toBe('');
  });

  test('with a base URL that has a path, one signs in below it', async () => {
    const run = start('--port', '0', '--base-url', 'https://brand.example/mkt/');
    await run.printed('curl');
    expect(run.stdout).toMatch(/Sign-in +https:\/\/brand\.example\/mkt\/sign_in\n/);
  });

  test('--json prints one line, then one per response, without secrets, queries or bodies', async () => {
    const { run, url, db, tokens, pid } = await serving();
    expect([db, tokens]).toEqual(['memory:', demoTokens]);
    expect(pid).toBeGreaterThan(0);
    const sent = { Authorization: `Bearer ${tokens.ada_write}`, 'X-Request-Id': 'mine-1', Accept: 'application/json' };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await fetch(`${url}/organizations.json?page=1&secret=in-query`, { headers: { ...sent, traceparent } });
    await fetch(`${url}/me/access_tokens.json`, {
      method: 'POST',
      headers: { ...sent, 'X-Request-Id': 'mine-2', traceparent: 'not-one', 'Content-Type': 'application/json' },
      body: JSON.stringify({ access_token: { description: 'in-body', permission: 'read' } }),
    });
    await run.printed('mine-2');
    const [, ...lines] = run.stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        request_id: 'mine-1',
        traceparent,
        method: 'GET',
        path: '/organizations.json',
        operation: 'organizations.list',
        status: 200,
      },
      { request_id: 'mine-2', method: 'POST', operation: 'accessTokens.create', status: 201, user_id: 'usr_ada' },
    ]);
    expect(lines.join('\n')).not.toMatch(/mkt_|in-query|in-body|Bearer|not-one/);
  });

  test('--ids opaque stores the format, lists the organizations, and cannot be changed', async () => {
    const db = inFolder('opaque.db');
    const { run, url, organizations } = await serving('--db', db, '--seed', 'demo', '--ids', 'opaque');
    const { id } = organizations.find(({ name }) => name === 'Acme Cosmetics') ?? {};
    expect(id).toMatch(/^[a-z][a-z0-9]{11}$/);
    const list = await (await get(`${url}/organizations/${id}/campaigns.json`, demoTokens.ada_read)).json();
    expect(list[0]).toMatchObject({ id: expect.stringMatching(/^[a-z][a-z0-9]{11}$/) });
    expect((await get(`${url}/organizations/5.json`, demoTokens.ada_read)).status).toBe(404);
    await run.stop();
    const again = await serving('--db', db);
    expect(again.organizations).toEqual([]);
    const path = `/organizations/${id}/campaigns.json`;
    expect(await (await get(`${again.url}${path}`, demoTokens.ada_read)).json()).toEqual(
      list.map((item: { url: string }) => ({ ...item, url: item.url.replace(url, again.url) })),
    );
    await again.run.stop();
    const other = start('--port', '0', '--db', db, '--ids', 'integer');
    expect(await other.ended).toBe(2);
    expect(other.stderr).toContain('has opaque ids, which cannot be changed. Omit --ids');
  });

  test('--like differs from the API document as it says, and rejects unknown names', async () => {
    const { run, url, tokens } = await serving('--like', 'absent-null, empty-404');
    const [, draft] = await (await get(`${url}/organizations/5/campaigns.json`, tokens.ada_read ?? '')).json();
    expect(draft).not.toHaveProperty('paused_at');
    expect(await (await get(`${url}/organizations/77.json`, tokens.ada_read ?? '')).text()).toBe('');
    await run.stop();
    const wrong = start('--port', '0', '--like', 'live,absent-null');
    expect(await wrong.ended).toBe(2);
    expect(wrong.stderr).toContain('Use document, live, or some of extra-fields,absent-null,');
  });

  test('continues when its log is no longer read', async () => {
    const { run, url, tokens } = await serving();
    run.hangUp();
    for (let turn = 0; turn < 5; turn += 1)
      expect((await get(`${url}/organizations.json`, tokens.ada_write ?? '')).status).toBe(200);
    expect(await run.stop()).toBe(0);
    expect(run.stderr).toBe('');
  });

  test('continues when its log is full, and logs how many lines were lost when there is room again', async () => {
    const log = inFolder('log');
    // In blocks of 512 or 1024 bytes.
    const script = `trap "" XFSZ; ulimit -f 8; exec "$0" "$@" --port 0 --json >>${log} 2>/dev/full`;
    const child = spawn('/bin/sh', ['-c', script, process.execPath, inject('serverCommand')], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const linesOf = () => readFileSync(log, 'utf8').split('\n').filter(Boolean);
    const { url } = await vi.waitFor(() => JSON.parse(linesOf()[0] ?? ''), { timeout: 20_000 });
    const send = async (count: number) => {
      for (let left = count; left > 0; left -= 1)
        expect((await get(`${url}/organizations.json`, demoTokens.ada_write)).status).toBe(200);
    };
    await send(60);
    const before = linesOf().slice(1, -1);
    expect(before.length).toBeLessThan(50);
    // As logrotate does with copytruncate.
    truncateSync(log, 0);
    await send(2);
    const after = await vi.waitFor(() => {
      const lines = linesOf().map((line) => JSON.parse(line));
      expect(lines).toHaveLength(3);
      return lines;
    });
    const { msg } = after.find(({ level }) => level === 40) ?? {};
    expect(msg).toMatch(/^\d+ lines of the log could not be written since the start: /);
    // The last line before may be cut.
    expect([59, 60]).toContain(before.length + Number.parseInt(msg, 10));
  });

  test.each([
    ['--audit', 'is not an audit log'],
    ['--token-file', 'is not a token file'],
  ])('%s rejects a file of the database or of something else, and changes nothing', async (option, problem) => {
    const db = inFolder('shop.db');
    const [link, hard, other] = [inFolder('link'), inFolder('hard'), inFolder('other')];
    await (await serving('--db', db, '--seed', 'demo')).run.stop();
    symlinkSync(db, link);
    linkSync(db, hard);
    copyFileSync(db, other);
    const before = readFileSync(db);
    const fresh = inFolder('new.db');
    symlinkSync(fresh, inFolder('dangling'));
    for (const [file, at = db] of [
      [db],
      [link],
      [hard],
      [`${db}-wal`],
      [`${link}-shm`],
      [fresh, fresh],
      [inFolder('dangling'), fresh],
    ] as const) {
      const run = start('--port', '0', '--db', at, option, file);
      expect([file, await run.ended]).toEqual([file, 2]);
      expect(run.stderr).toContain(`${file} is a file of the database. Give ${option} another file.`);
    }
    const run = start('--port', '0', '--db', db, option, other);
    expect(await run.ended).toBe(2);
    expect(run.stderr).toContain(`${other} exists and ${problem}, so it was not changed. Give ${option} another file.`);
    expect([readFileSync(db), readFileSync(other)].map((bytes) => bytes.equals(before))).toEqual([true, true]);
    expect([existsSync(fresh), existsSync(`${db}-wal`)]).toEqual([false, false]);
  });

  test('--token-file and --audit may not be one file', async () => {
    const [file, link] = [inFolder('one'), inFolder('link')];
    symlinkSync(file, link);
    for (const path of [file, link]) {
      const run = start('--port', '0', '--db', inFolder('new.db'), '--audit', file, '--token-file', path);
      expect([path, await run.ended]).toEqual([path, 2]);
      expect(run.stderr).toContain(`${path} is the file of --audit. Give --token-file another file.`);
    }
    expect(readdirSync(dirname(file))).toEqual(['link']);
  });

  test.each([['--control'], ['--no-control'], ['--control-token', 'a-token-of-the-operator']])(
    'has no test controls: %s is an unknown flag',
    async (...flags) => {
      const run = start('--port', '0', ...flags);
      expect(await run.ended).toBe(2);
      expect(run.stderr).toContain(`unknown option '${flags[0]}'`);
      expect(run.stdout).toBe('');
    },
  );

  test('has no test controls in its ready line, its routes and its code', async () => {
    const run = new Run(['--port', '0', '--json'], { MKT_SERVE_CONTROL_TOKEN: 'a-token-of-the-operator' });
    runs.push(run);
    const line = await ready(run);
    expect(Object.keys(line)).toEqual(['url', 'db', 'tokens', 'organizations', 'pid']);
    for (const path of ['/__mkt', '/__mkt/v1/clock', '/__mkt/namespaces/a/organizations.json'])
      expect((await get(`${line.url}${path}`, 'a-token-of-the-operator')).status).toBe(404);
    const built = dirname(inject('serverCommand'));
    const code = readdirSync(built).map((name) => readFileSync(join(built, name), 'utf8'));
    expect(code.join('\n')).toContain('/readyz');
    for (const text of [
      '__mkt',
      'control-token',
      'CONTROL_TOKEN',
      'ControlError',
      'staleEtag',
      'fundCampaign',
      'Open the console',
    ])
      expect(code.filter((chunk) => chunk.includes(text)).length, text).toBe(0);
  });

  test('--quiet prints nothing', async () => {
    const port = String(await freePort());
    const run = start('--port', port, '--quiet');
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(isReady, { timeout: 30_000 }).toBe(200);
    expect(await run.stop()).toBe(0);
    expect([run.stdout, run.stderr]).toEqual(['', '']);
  });

  test('flags reach the API: page size, base URL, CORS, rate limit by the address in a header, metrics', async () => {
    const { url, tokens, metrics } = await serving(
      ...['--page-size', '7', '--base-url', 'https://api.example.com/', '--cors', 'https://app.example.com'],
      ...['--rate-limit', '2/Hour', '--address-header', 'X-Real-IP', '--latency', '0.2 s', '--metrics-port', '0'],
    );
    const begin = performance.now();
    const first = await fetch(`${url}/organizations/5/campaigns.json`, {
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${tokens.ada_write}`,
        Origin: 'https://app.example.com',
      },
    });
    const [campaign] = (await first.json()) as [{ url: string }];
    expect(performance.now() - begin).toBeGreaterThan(190);
    expect(first.headers.get('page-items')).toBe('7');
    expect(first.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(campaign.url).toBe('https://api.example.com/organizations/5/campaigns/1.json');
    await get(`${url}/organizations.json`, tokens.ada_write ?? '');
    expect((await get(`${url}/organizations.json`, tokens.ada_write ?? '')).status).toBe(429);
    const from = async (address: string) =>
      (await fetch(`${url}/organizations.json`, { headers: { Accept: 'application/json', 'X-Real-IP': address } }))
        .status;
    for (const status of [401, 401, 429]) expect(await from('10.0.0.1')).toBe(status);
    expect(await from('10.0.0.2')).toBe(401);
    expect((await fetch(metrics ?? '')).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  test('--prefill-allow lets ?website= read one private host (D42)', async () => {
    const site = createServer((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end('<title>Silk Serum</title>'),
    );
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    const create = async (...flags: string[]) => {
      const { url, tokens } = await serving(...flags);
      return fetch(`${url}/organizations/5/collabs.json?website=${encodeURIComponent(`http://${host}/p`)}`, {
        method: 'POST',
        headers: { Accept: 'application/json', Authorization: `Bearer ${tokens.ada_write}` },
      });
    };
    const allowed = await create('--prefill-allow', host);
    expect([allowed.status, await allowed.json()]).toMatchObject([
      201,
      { name: 'Silk Serum', website: `http://${host}/p` },
    ]);
    const rejected = await create();
    expect([rejected.status, await rejected.json()]).toMatchObject([
      422,
      { errors: { website: [expect.any(String)] } },
    ]);
    site.close();
  });
});

describe('a persistent store', () => {
  test('starts with one user and one random token, printed once', async () => {
    const db = inFolder('kept.db');
    const first = await serving('--db', db);
    const token = first.tokens.owner_write ?? '';
    expect(token).toMatch(/^mkt_[\w-]{43}$/);
    expect((await get(`${first.url}/organizations.json`, token)).status).toBe(200);
    expect((await get(`${first.url}/organizations.json`, demoTokens.ada_write)).status).toBe(401);
    expect(await first.run.stop()).toBe(0);

    const second = await serving('--db', db);
    expect(second.tokens).toEqual({});
    expect((await get(`${second.url}/organizations.json`, token)).status).toBe(200);
    expect(readFileSync(db).includes(token)).toBe(false);
  });

  test.each(['--json', '--quiet', '--cors=off'])(
    '--token-file keeps that token out of the output, with %s',
    async (flag) => {
      const [db, file] = [inFolder('kept.db'), inFolder('token')];
      const run = start('--port', '0', '--json', '--db', db, '--token-file', inFolder('none/token'));
      expect(await run.ended).toBe(2);
      expect(run.stderr).toContain('none/token cannot be written (ENOENT');
      expect(existsSync(db)).toBe(false);

      const port = await freePort();
      const first = start('--port', String(port), '--db', db, '--token-file', file, flag);
      await vi.waitFor(async () => expect((await get(`http://127.0.0.1:${port}/livez`, '')).status).toBe(200), 10_000);
      const token = readFileSync(file, 'utf8');
      expect(token).toMatch(/^mkt_[\w-]{43}\n$/);
      if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
      expect((await get(`http://127.0.0.1:${port}/organizations.json`, token.trim())).status).toBe(200);
      expect(await first.stop()).toBe(0);
      expect(first.stdout + first.stderr).not.toMatch(/mkt_\w|above/);

      expect(await (await serving('--db', db, '--token-file', file)).run.stop()).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(token);
    },
  );

  test('--quiet still prints the token that is nowhere else', async () => {
    const run = start('--port', '0', '--quiet', '--db', inFolder('kept.db'));
    await run.printed('\n');
    expect(run.stdout).toMatch(/^mkt_[\w-]{43}\n$/);
  });

  test.each(['sqlite', 'postgres'] as const)('an operator manages users, tokens and members on %s', async (kind) => {
    const opened = await openTestStore(kind);
    await opened.store.load(demoSeed());
    const { url } = await serving('--db', opened.db);
    const operator = async (...args: string[]) => {
      const run = start(...args, '--db', opened.db);
      expect([await run.ended, run.stderr]).toEqual([0, expect.not.stringContaining('error')]);
      return run.stdout || run.stderr;
    };
    expect(await operator('users', 'add', 'Mia@example.com', '--name', 'Mia')).toBe(
      `Added Mia@example.com. To create a token: mkt-server tokens add Mia@example.com --permission write --db ${shownDb(opened.db)}\n`,
    );
    const secret = (await operator('tokens', 'add', 'mia@EXAMPLE.com', '--permission', 'write')).trim();
    const path = `${url}/organizations/5/campaigns.json`;
    expect([secret, (await get(path, secret)).status]).toEqual([expect.stringMatching(/^mkt_[\w-]{43}$/), 404]);
    expect(await operator('members', 'add', 'mia@example.com', '--organization', '5', '--role', 'member')).toBe(
      'Added mia@example.com to Acme Cosmetics, as member.\n',
    );
    expect((await get(path, secret)).status).toBe(200);
    expect(await operator('users', 'list')).toMatch(/^EMAIL +NAME +TOKENS\n(.+\n)*Mia@example\.com +Mia +1\n/);
    const listed = await operator('tokens', 'list', 'mia@example.com');
    const [, id = ''] = /\n(\d+) +Mia@example\.com +write +\S+Z +Made by the server\n$/.exec(listed) ?? [];
    expect(listed).not.toContain(secret);
    await operator('tokens', 'revoke', id);
    expect((await get(path, secret)).status).toBe(401);
    expect(await operator('tokens', 'list', 'mia@example.com')).not.toContain('Mia@');
    expect(await operator('users', 'disable', 'ADA@acme.example')).toMatch(/^Revoked \d tokens of ADA@acme\.example\./);
    expect((await get(path, demoTokens.ada_write)).status).toBe(401);
    expect((await get(path, demoTokens.ben_write)).status).toBe(200);
    await opened.dispose();
  });

  test.runIf(existsSync('/dev/full'))('a token that cannot be printed is revoked', async () => {
    const db = inFolder('kept.db');
    await (await serving('--db', db)).run.stop();
    const add = `"$0" "$@" tokens add owner@example.com --permission write --db ${db}`;
    for (const [output, reason] of [
      ['>/dev/full', 'the disk is full'],
      ['| true', 'its reader has stopped'],
    ]) {
      const { stderr } = spawnSync('/bin/sh', ['-c', `${add} ${output}`, process.execPath, inject('serverCommand')]);
      expect(stderr.toString()).toBe(`error: The token cannot be printed, so it was revoked: ${reason}.\n`);
    }
    const list = start('tokens', 'list', '--db', db);
    expect([await list.ended, list.stdout.trim().split('\n').length]).toEqual([0, 2]);
  });

  test('is exported as a seed, which another store starts with', async () => {
    const db = inFolder('kept.db');
    await (await serving('--db', db, '--seed', 'demo')).run.stop();
    const exported = start('export', '--db', db);
    expect(await exported.ended).toBe(0);
    expect(exported.stdout).not.toMatch(/mkt_demo/);
    const file = inFolder('seed.yaml');
    writeFileSync(
      file,
      exported.stdout.replace(/(\n {2}ada:\n)/, '$1    tokens: [{secret: mkt_chosen_secret, permission: write}]\n'),
    );
    const { url, tokens } = await serving('--db', inFolder('copy.db'), '--seed', file);
    expect(tokens).toEqual({ ada_write: 'mkt_chosen_secret' });
    const answer = await get(`${url}/organizations/5/campaigns.json`, 'mkt_chosen_secret');
    expect(answer.headers.get('total-count')).toBe('45');
  });

  test('is served anywhere if it is your own seed', async () => {
    const { url } = await serving('--host', '0.0.0.0', '--db', inFolder('kept.db'));
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  });

  test('its URL may come from the environment, so that the process list shows no password', async () => {
    const db = inFolder('kept.db');
    const run = new Run(['--port', '0', '--json'], { MKT_SERVE_DB: db });
    runs.push(run);
    expect((await ready(run)).db).toBe(db);
  });
});

describe('invalid arguments: one sentence, exit code 2 (serve-errors.test.ts has more)', () => {
  test.each([
    [
      ['--seed', 'no-such.yaml'],
      /^error: The seed "no-such\.yaml" cannot be read: there is no such file or directory\..*\n$/,
    ],
    [['--max-body-memory', '31MiB'], /Use a size of at least 32MiB, such as 64MiB\.\n$/],
    [['--max-body-memory', '64MB'], /Use a size of at least 32MiB, such as 64MiB\.\n$/],
    [['--metrics'], /^error: unknown option '--metrics'/],
    [['--port', '70000'], /^error: .*--port.* Use a whole number from 0 to 65535\.\n$/],
    [['tokens', 'add', 'mia@example.com', '--permission', 'all', '--db', 'x.db'], /^error: .*--permission.*\n$/],
  ])('%j', async (args, words) => {
    const run = start(...args);
    expect([await run.ended, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(words);
  });
});

test('--version prints the version of the package', async () => {
  const run = start('--version');
  expect([await run.ended, run.stdout]).toEqual([0, `${version}\n`]);
});

describe('stopping', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s: completes running requests, exits with 0', async (signal) => {
    const flags = ['--latency', '1000', '--metrics-port', '0', '--db', inFolder('kept.db'), '--seed', 'demo'];
    const { run, url, metrics = '' } = await serving(...flags);
    let isAnswered = false;
    const slow = get(`${url}/organizations.json`, demoTokens.ada_write).finally(() => {
      isAnswered = true;
    });
    while (!isAnswered && (await inFlight(metrics)) < 1);
    run.signal(signal);
    expect((await slow).status).toBe(200);
    expect(await run.ended).toBe(0);
    // The log was moved into the database file.
    expect(existsSync(inFolder('kept.db-wal'))).toBe(false);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('a second signal ends it at once, such as %s', async (second) => {
    const { run } = await serving('--drain-delay', '600');
    run.signal('SIGTERM');
    await run.printed('"msg":"stopping"');
    run.signal(second);
    // It ended by the signal, and not by itself.
    expect(await run.ended).toBe(null);
  });

  // Several times: without the handler in place, some of them end by the signal and not by themselves.
  test('who stops it at the very line that says it is ready gets exit 0 too', async () => {
    for (let time = 0; time < 4; time += 1) {
      const run = start('--port', '0');
      run.signalAtFirstWord('SIGTERM');
      expect(await run.ended).toBe(0);
    }
  });
});
