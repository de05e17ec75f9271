import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { afterwards, guided, once, whileItRuns } from '../src/commands/demo/run.js';
import { type Step, tour } from '../src/commands/demo/tour.js';
import { Context } from '../src/context/context.js';
import { globalOptions } from '../src/root/execute.js';
import { run } from '../src/root/run-command.js';
import { widthOf } from '../src/text/width.js';
import { runCli, type Terminal, temporaryFolder, testIo } from './support/run-cli.js';

vi.setConfig({ testTimeout: 30_000 });

const CLEAR = '\u001b[2J\u001b[H';
/** What differs from run to run: the port, and the ids of requests. */
const calm = (text: string): string =>
  text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4010').replaceAll(/request [\w-]+/g, 'request Zk3vQ8-1');

/** The screens that these keys lead through, the first one included. */
async function screens(keys: string, terminal: Terminal = {}): Promise<string[]> {
  const { code, stdout, stderr } = await runCli(['demo'], { columns: 80, stdin: keys, ...terminal });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [before, ...shown] = calm(stdout).split(CLEAR);
  expect(before).toBe('');
  return shown;
}

/** Lines that the text takes on a terminal of 80 columns. */
const heightOf = (text: string): number =>
  text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(widthOf(line) / 80)), 0);

describe('mkt demo on a terminal', () => {
  it('shows seven steps and an end, each on one screen of 24 lines', async () => {
    const shown = await screens('\r \u001b[Cn\r\r\r\r');
    expect(shown).toHaveLength(9);
    expect(shown.at(-1)).toBe(shown.at(-2));
    for (const screen of shown) expect(heightOf(screen.trimEnd()), screen).toBeLessThanOrEqual(24);
    await expect(shown.slice(0, 8).join('\n=====\n')).toMatchFileSnapshot('goldens/demo-guided.txt');
  });

  it('shows each command as the user types it', async () => {
    const shown = (await screens('\r\r\r\r\r\r')).join('\n');
    expect(shown.match(/(?<=^\$ ).*/gm)).toEqual(
      tour.flatMap((step) => step.commands.map(({ line, onOneScreen = line }) => onOneScreen)),
    );
  });

  it('shows a previous step again without running it twice', async () => {
    const [first, second, third, again, start, stays] = await screens('\r\rb\u001b[Db');
    expect(again).toBe(second);
    expect(start).toBe(first);
    expect(stays).toBe(first);
    expect(first).not.toContain('b back');
    expect(third).toContain('Created campaign 48');
    const shown = await screens('\r\rb\r\r');
    expect(shown[4]).toBe(shown[2]);
    expect(shown[5]).toContain('Published campaign 48');
  });

  it.each(['q', '\u0004', ''])('exits with 0 at %j', async (key) => {
    expect(await screens(key)).toHaveLength(1);
  });

  it.each([0, 3, 6])('ends with 130 at Ctrl-C after %i steps', async (steps) => {
    const stdin = new PassThrough();
    const { io, screen } = testIo({ columns: 80, stdin });
    const ended = run(['demo'], io);
    for (let step = 1; step <= steps; step += 1) {
      await vi.waitFor(() => expect(screen().stdout.split(CLEAR)).toHaveLength(step + 1), 10_000);
      stdin.write('\r');
    }
    if (steps > 0) await vi.waitFor(() => expect(screen().stdout.split(CLEAR)).toHaveLength(steps + 2), 10_000);
    stdin.write('\u0003');
    expect(await ended).toBe(130);
    expect(screen().stderr).toMatch(/^error: Interrupted/);
  });

  it('ends with 130 if a signal arrives while it waits', async () => {
    const stop = new AbortController();
    const { io, screen } = testIo({ columns: 80, stdin: new PassThrough(), interrupted: stop.signal });
    const ended = run(['demo'], io);
    await vi.waitFor(() => expect(screen().stdout).toContain('q quit'), 10_000);
    stop.abort();
    expect(await ended).toBe(130);
  });

  it('does not clear the screen of a dumb terminal', async () => {
    const { stdout } = await runCli(['demo'], { columns: 80, stdin: '\rq', env: { TERM: 'dumb' } });
    expect(stdout).toContain('2 of 7');
    expect(stdout).not.toContain('\u001b');
  });

  it('is colored without NO_COLOR and --no-color', async () => {
    const colored = await runCli(['demo'], { columns: 80, stdin: '\r\r\r\r\rq', env: { NO_COLOR: '' } });
    expect(colored.stdout).toContain('\u001b[31m');
    const plain = await runCli(['demo', '--no-color'], { columns: 80, stdin: '\r\r\r\r\rq', env: { NO_COLOR: '' } });
    expect(plain.stdout.replaceAll(CLEAR, '')).not.toContain('\u001b');
  });

  it.each([40, 120])('wraps its sentences at %i columns', async (columns) => {
    const shown = await screens('\r\r\r\r\r\rq', { columns });
    for (const screen of shown.slice(0, 6))
      for (const line of screen.split('\n').slice(2, 4)) expect(line.length).toBeLessThanOrEqual(columns);
  });
});

