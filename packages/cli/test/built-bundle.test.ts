import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';
import { bash, bundle, mkt, start } from './support/spawn-cli.js';

// Dozens of processes, on machines under load.
vi.setConfig({ testTimeout: 30_000 });

let service: Server;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5' };
});
afterAll(() => service.close());

const ESC = String.fromCharCode(27);

/** A list of `pages` pages, 100 rows of 600 bytes each. */
const longList = (pages: number, onPage: (page: number) => void = () => undefined) =>
  scriptedServer(({ url = '' }) => {
    const page = Number(/page=(\d+)/.exec(url)?.[1] ?? 1);
    onPage(page);
    const rows = Array.from({ length: 100 }, (_, index) => ({
      id: (page - 1) * 100 + index + 1,
      name: 'x'.repeat(600),
    }));
    return { body: rows, headers: { 'total-count': String(pages * 100), 'total-pages': String(pages) } };
  });

it('says its version', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  for (const argv of [
    ['--version'],
    ['-V'],
    ['--json', '--version'],
    ['campaigns', '-V'],
    ['campaigns', 'list', '--version'],
  ])
    expect(await mkt(argv)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

/** What a process has loaded when it ends: files, and modules of Node. */
const loadedBy = async (argv: readonly string[]): Promise<string[]> => {
  const hook = join(temporaryFolder(), 'hook.cjs');
  const loaded = '[...Object.keys(require.cache), ...process.moduleLoadList].join("\\n")';
  writeFileSync(hook, `process.on("exit", () => process.stderr.write(${loaded}));`);
  const { code, stderr } = await start([process.execPath, '--require', hook, ...argv], env).ended;
  expect(code).toBe(0);
  return stderr.split('\n').filter((line) => line !== hook);
};

/** The files of the program that a command loads. */
const filesOf = async (argv: readonly string[]): Promise<string[]> =>
  (await loadedBy([bundle, ...argv])).filter((line) => line.endsWith('.cjs'));

describe('the table library', () => {
  /** How many files of the program that a command loads hold cli-table3. */
  const filesWithTables = async (argv: readonly string[]): Promise<number> => {
    const files = await filesOf(argv);
    expect(files).toContain(bundle);
    return files.filter((file) => readFileSync(file, 'utf8').includes('wrapOnWordBoundary')).length;
  };

  it('is loaded to print a table', async () => {
    expect(await filesWithTables(['campaigns', 'list'])).toBe(1);
  });
  it.each([
    [['--version']],
    [['--help']],
    [['campaigns', 'list', '--help']],
    [['campaigns', 'list', '--json']],
    [['campaigns', 'list', '--format', 'csv']],
    [['campaigns', 'show', '3']],
  ])('is not loaded by %j', async (argv) => {
    expect(await filesWithTables(argv)).toBe(0);
  });
});

const bytesIn = (files: readonly string[]): number => files.reduce((sum, file) => sum + statSync(file).size, 0);

// The definitions of the commands must not import the SDK: with zod and ky, help takes a quarter longer.
it('the help of the program loads three files, less than 150 kB of code', async () => {
  const files = await filesOf(['--help']);
  expect(files).toEqual([bundle, expect.stringContaining('main.cjs'), expect.stringContaining('chunk')]);
  expect(bytesIn(files)).toBeLessThan(150_000);
});

// All of zod, which only the field flags need, would make a list 10 % slower.
it('a list loads less than 350 kB of code', async () => {
  const bytes = bytesIn(await filesOf(['campaigns', 'list']));
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(350_000);
});

describe('the web classes of Node', () => {
  const module = 'NativeModule internal/deps/undici/undici';

  it('are loaded by a program that uses one', async () => {
    expect(await loadedBy(['-e', 'new Request("http://localhost")'])).toContain(module);
  });
  it.each([[['campaigns', 'list']], [['campaigns', 'create', '--name', 'x']]])('are not loaded by %j', async (argv) => {
    expect(await loadedBy([bundle, ...argv])).not.toContain(module);
  });
});

describe('requests', () => {
  it('are retried after a 503', async () => {
    let requests = 0;
    const url = await scriptedServer(() => {
      requests += 1;
      return requests === 1 ? { status: 503, headers: { 'retry-after': '0' } } : { body: [] };
    });
    expect(await mkt(['organizations', 'list'], { ...env, MKT_BASE_URL: url })).toMatchObject({ code: 0 });
    expect(requests).toBe(2);
  });
  it('end after --timeout', async () => {
    const url = await scriptedServer(() => 'hang');
    const ended = await mkt(['organizations', 'list', '--timeout', '1'], { ...env, MKT_BASE_URL: url });
    expect(ended).toMatchObject({ code: 8, stderr: expect.stringContaining('1 second') });
  });
});

describe('exit codes', () => {
  it.each<[readonly string[], Record<string, string>, number]>([
    [['organizations', 'list'], {}, 0],
    [['--help'], {}, 0],
    [['campaigns'], {}, 0],
    [['nonsense'], {}, 2],
    [['campaigns', 'show', '99'], {}, 3],
    [['organizations', 'list'], { MKT_TOKEN: 'wrong' }, 4],
    [['campaigns', 'create', '--name', 'x'], { MKT_TOKEN: tokens.cleo_write }, 5],
    [['campaigns', 'delete', '3', '--yes'], {}, 6],
    [['organizations', 'list'], { MKT_BASE_URL: 'http://127.0.0.1:1' }, 8],
    [['campaigns', 'pause', '3', '99'], {}, 9],
    [['campaigns', 'delete', '10'], {}, 10],
  ])('%j %j is %i', async (argv, more, code) => {
    const ended = await mkt(argv, { ...env, ...more }, '');
    expect(ended).toMatchObject({ code });
    expect(ended.stdout + ended.stderr).not.toContain(ESC);
    if (code !== 0 && code !== 9) expect(ended.stdout).toBe('');
  });
});

describe('pipes', () => {
  it('3 MB of JSON arrive whole, however slow the reader', async () => {
    const url = await longList(50);
    const { code, stdout } = await bash('mkt organizations list --all --json | (sleep 1; wc -c)', {
      ...env,
      MKT_BASE_URL: url,
    });
    expect(code).toBe(0);
    expect(Number(stdout)).toBeGreaterThan(3_000_000);
  });
  it('succeed if the reader closes early', async () => {
    const url = await longList(50);
    for (const format of ['ndjson', 'csv', 'table', 'json']) {
      const { code, stdout, stderr } = await bash(`mkt organizations list --all --quiet --format ${format} | head -1`, {
        ...env,
        MKT_BASE_URL: url,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    }
  });
  it('stop asking the service when the reader is gone', async () => {
    let furthest = 0;
    const url = await longList(400, (page) => {
      furthest = Math.max(furthest, page);
    });
    const { code } = await bash('mkt export organizations --format ndjson | head -1', { ...env, MKT_BASE_URL: url });
    expect(code).toBe(0);
    expect(furthest).toBeLessThan(400);
  });
  it('hold no color unless it is forced', async () => {
    const plain = await mkt(['campaigns', 'list'], { ...env, CI: '1' });
    expect(plain.stdout).not.toContain(ESC);
    const forced = await mkt(['campaigns', 'list'], { ...env, FORCE_COLOR: '1' });
    expect(forced.stdout).toContain(ESC);
    const both = await mkt(['campaigns', 'list', '--no-color'], { ...env, FORCE_COLOR: '1' });
    expect(both.stdout).not.toContain(ESC);
  });
  it('report a full disk once, as JSON if asked for', async () => {
    const FULL = 'Cannot write the output: no space left on device.';
    const { code, stderr } = await bash('mkt campaigns list --all --json > /dev/full', env);
    expect(code).toBe(1);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { message: FULL } });
    for (const line of [
      'campaigns list',
      'campaigns show 1',
      'api /organizations.json',
      'help agents',
      'campaigns -h',
    ]) {
      expect(await bash(`mkt ${line} > /dev/full`, env)).toMatchObject({ code: 1, stderr: `error: ${FULL}\n` });
    }
    const help = await bash('mkt campaigns --help --json > /dev/full');
    expect(JSON.parse(help.stderr)).toMatchObject({ error: { message: FULL, exitCode: 1 } });
    for (const line of ['--version', '--help']) {
      const short = await bash(`mkt ${line} > /dev/full`);
      expect(short).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: Cannot write the output.*\n$/) });
    }
    const file = await mkt(['export', 'campaigns', '--out', '/dev/full'], env);
    expect(file).toMatchObject({ code: 1, stderr: expect.stringContaining('no space left on device') });
  });
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'ends with 130 at %s in the middle of an export, and leaves no file',
  async (signal) => {
    const folder = temporaryFolder();
    let begun: () => void = () => undefined;
    const underWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const url = await longList(100_000, (page) => {
      if (page === 5) begun();
    });
    const { child, ended } = start(
      [process.execPath, bundle, 'export', 'organizations', '--out', join(folder, 'x.csv')],
      { ...env, MKT_BASE_URL: url },
    );
    await underWay;
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toBe('error: Interrupted.\n');
    expect(readdirSync(folder)).toEqual([]);
  },
);

