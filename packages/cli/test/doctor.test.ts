import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testControls } from '@mkt/mock-server/node';
import { demoSeed, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nodeResult } from '../src/commands/doctor/machine.js';
import { runCli, type Terminal, temporaryFolder } from './support/run-cli.js';
import { type Scripted, scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';
import { signedInFolder } from './support/signed-in.js';

let service: Server;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url };
});
afterAll(() => service.close());

const now = () => new Date('2026-06-01T12:00:00Z');

/** What differs from machine to machine: ports, times, versions, the folder of this run. */
const calm = (text: string, folder: string): string =>
  text
    .replaceAll(folder, '/home/ada')
    .replaceAll(/127\.0\.0\.1(:|, port )\d+/g, '127.0.0.1$14010')
    .replaceAll(/\b\d+ m?s\b/g, '7 ms')
    .replaceAll(process.versions.node, '20.20.2')
    .replaceAll('node:sqlite', 'better-sqlite3')
    .replaceAll(/\d+\.\d+\.\d+, on/g, '1.0.0, on');

interface Row {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly try: readonly string[];
}

/** The checks by name, and the exit code. Whatever happens, no token is said and no stack is shown. */
async function examined(terminal: Terminal, ...flags: string[]) {
  const { code, stdout, stderr } = await runCli(['doctor', '--json', ...flags], { now, ...terminal });
  for (const text of [stdout, stderr]) {
    for (const token of Object.values(tokens)) expect(text).not.toContain(token);
    expect(text).not.toMatch(/ {4}at /);
  }
  const rows = JSON.parse(stdout) as Row[];
  if (code !== 0) expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'doctor', exitCode: code } });
  else expect(stderr).toBe('');
  const named = new Map(rows.map((row) => [row.check, row]));
  expect(named.size).toBe(rows.length);
  return {
    code,
    rows,
    of: (name: string) => named.get(name) ?? expect.unreachable(`There is no check "${name}".`),
    failed: rows.filter(({ status }) => status === 'fail').map(({ check }) => check),
    skipped: rows.filter(({ status }) => status === 'skipped').map(({ check }) => check),
    warned: rows.filter(({ status }) => status === 'warn').map(({ check }) => check),
  };
}

describe('mkt doctor without problems', () => {
  it('prints every check at 80 columns', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    const { code, stdout, stderr } = await runCli(['doctor'], { cwd, now, columns: 80 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '20 checks: 20 ok.\n' });
    expect(stdout).toContain('ends in rite');
    expect(stdout).not.toContain(tokens.ada_write);
    // Paths are as long as the machine has them, and break lines elsewhere.
    const { stdout: unbroken } = await runCli(['doctor'], { cwd, now });
    await expect(calm(unbroken, cwd)).toMatchFileSnapshot('goldens/doctor-well.txt');
  });

  it('gives data in every format', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    const { code, rows, skipped } = await examined({ cwd });
    expect({ code, skipped }).toEqual({ code: 0, skipped: [] });
    for (const row of rows) expect(Object.keys(row)).toEqual(['check', 'status', 'detail', 'try']);
    const jq = await runCli(['doctor', '--jq', 'map(select(.status == "fail")) | length'], { cwd, now });
    expect(jq).toEqual({ code: 0, stdout: '0\n', stderr: '' });
    const csv = await runCli(['doctor', '--format', 'csv'], { cwd, now });
    expect(csv.stdout).toMatch(/^check,status,detail,try\nnode,ok,/);
    const fields = await runCli(['doctor', '--fields', 'status,check', '--no-header'], { cwd, now });
    expect(fields.stdout).toMatch(/^ok +node\n/);
  });

  it('names the source of each setting', async () => {
    const cwd = signedInFolder('https://elsewhere.example', 'another_token');
    const { of } = await examined({ cwd, env }, '--org', '7');
    expect(of('service').detail).toBe(`${service.url} (from MKT_BASE_URL)`);
    expect(of('token').detail).toBe('ends in rite (from MKT_TOKEN); it overrides the stored one');
    expect(of('organization').detail).toBe('Initech Audio (7, from --org)');
    const { of: byName } = await examined({ cwd, env }, '--org', 'Acme Cosmetics');
    expect(byName('organization').detail).toBe('Acme Cosmetics (5, from --org)');
  });

  it('prints only the checks with --quiet, and colors on a terminal', async () => {
    const quiet = await runCli(['doctor', '--quiet'], { env, now });
    expect(quiet).toMatchObject({ code: 0, stderr: '' });
    const colored = await runCli(['doctor'], { env: { ...env, NO_COLOR: '' }, now, columns: 80 });
    expect(colored.stdout).toContain('\u001b[32mok');
  });
});

