import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedPrompter } from './support/prompter.js';
import { runCli, type Terminal, temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';

let service: Server;
let other: Server;
beforeAll(async () => {
  [service, other] = await Promise.all([startService(), startService()]);
});
afterAll(() => Promise.all([service.close(), other.close()]));

/** A home of one's own, and `mkt` in it. */
function home() {
  const cwd = temporaryFolder();
  const at = (name: string) => join(cwd, 'config', name);
  return {
    cwd,
    at,
    mkt: (argv: readonly string[], terminal: Terminal = {}) => runCli(argv, { cwd, ...terminal }),
    login: (token: string, ...flags: readonly string[]) =>
      runCli(['login', '--with-token', '--base-url', service.url, ...flags], { cwd, stdin: `${token}\n` }),
    config: () => JSON.parse(readFileSync(at('config.json'), 'utf8')),
    mode: (name: string) => statSync(at(name)).mode & 0o777,
    read: (name: string) => readFileSync(at(name), 'utf8'),
  };
}

describe('login', () => {
  it('checks the token, and stores it in a private file that it names', async () => {
    const { login, config, mode, read, cwd } = home();
    const { code, stdout, stderr } = await login(tokens.ada_write);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(
      `The token is stored unencrypted in ${cwd}/config/credentials.json, which only you can read.\n` +
        `Signed in to ${service.url}.\n` +
        'You belong to 2 organizations. Next, choose one: mkt organizations use ID\n',
    );
    expect([mode('credentials.json'), mode('config.json'), statSync(join(cwd, 'config')).mode & 0o777]).toEqual([
      0o600, 0o600, 0o700,
    ]);
    expect(read('config.json')).not.toContain(tokens.ada_write);
    expect(config().profiles.default).toMatchObject({ base_url: service.url, storage: 'file', token_last4: 'rite' });
  });
  it('selects the only organization', async () => {
    const eve = home();
    await eve.login(tokens.eve_write);
    expect((await eve.mkt(['organizations', 'create', '--name', 'Eve Studio'])).code).toBe(0);
    const { stderr } = await eve.login(tokens.eve_write);
    expect(stderr).toContain('Working in Eve Studio (organization 11).');
    expect((await eve.mkt(['campaigns', 'list'])).stderr).toBe('No campaigns in Eve Studio.\n');
  });
  it.each(['my work', '__proto__', '-x', '../up'])('rejects %s as the name of a profile', async (name) => {
    const { login, cwd } = home();
    const { code, stderr } = await login(tokens.ada_write, `--profile=${name}`);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`error: "${name}" (--profile) is not a valid profile name.`),
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
  it('stores nothing when the token is rejected', async () => {
    const { login, config } = home();
    const { code, stderr } = await login('mkt_wrong');
    expect(code).toBe(4);
    expect(stderr).toContain('rejected this token; nothing was stored.');
    expect(stderr).not.toContain('mkt_wrong');
    expect(config).toThrow();
  });
  it('reports a rejected token for a new profile, too', async () => {
    const { login, config } = home();
    const { code, stderr } = await login('mkt_wrong', '--profile', 'second');
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining(`${service.url} rejected this token; nothing was stored.`),
    });
    expect(config).toThrow();
  });
  it.each([
    [404, 3, 'error: There is no API at ADDRESS.\n  api:  404\n  try:  Check the URL in --base-url\n'],
    [403, 5, 'error: You are not allowed to list organizations: the service responded with 403.\n  api:  403\n'],
    [
      500,
      1,
      'error: The service failed to list organizations (500), tried 3 times.\n  api:  500\n  try:  Try again later\n',
    ],
    [
      undefined,
      8,
      'error: Nothing is listening at ADDRESS.\n  try:  Check the URL in --base-url\n        To find out why: mkt doctor --base-url ADDRESS\n',
    ],
  ])('reports what the service responded for a new profile: %s', async (status, expected, message) => {
    const url =
      status === undefined ? 'http://127.0.0.1:1' : await scriptedServer(() => ({ status, body: '<h1>Hello</h1>' }));
    const { mkt, config } = home();
    const argv = ['login', '--with-token', '--base-url', url, '--profile', 'second'];
    const { code, stderr } = await mkt(argv, { stdin: tokens.ada_write });
    expect({ code, stderr: stderr.replaceAll(url, 'ADDRESS') }).toEqual({ code: expected, stderr: message });
    expect(config).toThrow();
  });
  it('removes the token of the service that the profile was signed in to before', async () => {
    const { login, read } = home();
    await login(tokens.ada_write);
    await login(tokens.dan_write, '--profile', 'globex');
    await login(tokens.ben_write, '--base-url', other.url);
    expect(JSON.parse(read('credentials.json'))).toEqual({
      [`default@${other.url}`]: tokens.ben_write,
      [`globex@${service.url}`]: tokens.dan_write,
    });
  });
  it.each(['MKT_TOKEN', 'MKT_TOKEN_FILE'])(
    'warns that %s overrides what is stored, and logout that it stays',
    async (name) => {
      const { mkt, cwd } = home();
      const file = join(cwd, 'secret');
      writeFileSync(file, tokens.ada_write);
      const env = { MKT_BASE_URL: service.url, [name]: name === 'MKT_TOKEN' ? tokens.ada_write : file };
      const login = await mkt(['login', '--with-token'], { env, stdin: tokens.ada_write });
      expect(login.stderr).toContain(`warning: ${name} is set and overrides the token that you just stored.\n`);
      const logout = await mkt(['logout'], { env });
      expect(logout.stderr).toContain(`warning: ${name} is still set, so commands still sign in with it.\n`);
    },
  );
  it('prompts for the URL, the token and the organization on a terminal', async () => {
    const { mkt, config } = home();
    const answers = scriptedPrompter(service.url, tokens.ada_write, 'Acme Cosmetics');
    const { code, stderr } = await mkt(['login'], { columns: 80, answers });
    expect(code).toBe(0);
    expect(answers.asked).toEqual([
      'URL of the service (--base-url)',
      'Paste your token',
      'Which organization do you work in?',
    ]);
    expect(stderr).toContain('Working in Acme Cosmetics (organization 5).');
    expect(config().profiles.default.organization).toEqual({ id: '5', name: 'Acme Cosmetics' });
  });
  it('checks the URL before it asks for a token', async () => {
    const missing = await scriptedServer(() => ({ status: 404, body: '<h1>Not here</h1>' }));
    for (const [url, message] of [
      [missing, `There is no API at ${missing}.`],
      ['http://127.0.0.1:1', 'Nothing is listening at http://127.0.0.1:1.'],
    ] as const) {
      const { mkt, config } = home();
      const answers = scriptedPrompter(url);
      const { stderr } = await mkt(['login'], { columns: 200, answers });
      expect(stderr).toContain(message);
      expect(stderr).toContain('Check the URL in --base-url');
      expect(config).toThrow();
    }
  });
  it('completes a URL without its scheme in the prompt', async () => {
    const { stderr } = await home().mkt(['login'], { columns: 200, answers: scriptedPrompter('localhost:4010') });
    expect(stderr).toContain(
      '"localhost:4010" (your input) is not a valid URL. Use the full URL: http://localhost:4010',
    );
  });
  it.each([
    ['401', { status: 401 }],
    ['a redirect to its sign-in page', { status: 302, headers: { location: '/users/sign_in' } }],
  ])('asks for a token when the service responds to a request without one with %s', async (_name, response) => {
    const url = await scriptedServer(({ headers }) => (headers.authorization === undefined ? response : { body: [] }));
    const { mkt, config } = home();
    const answers = scriptedPrompter(url, tokens.ada_write);
    expect(await mkt(['login'], { columns: 80, answers })).toMatchObject({ code: 0 });
    expect(config().profiles.default.base_url).toBe(url);
  });
  it('asks again after an empty Enter and after text that is not a token', async () => {
    const { login, mkt } = home();
    await login(tokens.ada_write, '--org', '5');
    const answers = scriptedPrompter('', 'two words', tokens.ada_write, 'Acme Cosmetics');
    expect(await mkt(['login'], { columns: 80, answers })).toMatchObject({ code: 0 });
    expect(answers.asked.filter((question) => question === 'Paste your token')).toHaveLength(3);
  });
  it('asks again after a token that the service rejects', async () => {
    const { mkt } = home();
    const answers = scriptedPrompter('mkt_wrong', tokens.ada_write, 'Acme Cosmetics');
    const { code, stderr } = await mkt(['login', '--base-url', service.url], { columns: 200, answers });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('rejected this token') });
    expect(answers.asked.filter((question) => question === 'Paste your token')).toHaveLength(2);
  });
  it('takes no token as an argument, does not repeat it, and says why', async () => {
    const { mkt } = home();
    for (const argv of [['login'], ['auth', 'login']]) {
      const { code, stderr } = await mkt([...argv, tokens.ada_write, '--base-url', service.url]);
      expect(code).toBe(2);
      expect(stderr).toContain('your shell stores command lines in its history');
      expect(stderr).toContain('mkt login --with-token < token.txt');
      expect(stderr).not.toContain(tokens.ada_write);
    }
  });
  it('keeps the organization of the profile if the new token has access to it, and says so', async () => {
    const { login, config } = home();
    await login(tokens.ada_write, '--org', '5');
    const again = await login(tokens.ada_read);
    expect(again.stderr).toContain(
      'Working in Acme Cosmetics (organization 5), as before. To choose another: mkt organizations use ID\n',
    );
    expect(again.stderr).not.toContain('Next, choose one');
    const { stderr } = await login(tokens.dan_write);
    expect(stderr).toContain('You belong to 2 organizations. Next, choose one: mkt organizations use ID\n');
    expect(config().profiles.default).not.toHaveProperty('organization');
  });
  it('explains the flags without a terminal, and does not wait', async () => {
    const { mkt } = home();
    expect((await mkt(['login'])).stderr).toContain('mkt login --base-url');
    const { code, stderr } = await mkt(['login', '--base-url', service.url]);
    expect(code).toBe(2);
    expect(stderr).toContain('mkt login --with-token < token.txt');
    const terminal = await mkt(['login', '--with-token', '--base-url', service.url], {
      columns: 80,
      answers: scriptedPrompter(),
    });
    expect(terminal).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('reads from a pipe, but there is none'),
    });
  });
  it('rejects text that cannot be a token, without repeating it', async () => {
    const { login } = home();
    const { code, stderr } = await login('two words');
    expect(code).toBe(2);
    expect(stderr).not.toContain('two words');
  });
});