describe('the home folder', () => {
  it('is not needed if everything comes from the environment', async () => {
    expect(await mkt(['organizations', 'list'], { ...env, HOME: '/dev/null' })).toMatchObject({ code: 0 });
  });
  it('is reported if it cannot be written, with alternatives', async () => {
    for (const HOME of ['/dev/null', '/proc']) {
      const { code, stderr } = await mkt(
        ['login', '--with-token', '--storage', 'file'],
        { ...env, HOME },
        tokens.ada_write,
      );
      expect(code).toBe(1);
      expect(stderr).toMatch(/error: Cannot write .*credentials\.json \(\w+\)\./);
      expect(stderr).toContain('MKT_CONFIG_DIR');
      expect(stderr).not.toContain(tokens.ada_write);
    }
  });
  it('is not written if config.json is damaged, which is reported', async () => {
    const directory = join(temporaryFolder(), 'mkt');
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(join(directory, 'config.json'), 'not json');
    const { code, stderr } = await mkt(
      ['login', '--with-token'],
      { ...env, MKT_CONFIG_DIR: directory },
      tokens.ada_write,
    );
    expect(code).toBe(2);
    expect(stderr).toContain('config.json is damaged');
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).toBe('not json');
  });
  it('loses nothing when six processes write at once', async () => {
    const directory = join(temporaryFolder(), 'mkt');
    const names = Array.from({ length: 6 }, (_, index) => `profile${index}`);
    const ended = await Promise.all(
      names.map((name) =>
        mkt(
          ['login', '--with-token', '--storage', 'file', '--profile', name],
          { MKT_BASE_URL: service.url, MKT_CONFIG_DIR: directory },
          tokens.ada_write,
        ),
      ),
    );
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    const { profiles } = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8'));
    expect(Object.keys(profiles).toSorted()).toEqual(names);
    const secrets = JSON.parse(readFileSync(join(directory, 'credentials.json'), 'utf8'));
    expect(Object.keys(secrets).toSorted()).toEqual(names.map((name) => `${name}@${service.url}`));
  });
});

