import { describe, expect, it } from 'vitest';
import { homeFolder } from '../src/io/process-io.js';
import { scriptedPrompter } from './support/prompter.js';
import { runCli } from './support/run-cli.js';
import { sharedService, tokens } from './support/service.js';

const { url, env } = sharedService();

const ESC = String.fromCharCode(27);
const off = ['', '0', 'false', 'FALSE'];

it.each([
  ['an empty HOME', () => ''],
  [
    'no HOME, and a user id without an account',
    () => {
      throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
    },
  ],
])('%s is the home folder /, not an end', (_case, ask) => {
  expect(homeFolder(ask)).toBe('/');
});

describe('a variable that is 0, false or empty', () => {
  it.each(off)('MKT_DEBUG=%s', async (value) => {
    const argv = ['campaigns', 'show', '99', '--org', '5'];
    expect((await runCli(argv, { env: { ...env(), MKT_DEBUG: value } })).stderr).not.toMatch(/ {4}at |authorization/);
    expect((await runCli(argv, { env: { ...env(), MKT_DEBUG: '1' } })).stderr).toMatch(/ {4}at /);
  });
  it.each(off)('MKT_NO_INPUT and CI=%s', async (value) => {
    const answers = scriptedPrompter('Initech Audio');
    const asked = await runCli(['campaigns', 'list'], {
      env: { ...env(), MKT_NO_INPUT: value, CI: value },
      columns: 80,
      answers,
    });
    expect(asked).toMatchObject({ code: 0, stderr: expect.stringContaining('No campaigns in Initech Audio.') });
    for (const name of ['MKT_NO_INPUT', 'CI'])
      expect(await runCli(['campaigns', 'list'], { env: { ...env(), [name]: '1' }, columns: 80 })).toMatchObject({
        code: 2,
      });
  });
  it.each(off)('MKT_NO_KEYRING=%s', async (value) => {
    const bus = { MKT_NO_KEYRING: value, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    const { stderr } = await runCli(['login', '--with-token', '--org', '5'], {
      env: { MKT_BASE_URL: url(), ...bus },
      stdin: tokens.ada_write,
    });
    expect(stderr).toMatch(/keychain of this computer/);
  });
  it.each(['0', 'false'])('FORCE_COLOR=%s turns colors off, even on a terminal', async (value) => {
    const { stdout } = await runCli(['campaigns', 'list', '--org', '5'], {
      env: { ...env(), NO_COLOR: '', FORCE_COLOR: value },
      columns: 80,
    });
    expect(stdout).not.toContain(ESC);
  });
  it('empty FORCE_COLOR and NO_COLOR are ignored', async () => {
    const argv = ['campaigns', 'list', '--org', '5'];
    const empty = { ...env(), NO_COLOR: '', FORCE_COLOR: '' };
    expect((await runCli(argv, { env: empty })).stdout).not.toContain(ESC);
    expect((await runCli(argv, { env: empty, columns: 80 })).stdout).toContain(ESC);
  });
});