describe('profiles', () => {
  it('can be several, and one is active', async () => {
    const { login, mkt } = home();
    await login(tokens.ada_write);
    await login(tokens.dan_write, '--profile', 'globex', '--org', '6');
    expect((await mkt(['organizations', 'list', '--fields', 'id', '--no-header'])).stdout).toBe('5\n7\n');
    expect((await mkt(['organizations', 'list', '--fields', 'id', '--no-header', '--profile', 'globex'])).stdout).toBe(
      '6\n9\n',
    );
    expect((await mkt(['auth', 'switch', 'globex'])).stderr).toBe(
      `Now using profile "globex": ${service.url}, in Globex Snacks.\n`,
    );
    expect((await mkt(['campaigns', 'list', '--fields', 'id', '--no-header'])).stdout).toBe('46\n47\n');
    expect(
      (
        await mkt(['campaigns', 'list', '--fields', 'id', '--no-header'], {
          env: { MKT_PROFILE: 'default', MKT_ORG: '7' },
        })
      ).stdout,
    ).toBe('');
  });
  it('that a flag chose are chosen by the suggested commands, too', async () => {
    const { login, mkt } = home();
    await login(tokens.ada_write);
    const { stderr } = await login(tokens.dan_write, '--profile', 'globex');
    expect(stderr).toContain('Next, choose one: mkt organizations use ID --profile globex\n');
    for (const [line, hint] of [
      ['campaigns list', 'To set a default: mkt organizations use ID'],
      ['campaigns list --org Globexx', 'mkt organizations list'],
      ['campaigns list --org 5', 'mkt organizations list'],
      ['campaigns show 4711 --org 6', 'mkt campaigns list --org 6'],
      ['campaigns show nothing --org 6', 'mkt campaigns list --org 6'],
      ['members leave --email dan@globex.example --org 6', 'mkt organizations delete 6'],
      ['address show', 'mkt address set'],
    ] as const) {
      const failed = await mkt([...line.split(' '), '--profile', 'globex']);
      expect(failed.stderr).toContain(`${hint} --profile globex\n`);
    }
  });
  it('are listed in the error if the given one does not exist', async () => {
    const { login, mkt } = home();
    await login(tokens.ada_write);
    const { code, stderr } = await mkt(['organizations', 'list', '--profile', 'nope']);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no profile "nope" (from --profile).');
    expect(stderr).toContain('Profiles: default');
  });
});