describe('wrong settings', () => {
  it('explains how to begin without any settings', async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await runCli(['doctor'], { cwd, now });
    expect(code).toBe(2);
    await expect(calm(stdout + stderr, cwd)).toMatchFileSnapshot('goldens/doctor-nothing.txt');
  });

  it('uses flags and variables when the config file is damaged', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    writeFileSync(join(cwd, 'config', 'config.json'), '{"profiles": ', { mode: 0o600 });
    const without = await examined({ cwd });
    expect(without).toMatchObject({ code: 2, failed: ['config file'] });
    expect(without.skipped).toEqual(expect.arrayContaining(['profile', 'service', 'token', 'response', 'clock']));
    expect(without.of('config file').try[0]).toContain('mv ');
    const told = await examined({ cwd, env });
    expect(told).toMatchObject({ code: 2, failed: ['config file'] });
    expect(told.of('sign in').detail).toBe('accepted; access to 2 organizations');
  });

  it('reports a service that fails while the config file cannot be read', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    writeFileSync(join(cwd, 'config', 'config.json'), '{"profiles": ', { mode: 0o600 });
    const url = await scriptedServer(() => 'drop');
    const { code, failed, of } = await examined({ cwd, env: { ...env, MKT_BASE_URL: url } });
    expect({ code, failed }).toEqual({ code: 2, failed: ['config file', 'response'] });
    expect(of('response').detail).toContain(`The connection to ${url} failed`);
  });

  it('reports a damaged project file and goes on', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    writeFileSync(join(cwd, '.mkt.json'), 'org: 5');
    const { code, failed, of } = await examined({ cwd });
    expect({ code, failed }).toEqual({ code: 2, failed: ['project file'] });
    expect(of('sign in').status).toBe('ok');
  });

  it('warns of ignored keys in a project file', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    writeFileSync(join(cwd, '.mkt.json'), '{"org": 8, "base_url": "https://evil.example"}');
    const { code, warned, of } = await examined({ cwd, env: { MKT_TOKEN: tokens.ben_write } });
    expect({ code, warned }).toEqual({ code: 0, warned: ['project file'] });
    expect(of('project file').detail).toContain('ignored settings: base_url');
    expect(of('organization').detail).toContain('Orphan Labs (8, from ');
  });

  it('reports a profile that does not exist', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    const { code, failed, of } = await examined({ cwd, env: { MKT_PROFILE: 'work' } });
    expect({ code, failed }).toEqual({ code: 2, failed: ['profile'] });
    expect(of('profile').try).toContain('To create it: mkt login --profile work');
    expect(of('service').detail).toBe('"profile" failed');
  });

  it.each([
    ['an invalid URL', { MKT_BASE_URL: 'api.example.com' }, ['service'], 2],
    ['plain http to another machine', { MKT_BASE_URL: 'http://api.example.com' }, ['service'], 2],
    ['a token with a space', { MKT_TOKEN: 'two words' }, ['token'], 2],
    ['a missing token file', { MKT_TOKEN: '', MKT_TOKEN_FILE: '/nowhere/token' }, ['token'], 2],
    ['an organization that is not visible', { MKT_ORG: '99' }, ['organization'], 3],
    ['an unknown organization name', { MKT_ORG: 'Missing Ltd' }, ['organization'], 3],
  ])('reports %s', async (_name, more, failed, code) => {
    expect(await examined({ env: { ...env, ...more } })).toMatchObject({ code, failed });
  });

  it('still prints a report when the output format is unknown', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    writeFileSync(join(cwd, '.mkt.json'), '{"format": "xml"}');
    const { code, stdout } = await runCli(['doctor'], { cwd, now });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^fail +format +"xml" .* is not an output format\.$/m);
  });

  it('reports a missing sign-in', async () => {
    const { code, failed, of } = await examined({ env: { MKT_BASE_URL: service.url } });
    expect({ code, failed }).toEqual({ code: 4, failed: ['token'] });
    expect(of('token').try[0]).toBe('To sign in: mkt login');
    expect(of('response').detail).toMatch(/^401 in /);
    expect(of('sign in')).toMatchObject({ status: 'skipped', detail: '"token" failed' });
  });
});