describe('a keychain that is dead', () => {
  /** A session bus that takes connections and never says a word. */
  async function silentBus(): Promise<string> {
    const path = join(temporaryFolder(), 'bus');
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `unix:path=${path}`;
  }
  it.skipIf(process.platform !== 'linux')(
    'has 3 seconds, then the token is stored in a file, with a notice',
    async () => {
      const began = Date.now();
      const bus = { MKT_NO_KEYRING: '', DBUS_SESSION_BUS_ADDRESS: await silentBus(), MKT_BASE_URL: service.url };
      const { code, stderr } = await mkt(['login', '--with-token'], bus, tokens.ada_write);
      expect(code).toBe(0);
      expect(stderr).toContain('The keychain of this computer cannot be used: it did not respond within 3 seconds.');
      expect(stderr).toContain('stored unencrypted in');
      const asked = await mkt(['login', '--with-token', '--storage', 'keyring'], bus, tokens.ada_write);
      expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was stored.') });
      expect(Date.now() - began).toBeLessThan(14_000);
    },
    20_000,
  );
});

it('serves the demo data, and ends well', async () => {
  const { child, ended } = start([process.execPath, bundle, 'serve', '--port', '0', '--json']);
  const url = await new Promise<string>((resolve) => {
    let text = '';
    child.stdout?.on('data', (part: string) => {
      text += part;
      const line = text.split('\n')[0];
      if (text.includes('\n') && line !== undefined) resolve((JSON.parse(line) as { url: string }).url);
    });
  });
  const listed = await mkt(['campaigns', 'list', '--fields', 'id', '--no-header'], { ...env, MKT_BASE_URL: url });
  expect(listed.stdout.trim().split('\n')).toHaveLength(20);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
});
it('reports an error of serve in one sentence', async () => {
  const taken = Number(new URL(service.url).port);
  const { code, stderr } = await mkt(['serve', '--port', String(taken)]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: .*port/i);
  expect(await mkt(['serve', '--prot', '1'])).toMatchObject({
    code: 2,
    stderr: "error: unknown option '--prot'\n(Did you mean --port?)\n  try:  mkt serve --help\n",
  });
});