describe('auth list and auth remove', () => {
  it('lists profiles without their tokens', async () => {
    const { login, mkt } = home();
    expect(await mkt(['auth', 'list', '--no-header'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No profile is stored yet. To sign in: mkt login\n',
    });
    await login(tokens.ada_write, '--org', '5');
    await login(tokens.dan_write, '--profile', 'globex');
    await mkt(['logout', '--profile', 'globex']);
    const { stdout } = await mkt(['auth', 'list', '--json']);
    expect(JSON.parse(stdout)).toEqual([
      {
        profile: 'default',
        active: true,
        base_url: service.url,
        organization: 5,
        organization_name: 'Acme Cosmetics',
        storage: 'file',
        token_last4: 'rite',
      },
      {
        profile: 'globex',
        active: false,
        base_url: service.url,
        organization: null,
        organization_name: null,
        storage: null,
        token_last4: null,
      },
    ]);
    const table = await mkt(['auth', 'list']);
    expect(table.stdout).toMatch(/^PROFILE +ACTIVE +SERVICE +ORGANIZATION +TOKEN ENDS IN\ndefault +true +http/);
    expect(table.stdout + stdout).not.toContain(tokens.ada_write);
  });
  it('uses "default" again after the active profile was removed', async () => {
    const { login, mkt } = home();
    await login(tokens.ada_write, '--org', '5');
    await login(tokens.dan_write, '--profile', 'globex');
    await mkt(['auth', 'switch', 'globex']);
    expect((await mkt(['auth', 'remove', 'globex'])).stderr).toMatch(/\nNow using profile "default"\.\n$/);
    expect((await mkt(['campaigns', 'list', '--limit', '1', '--fields', 'id', '--no-header'])).stdout).toBe('1\n');
  });
  it('removes the token and the settings of a profile', async () => {
    const { login, mkt, config, read } = home();
    await login(tokens.ada_write, '--org', '5');
    await login(tokens.dan_write, '--profile', 'globex');
    expect(await mkt(['auth', 'remove', 'default'])).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Removed profile "default". Its token stays valid until you revoke it.\n' +
        'No profile is active now. To choose one: mkt auth switch globex\n',
    });
    expect(config()).toEqual({ profiles: { globex: expect.objectContaining({ base_url: service.url }) } });
    expect(read('credentials.json')).not.toContain(tokens.ada_write);
    expect(read('credentials.json')).toContain(tokens.dan_write);
    expect(await mkt(['auth', 'remove', 'default'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no profile "default".'),
    });
    expect(await mkt(['auth', 'remove'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mkt auth remove globex'),
    });
  });
});

describe('logout', () => {
  it('removes the token and says that it stays valid', async () => {
    const { login, mkt, read } = home();
    await login(tokens.ada_write);
    const { code, stderr } = await mkt(['logout']);
    expect(code).toBe(0);
    expect(stderr).toBe('Removed the token of profile "default". It stays valid until you revoke it.\n');
    expect(read('credentials.json')).not.toContain(tokens.ada_write);
    expect(await mkt(['organizations', 'list'])).toMatchObject({ code: 4 });
    expect(await mkt(['logout'])).toMatchObject({ code: 0, stderr: 'No token is stored.\n' });
  });
  it('rejects a profile that does not exist', async () => {
    const { login, mkt, read } = home();
    await login(tokens.ada_write);
    const { code, stderr } = await mkt(['logout', '--profile', 'globex']);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no profile "globex" (from --profile).');
    expect(read('credentials.json')).toContain(tokens.ada_write);
  });
});

describe('where a value comes from', () => {
  it('is the flag, the environment, the project or the profile, in this order', async () => {
    const { login, mkt, cwd } = home();
    await login(tokens.ada_write, '--org', '5');
    const status = async (flags: readonly string[] = [], env = {}) => {
      const { stdout } = await mkt(['auth', 'status', '--json', ...flags], { env });
      const { organization, organization_from: from } = JSON.parse(stdout);
      return [organization, from];
    };
    expect(await status()).toEqual([5, 'profile "default"']);
    writeFileSync(join(cwd, '.mkt.json'), '{"org": 7, "format": "csv", "base_url": "https://evil.example"}');
    expect(await status()).toEqual([7, join(cwd, '.mkt.json')]);
    expect(await status([], { MKT_ORG: '5' })).toEqual([5, 'MKT_ORG']);
    expect(await status(['--org', '7'], { MKT_ORG: '5' })).toEqual([7, '--org']);
    mkdirSync(join(cwd, 'deeper'));
    const { stdout } = await mkt(['organizations', 'list', '--fields', 'id'], {
      cwd: join(cwd, 'deeper'),
      env: { MKT_CONFIG_DIR: join(cwd, 'config') },
    });
    expect(stdout).toBe('id\n5\n7\n');
  });
  it('is the profile after config set, until config unset', async () => {
    const { login, mkt, config } = home();
    await login(tokens.ada_write, '--org', '5');
    const get = async (key: string) => (await mkt(['config', 'get', key])).stdout;
    expect(await mkt(['config', 'set', 'org', '7'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Set org of profile "default" to 7.\n',
    });
    await mkt(['config', 'set', 'format', 'csv']);
    expect([await get('org'), await get('format'), await get('base_url')]).toEqual([
      '7\n',
      'csv\n',
      `${service.url}\n`,
    ]);
    for (const key of ['org', 'format']) await mkt(['config', 'unset', key]);
    expect([await get('org'), await get('format')]).toEqual(['', 'table\n']);
    // The token stays with its host.
    expect(await mkt(['config', 'set', 'base_url', `${service.url}/`])).toMatchObject({ code: 0 });
    expect(await mkt(['config', 'set', 'base_url', other.url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`The stored token belongs to ${service.url}.`),
    });
    expect(await mkt(['config', 'set', 'format', 'xml'])).toMatchObject({ code: 2 });
    expect(await mkt(['config', 'set', 'token', 'x'])).toMatchObject({ code: 2 });
    expect(config().profiles.default).toMatchObject({ base_url: service.url, token_host: service.url });
  });
  it('can be an organization that is chosen on a terminal', async () => {
    const { login, mkt, config } = home();
    await login(tokens.ada_write);
    const answers = scriptedPrompter('Initech Audio');
    expect(await mkt(['organizations', 'use'], { columns: 80, answers })).toMatchObject({ code: 0 });
    expect(config().profiles.default.organization).toEqual({ id: '7', name: 'Initech Audio' });
    expect(await mkt(['organizations', 'use'])).toMatchObject({ code: 2 });
  });
  it.each([
    ['organizations', 'use', '5'],
    ['config', 'set', 'org', '5'],
  ])('cannot be an organization of another service: %s %s', async (...argv) => {
    const { login, mkt, config } = home();
    await login(tokens.ada_write);
    const other = await scriptedServer(() => ({ body: [{ id: 5, name: 'Elsewhere' }] }));
    const { code, stderr } = await mkt([...argv, '--base-url', other], { env: { MKT_TOKEN: 't' } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        `error: Profile "default" is for ${service.url}, not for ${other} (from --base-url).\n` +
        `  try:  To sign in there: mkt login --base-url ${other} --profile another\n` +
        '        Or set MKT_ORG\n',
    });
    expect(config().profiles.default.organization).toBeUndefined();
  });
  it('is not used at another service', async () => {
    const { login, mkt } = home();
    await login(tokens.ada_write, '--org', '7');
    expect(await mkt(['campaigns', 'list'])).toMatchObject({ stderr: 'No campaigns in Initech Audio.\n' });
    const other = await startService();
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: other.url };
    const { code, stderr } = await mkt(['campaigns', 'list'], { env });
    await other.close();
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('error: --org is required') });
    expect(await mkt(['config', 'list'], { env })).toMatchObject({ stdout: expect.not.stringMatching(/^org +7/m) });
  });
  it('must be an organization of the token for config set org, given by id or name', async () => {
    const { login, mkt, config } = home();
    // Without a sign-in there is no service to ask.
    expect(await mkt(['config', 'set', 'org', '999'])).toMatchObject({ code: 0 });
    await login(tokens.ada_write, '--org', '5');
    for (const wanted of ['999', '6', 'Acme']) {
      expect(await mkt(['config', 'set', 'org', wanted])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`Organization "${wanted}" was not found`),
      });
    }
    expect(config().profiles.default.organization).toEqual({ id: '5', name: 'Acme Cosmetics' });
    expect(await mkt(['config', 'set', 'org', 'Initech Audio'])).toMatchObject({ code: 0 });
    expect(config().profiles.default.organization).toEqual({ id: '7', name: 'Initech Audio' });
    const env = { MKT_BASE_URL: 'http://127.0.0.1:1', MKT_TOKEN: 'x' };
    expect(await mkt(['config', 'set', 'org', '999'], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('warning: The organization was not checked. Nothing is listening at'),
    });
    for (const change of [
      ['set', 'org', '5'],
      ['set', 'format', 'csv'],
      ['unset', 'format'],
    ])
      expect(await mkt(['config', ...change, '--profile', 'nope'])).toMatchObject({ code: 2 });
    expect(config().profiles).not.toHaveProperty('nope');
  });
  it('keeps keys of other versions in config.json', async () => {
    const { login, mkt, config, at } = home();
    await login(tokens.ada_write, '--org', '5');
    const written = config();
    written.theme = 'dark';
    written.profiles.default.region = 'eu';
    written.profiles.default.organization.id = 5;
    writeFileSync(at('config.json'), JSON.stringify(written));
    expect(await mkt(['config', 'set', 'format', 'csv'])).toMatchObject({ code: 0 });
    expect(config()).toMatchObject({
      theme: 'dark',
      profiles: { default: { region: 'eu', format: 'csv', organization: { id: '5' } } },
    });
  });
  it('sends a stored token only to its own host', async () => {
    const { login, mkt } = home();
    await login(tokens.ada_write);
    const { code, stderr } = await mkt(['organizations', 'list', '--base-url', other.url]);
    expect(code).toBe(4);
    expect(stderr).toContain(`The stored token belongs to ${service.url} and is not sent to ${other.url}.`);
    const given = await mkt(['organizations', 'list', '--base-url', other.url], {
      env: { MKT_TOKEN: tokens.ada_write },
    });
    expect(given.code).toBe(0);
  });
  it('reads a token from MKT_TOKEN_FILE', async () => {
    const { mkt, cwd } = home();
    const file = join(cwd, 'secret');
    writeFileSync(file, `${tokens.ada_write}\n`);
    expect(
      await mkt(['organizations', 'list'], { env: { MKT_TOKEN_FILE: file, MKT_BASE_URL: service.url } }),
    ).toMatchObject({ code: 0 });
    // What > writes in Windows PowerShell.
    writeFileSync(file, Buffer.from(`\ufeff${tokens.ada_write}\r\n`, 'utf16le'));
    expect(
      await mkt(['organizations', 'list'], { env: { MKT_TOKEN_FILE: file, MKT_BASE_URL: service.url } }),
    ).toMatchObject({ code: 0 });
    const missing = await mkt(['organizations', 'list'], {
      env: { MKT_TOKEN_FILE: '/nowhere', MKT_BASE_URL: service.url },
    });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('MKT_TOKEN_FILE') });
  });
});