describe('files that others can read', () => {
  it('give warnings and are not changed', async () => {
    const cwd = signedInFolder(service.url, tokens.ada_write);
    const paths = ['', 'config.json', 'credentials.json'].map((name) => join(cwd, 'config', name));
    const modes = [0o755, 0o640, 0o644];
    for (const [index, path] of paths.entries()) chmodSync(path, modes[index] ?? 0);
    const { code, warned, of } = await examined({ cwd });
    expect({ code, warned }).toEqual({ code: 0, warned: ['config folder', 'credentials file', 'config file'] });
    expect(of('config folder').detail).toContain('(mode 0755)');
    expect(of('credentials file').try[0]).toBe(`chmod 600 ${paths[2]}`);
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual(modes);
  });
});

describe('a shared folder', () => {
  it('gets no advice to close it', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'notes.txt'), 'not ours');
    chmodSync(cwd, 0o777);
    const { code, warned, of } = await examined({ env: { ...env, MKT_CONFIG_DIR: cwd } });
    expect({ code, warned }).toEqual({ code: 0, warned: ['config folder'] });
    expect(of('config folder').try).toEqual([expect.stringContaining('MKT_CONFIG_DIR=')]);
  });
  it('gives a warning if it cannot be created', async () => {
    const file = join(temporaryFolder(), 'notes');
    writeFileSync(file, '');
    const { code, warned, of } = await examined({ env: { ...env, MKT_CONFIG_DIR: join(file, 'deep', 'mkt') } });
    expect({ code, warned }).toEqual({ code: 0, warned: ['config folder'] });
    expect(of('config folder').detail).toContain(`cannot be created in ${file}, so sign-ins cannot be stored.`);
  });
  it.skipIf(process.getuid?.() === 0)('fails if it cannot be read, and the other checks go on', async () => {
    const cwd = temporaryFolder();
    chmodSync(cwd, 0o000);
    const { code, failed, of } = await examined({ env: { ...env, MKT_CONFIG_DIR: cwd } });
    chmodSync(cwd, 0o700);
    expect(code).not.toBe(0);
    expect(failed[0]).toBe('config folder');
    expect(of('clock').status).toBe('ok');
  });
});

describe('a failing service', () => {
  const at = async (answer: Scripted | 'hang' | 'drop', ...flags: string[]) => {
    const url = await scriptedServer(() => answer);
    return examined({ env: { MKT_TOKEN: 'some_secret_token', MKT_BASE_URL: url } }, ...flags);
  };
  it.each<[string, Scripted | 'hang' | 'drop', number, string]>([
    ['a wrong token', { status: 401, body: { error: 'no' } }, 4, 'sign in'],
    ['a plain-text 401', { status: 401, body: 'HTTP Token: Access denied.' }, 4, 'sign in'],
    ['a 403', { status: 403 }, 5, 'sign in'],
    ['a page instead of JSON', { body: '<!doctype html><title>Welcome</title>' }, 1, 'response'],
    ['JSON of something else', { body: { status: 'up' } }, 1, 'response'],
    ['totals in words', { body: [1, null], headers: { 'total-count': 'many' } }, 0, ''],
    ['a 500', { status: 500, body: '<h1>Oops</h1>' }, 1, 'response'],
    ['a 404', { status: 404 }, 3, 'response'],
    ['a 429', { status: 429, headers: { 'retry-after': '9' } }, 7, 'response'],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, 1, 'response'],
    ['a redirect to the sign-in page', { status: 302, headers: { location: '/sign_in' } }, 4, 'sign in'],
    ['a broken connection', 'drop', 8, 'response'],
    ['silence', 'hang', 8, 'response'],
  ])('is diagnosed: %s', async (_name, answer, code, check) => {
    const found = await at(answer, '--timeout', answer === 'hang' ? '0.2' : '20');
    expect(found).toMatchObject({ code, failed: check === '' ? [] : [check] });
  });

  it('counts one organization, and more than a page of them', async () => {
    const total = async (count: string, ...ids: readonly number[]) => {
      const body = ids.map((id) => ({ id, name: `Brand ${id}` }));
      const { of } = await at({ body, headers: { 'total-count': count } });
      return [of('sign in').detail, of('organization').detail];
    };
    expect(await total('1', 5)).toEqual([
      'accepted; access to 1 organization',
      'none chosen; the token has access to only one',
    ]);
    expect(await total('45', 5, 6)).toEqual([
      'accepted; access to 45 organizations',
      'none chosen; commands ask for it, or use --org',
    ]);
  });

  it('fails if nothing listens', async () => {
    const found = await examined({ env: { ...env, MKT_BASE_URL: 'http://127.0.0.1:1' } });
    expect(found).toMatchObject({ code: 8, failed: ['network'] });
    expect(found.skipped).toEqual(['response', 'sign in', 'organization', 'clock']);
  });

  it('fails if the host does not exist', async () => {
    const found = await examined({ env: { ...env, MKT_BASE_URL: 'https://no-such-host.invalid' } });
    expect(found).toMatchObject({ code: 8, failed: ['network'] });
    expect(found.of('network').detail).toContain('no-such-host.invalid was not found');
  });

  it('ends with 130 on Ctrl-C', async () => {
    const stop = new AbortController();
    const url = await scriptedServer(() => {
      stop.abort();
      return 'hang';
    });
    const { code, stderr } = await runCli(['doctor'], {
      now,
      env: { ...env, MKT_BASE_URL: url },
      interrupted: stop.signal,
    });
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'error: Interrupted.\n' });
  });
});