describe('mkt demo without keys', () => {
  it('shows the same steps, one after the other', async () => {
    const { code, stdout, stderr } = await runCli(['demo', '--once'], { inProcess: 'clock' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(calm(stdout)).toMatchFileSnapshot('goldens/demo-once.txt');
  });

  it('runs by itself in a pipe, and with --no-input, and says so', async () => {
    for (const [argv, columns] of [[['demo']], [['demo', '--no-input'], 80]] as const) {
      const { code, stdout, stderr } = await runCli(argv, columns === undefined ? {} : { columns });
      expect(code).toBe(0);
      expect(stderr).toContain('the tour runs without waiting');
      expect(stdout).toContain('6 of 7');
      expect(stdout).not.toContain(CLEAR);
    }
  });

  it('reads no settings of this machine and leaves no files', async () => {
    const cwd = temporaryFolder();
    const config = join(cwd, 'config.json');
    writeFileSync(config, 'not json');
    writeFileSync(join(cwd, '.mkt.json'), '{"org": "9", "format": "json"}');
    const env = {
      MKT_CONFIG_DIR: cwd,
      MKT_TOKEN: 'wrong',
      MKT_BASE_URL: 'https://production.example',
      MKT_ORG: '9',
      MKT_PROFILE: 'missing',
      MKT_DEBUG: '1',
      HTTP_PROXY: 'http://127.0.0.1:1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
    };
    const disturbed = await runCli(['demo', '--once'], { env, cwd, inProcess: 'clock' });
    const calmly = await runCli(['demo', '--once'], { inProcess: 'clock' });
    expect(disturbed.code).toBe(0);
    expect({ ...disturbed, stdout: calm(disturbed.stdout) }).toEqual({ ...calmly, stdout: calm(calmly.stdout) });
    expect(readdirSync(cwd).sort()).toEqual(['.mkt.json', 'config.json']);
  });

  it.each(['--org', '--profile', '--base-url'])('rejects %s, which it would have to ignore', async (flag) => {
    const value = flag === '--base-url' ? 'https://api.example.com' : '5';
    const { code, stdout, stderr } = await runCli(['demo', '--once', flag, value]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(flag);
  });
});

describe('the commands to type next', () => {
  const url = 'http://127.0.0.1:4010';
  it('use npx if the tour was started with it', () => {
    expect(afterwards({ env: {} })).toMatch(/^ {2}mkt serve/m);
    expect(afterwards({ env: { npm_command: 'run-script' } })).toMatch(/^ {2}npx mkt serve/m);
    expect(whileItRuns(url, { env: { npm_command: 'exec' }, platform: 'linux' })).toContain(
      '  npx @mkt/cli collabs list',
    );
  });
  it('are written for PowerShell on Windows', () => {
    const text = whileItRuns(url, { env: {}, platform: 'win32' });
    expect(text).toContain(`  $env:MKT_BASE_URL = '${url}'`);
    expect(text).not.toContain('export MKT');
  });
});

describe('a step that fails', () => {
  const wrong = (line: string, exit?: number): readonly Step[] => [
    { title: 'Wrong', text: 'Wrong.', commands: [{ line, ...(exit !== undefined && { exit }) }] },
    ...tour,
  ];
  const play = async (steps: readonly Step[], how: typeof once) => {
    const { io, screen } = testIo({ columns: 80, stdin: new PassThrough() });
    const never = () => Promise.reject(new Error('The tour has no service of its own to ask.'));
    const invocation = { path: 'demo', args: [], flags: {}, command: {} };
    const services = { run, client: never, organization: never, argv: [], invocation };
    const context = new Context(io, globalOptions({}), services);
    return { failure: await how(context, steps).catch((error: unknown) => error), ...screen() };
  };

  it.each([
    ['once', once],
    ['guided', guided],
  ] as const)('ends %s with its code, what it printed, and a sentence', async (_name, how) => {
    const { failure, stdout } = await play(wrong('mkt campaigns show 99 --org 5'), how);
    expect(failure).toMatchObject({
      exitCode: 3,
      message: 'The tour stops here: "mkt campaigns show 99 --org 5" exited with code 3, expected 0.',
    });
    expect(stdout).toContain('error: Campaign 99 was not found');
    expect(stdout).not.toContain('Your campaigns');
  });

  it('fails if an expected error does not occur', async () => {
    const { failure } = await play(wrong('mkt campaigns show 1 --org 5', 3), once);
    expect(failure).toMatchObject({ exitCode: 1 });
  });
});