describe('auth status', () => {
  it('does not deny the sign-in if the service does not answer', async () => {
    const env = { MKT_TOKEN: 't', MKT_BASE_URL: 'http://127.0.0.1:1' };
    const { code, stdout, stderr } = await runCli(['auth', 'status'], { env });
    expect({ code, stdout }).toEqual({ code: 8, stdout: expect.stringMatching(/^Signed in +unknown, because the/m) });
    expect(stderr).toContain('Nothing is listening at http://127.0.0.1:1.');
    const data = await runCli(['auth', 'status', '--json'], { env });
    expect(data.code).toBe(8);
  });
  it('shows the service, the token and the organizations', async () => {
    const { login, mkt, cwd } = home();
    await login(tokens.ada_write, '--org', '5');
    const { code, stdout } = await mkt(['auth', 'status'], { columns: 80 });
    expect(code).toBe(0);
    const calm = stdout.replaceAll(service.url, 'http://service').replaceAll(cwd, '/home/ada');
    await expect(calm).toMatchFileSnapshot('goldens/auth-status.txt');
  });
  it('exits with 4 without a sign-in, and says how to sign in', async () => {
    const { mkt } = home();
    const { code, stdout, stderr } = await mkt(['auth', 'status'], { env: { MKT_BASE_URL: service.url } });
    expect(code).toBe(4);
    expect(stdout).toContain('Token       none');
    expect(stderr).toContain('mkt login');
  });
  it('prints nothing with --check, only exits with a code', async () => {
    const { login, mkt } = home();
    await login(tokens.ada_write);
    expect(await mkt(['auth', 'status', '--check'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await mkt(['auth', 'status', '--check'], { env: { MKT_TOKEN: 'mkt_wrong' } })).toMatchObject({
      code: 4,
      stdout: '',
      stderr: '',
    });
    expect(await mkt(['auth', 'status', '--check', '--json'], { env: { MKT_TOKEN: 'mkt_wrong' } })).toEqual({
      code: 4,
      stdout: '',
      stderr: '',
    });
    await mkt(['logout']);
    expect(await mkt(['auth', 'status', '--check'])).toEqual({ code: 4, stdout: '', stderr: '' });
  });
  it('exits with 4 with --check if no service is configured', async () => {
    const { mkt } = home();
    expect(await mkt(['auth', 'status', '--check'])).toEqual({ code: 4, stdout: '', stderr: '' });
    expect(await mkt(['auth', 'status'])).toMatchObject({ code: 2 });
  });
});

it('mkt whoami is mkt auth status, and mkt version is mkt --version', async () => {
  const { login, mkt } = home();
  await login(tokens.ada_write);
  expect(await mkt(['whoami'])).toEqual(await mkt(['auth', 'status']));
  expect(await mkt(['version'])).toEqual(await mkt(['--version']));
});

it('masks the token in --debug', async () => {
  const { mkt } = home();
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url };
  const { stderr } = await mkt(['organizations', 'list', '--debug'], { env });
  expect(stderr).toContain('> authorization: Bearer ****rite');
  expect(stderr).toContain('< 200 GET');
  const failed = await mkt(['campaigns', 'show', '99', '--org', '5', '--debug'], { env });
  expect(stderr + failed.stderr).not.toContain(tokens.ada_write);
  expect(failed.stderr).toContain('    at ');
});