describe('a server with --strict', () => {
  it('has its mistakes shown, if its control token is known', async () => {
    const token = 'control-token-of-a-test';
    const extend = testControls({ token, seed: demoSeed, strict: true });
    const strict = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, extend });
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const terminal = (control?: string) => ({
      env: { ...env, MKT_BASE_URL: strict.url, ...(control && { MKT_SERVE_CONTROL_TOKEN: control }) },
    });
    expect((await examined(terminal(token))).of('requests')).toMatchObject({
      status: 'ok',
      detail: 'none with a mistake so far',
    });
    const headers = { Accept: 'application/json', Authorization: `Bearer ${tokens.ada_write}` };
    await fetch(`${strict.url}/organizations/5/campaigns.json?per_page=5`, { headers });
    expect((await examined(terminal(token))).of('requests')).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(
        /^1 with mistakes; the last: GET \S+per_page=5: "per_page" is not a query parameter of campaigns\.list/,
      ),
    });
    const wrong = await examined(terminal('another-token'));
    expect([wrong.code, wrong.of('requests').status]).toEqual([0, 'warn']);
    expect(wrong.of('requests').detail).toMatch(/^Send the control token that the server printed/);
    expect((await examined(terminal())).rows.map(({ check }) => check)).not.toContain('requests');
    printed.mockRestore();
    await strict.close();
  });
});

describe('the clock', () => {
  it.each([
    [1, 'ok', /^differs by 60 s from the service$/],
    [1.1, 'warn', /^This machine is 66 seconds ahead of the service\. The history uses the time of the service\.$/],
    [60, 'warn', /^This machine is 60 minutes ahead of the service\./],
    [-1440, 'warn', /^This machine is 24 hours behind the service\./],
  ])('%i minutes off gives %s', async (minutes, status, detail) => {
    const skewed = () => new Date(now().getTime() + minutes * 60_000);
    const { code, of } = await examined({ env, now: skewed });
    expect({ code, status: of('clock').status }).toEqual({ code: 0, status });
    expect(of('clock').detail).toMatch(detail);
  });
  it('is skipped if the service sends no Date header', async () => {
    const url = await scriptedServer(() => ({ body: [], headers: { date: '' } }));
    expect((await examined({ env: { ...env, MKT_BASE_URL: url } })).of('clock').status).toBe('skipped');
  });
});

it.each([
  ['18.20.4', 'fail'],
  ['20.18.3', 'fail'],
  ['20.19.0', 'ok'],
  ['21.7.3', 'fail'],
  ['22.11.0', 'fail'],
  ['22.12.0', 'ok'],
  ['26.0.0', 'ok'],
])('Node %s is %s', (version, status) => {
  expect(nodeResult(version)).toMatchObject({ status });
});
