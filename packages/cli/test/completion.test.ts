import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shells } from '../src/commands/completion/run.js';
import { cachePath } from '../src/lists/completion-cache.js';
import { answer as answerFrom } from '../src/root/completion/answer.js';
import { makeSpec } from '../src/root/completion/spec.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';
import { bundle, mkt, start } from './support/spawn-cli.js';

const spec = await makeSpec();
const answer = (argv: readonly string[], env: Readonly<Record<string, string | undefined>>) =>
  answerFrom(spec, argv, env);

/** Nothing answers here: completion must not ask. */
const NOWHERE = 'http://127.0.0.1:1';

/** A user on a separate machine, who runs lists and then presses Tab. */
function scriptedPrompter(url: string, more: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder();
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: url, MKT_CONFIG_DIR: join(cwd, 'config'), ...more };
  const cache = join(cwd, 'config', 'cache', 'completion.json');
  return {
    cwd,
    env,
    cache,
    list: async (...argv: readonly string[]) => {
      const screen = await runCli(argv, { cwd, env, stdin: tokens.ada_write });
      expect(screen, screen.stderr).toMatchObject({ code: 0 });
    },
    /** The values that zsh is given for the last word. */
    tab: (...words: readonly string[]) =>
      answer(['zsh', ...words], env)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split('\t')[0]),
  };
}

it('comes from the data that the build wrote', async () => {
  const { code, stdout } = await start([process.execPath, bundle, '__complete', 'zsh', 'campaigns', 'pu']).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'publish\tPublish drafts: they become active\n' });
});

describe('before any list', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['camp'], ['campaigns']],
    [
      ['campaigns', 'p'],
      ['publish', 'pause'],
    ],
    [
      ['orgs', 'u'],
      ['update', 'use'],
    ],
    [['--org', '5', 'collabs', 'su'], ['submit']],
    [['collab', 'su'], ['submit']],
    [['campaign', 'ls', '--status', 'a'], ['active']],
    [['campaigns', 'list', '--status', 'a'], ['active']],
    [['campaigns', 'delete', '--status', 'a'], ['active']],
    [['campaigns', 'list', '--status=a'], ['--status=active']],
    [['campaigns', 'list', '--status', 'active,pa'], ['active,paused']],
    [['campaigns', 'list', '--format', 'nd'], ['ndjson']],
    [['campaigns', 'create', '--cpm-'], ['--cpm-amount']],
    [['members', 'list', '--fields', 'id,r'], ['id,role']],
    [['campaigns', 'list', '--all', '--al'], ['--all-orgs']],
    [['export', 's'], ['social-accounts']],
    [
      ['help', 'e'],
      ['export', 'environment', 'exit-codes'],
    ],
    [['help', 'campaigns', 'cr'], ['create']],
    [['config', 'get', 'b'], ['base_url']],
    [['config', 'set', 'format', 'nd'], ['ndjson']],
    [['campaigns', 'list', '--sort', '-vi'], ['-view_count']],
    [['campaigns', 'list', '--sort=-vi'], ['--sort=-view_count']],
    [['campaigns', 'list', '--sort', 'vi'], ['view_count']],
    [
      ['campaigns', 'list', '--sort', '-us'],
      ['-used_amount', '-used_percent'],
    ],
    [['campaigns', 'list', '--fields', 'id,eff'], ['id,effective_cpm']],
    [['campaigns', 'show', '3', '--fields', 'used_p'], ['used_percent']],
    [['serve', '--po'], ['--port']],
    [['serve', '--org'], []],
    [
      ['serve', '--seed', ''],
      ['demo', 'empty', 'large'],
    ],
    [['serve', '--seed', 'acme'], [':files']],
    [['campaigns', 'list', '--country', 'CH'], ['CH']],
    [
      ['campaigns', 'create', '--countries', 'US,g'],
      [
        'US,GA',
        'US,GB',
        'US,GD',
        'US,GE',
        'US,GF',
        'US,GG',
        'US,GH',
        'US,GI',
        'US,GL',
        'US,GM',
        'US,GN',
        'US,GP',
        'US,GQ',
        'US,GR',
        'US,GS',
        'US,GT',
        'US,GU',
        'US,GW',
        'US,GY',
      ],
    ],
    [
      ['collabs', 'create', '--currency', 'us'],
      ['usd', 'usn'],
    ],
    [['campaigns', 'create', '--platform-ids', 'tiktok,y'], ['tiktok,youtube']],
    [['campaigns', 'copy', '3', '--dry'], ['--dry-run']],
    [['serve', '--port', '4010', '--db-'], ['--db-connections']],
    [['serve', 'ba'], ['backup']],
    [['twin', 'serve', '--po'], ['--port']],
    [['twin', 'serve', 'ac'], [':files']],
    [['twin', 'serve', 'acme.twin', ''], []],
    [['changes', '--field', 'used'], ['used_amount']],
    [['campaigns', 'trend', '--field', 'sub'], ['submissions_count']],
    [['campaigns', 'create', '--file', ''], [':files']],
    [['export', 'campaigns', '--out', 'x'], [':files']],
    [['campaigns', 'show', ''], []],
    [['api', ''], []],
    [['nonsense', ''], []],
  ])('%j offers %j', (words, values) => {
    const { tab } = scriptedPrompter(NOWHERE);
    expect(tab(...words)).toEqual(values);
  });
});

it('stores listed rows in MKT_CONFIG_DIR if it is set, else in the cache folder of the platform', () => {
  const path = (platform: NodeJS.Platform, env: Record<string, string>) =>
    cachePath({ env, home: '/home/ada', platform });
  const env = { XDG_CACHE_HOME: '/caches', LOCALAPPDATA: '/local' };
  expect(path('linux', { ...env, MKT_CONFIG_DIR: '/settings' })).toBe(join('/settings/cache/completion.json'));
  expect(path('linux', env)).toBe(join('/caches/mkt/completion.json'));
  expect(path('win32', { LOCALAPPDATA: '/local' })).toBe(join('/local/mkt/cache/completion.json'));
  expect(path('linux', { LOCALAPPDATA: '/local' })).toBe(join('/home/ada/.cache/mkt/completion.json'));
});

it('reads a word after a character from PowerShell, which drops empty words', () => {
  const asked = (...words: readonly string[]) =>
    answer(['powershell', ...words], { MKT_CONFIG_DIR: temporaryFolder() });
  expect(asked('campaigns', '=pub')).toMatch(/^publish\t\w.*\n$/);
  expect(asked('campaigns', 'list', '--status', '=')).toBe('draft\t\nactive\t\npaused\t\nfinished\t\n');
  expect(asked('import', 'campaigns', '-f', '=ca')).toBe(':files\n');
});

describe('after a list', () => {
  let service: Server;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('offers its ids with their names, except those already given', async () => {
    const { list, tab, env } = scriptedPrompter(service.url);
    await list('campaigns', 'list', '--org', '5', '--limit', '3');
    expect(answer(['fish', 'campaigns', 'show', '48'], env)).toBe('');
    const ids = tab('campaigns', 'show', '');
    expect(ids).toHaveLength(3);
    const first = ids[0] ?? '';
    expect(answer(['fish', 'campaigns', 'show', ''], env)).toMatch(new RegExp(`^${first}\\t\\S`));
    expect(tab('campaigns', 'publish', '')).toEqual(['1', '2']);
    expect(tab('campaigns', 'publish', first, '')).toEqual(['2']);
    expect(tab('open', 'campaigns', '')).toEqual(ids);
    await list('organizations', 'list', '--limit', '2');
    expect(tab('open', 'orgs', '')).toEqual(['5', '7']);
    expect(tab('open', 'members', '')).toEqual([]);
    expect(tab('collabs', 'show', '')).toEqual([]);
  });

  it('offers an action only what is in a state that allows it', async () => {
    const own = await startService();
    const { list, tab } = scriptedPrompter(own.url, { MKT_ORG: '5' });
    await list('campaigns', 'list', '--all');
    await list('collabs', 'list', '--all');
    for (const [group, action, state] of [
      ['campaigns', 'publish', 'draft'],
      ['campaigns', 'delete', 'draft'],
      ['campaigns', 'pause', 'active'],
      ['campaigns', 'resume', 'paused'],
      ['collabs', 'submit', 'draft'],
      ['collabs', 'unpause', 'paused'],
    ] as const) {
      const { stdout } = await runCli([group, 'list', '--status', state, '--fields', 'id', '--no-header'], {
        env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: own.url, MKT_ORG: '5' },
      });
      const ids = stdout.trim().split('\n').sort();
      expect(ids.length).toBeGreaterThan(1);
      expect([...tab(group, action, '')].sort()).toEqual(ids);
    }
    expect(tab('campaigns', 'show', 'lip t')).toEqual(['Lip tint shade finder']);
    expect(tab('campaigns', 'pause', 'lip t')).toEqual([]);
    expect(tab('open', 'campaigns', 'lip t')).toEqual(['Lip tint shade finder']);
    expect(tab('campaigns', 'publish', '1')).toContain('1');
    await list('campaigns', 'publish', '1', '--yes');
    expect(tab('campaigns', 'publish', '1')).not.toContain('1');
    expect(tab('campaigns', 'pause', '1')).toContain('1');
    await own.close();
  });

  it('separates organizations and services', async () => {
    const { list, tab, env } = scriptedPrompter(service.url);
    await list('organizations', 'list');
    await list('campaigns', 'list', '--org', '5');
    expect(tab('campaigns', 'show', '--org', 'A')).toEqual(['Acme Cosmetics']);
    expect(tab('organizations', 'use', '5')).toEqual(['5']);
    expect(tab('campaigns', '--org', 'Acme Cosmetics', 'show', '').length).toBeGreaterThan(5);
    expect(tab('campaigns', '--org', 'acme cosmetics', 'show', '').length).toBeGreaterThan(5);
    expect(tab('campaigns', '--org', '7', 'show', '')).toEqual([]);
    expect(answer(['zsh', 'campaigns', 'show', ''], { ...env, MKT_BASE_URL: NOWHERE })).toBe('');
  });

  it('forgets rows that are missing in a complete list, and everything at sign-out', async () => {
    const own = await startService();
    const { list, tab, cache } = scriptedPrompter(own.url, { MKT_ORG: '5' });
    await list('login', '--with-token', '--storage', 'file');
    await list('campaigns', 'list', '--all');
    await list('campaigns', 'delete', '30', '--dry-run');
    expect(tab('campaigns', 'show', '30')).toEqual(['30']);
    await list('campaigns', 'delete', '30', '--yes');
    expect(tab('campaigns', 'show', '30')).toEqual([]);
    // Deleted elsewhere.
    await fetch(`${own.url}/organizations/5/campaigns/20.json`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${tokens.ada_write}`, accept: 'application/json' },
    });
    await list('campaigns', 'list', '--limit', '2');
    expect(tab('campaigns', 'show', '20')).toEqual(['20']);
    await list('campaigns', 'list', '--status', 'active');
    expect(tab('campaigns', 'show', '20')).toEqual(['20']);
    await list('campaigns', 'list', '--all');
    expect(tab('campaigns', 'show', '20')).toEqual([]);
    expect(tab('campaigns', 'show', '3')).toContain('3');
    await list('logout');
    expect(readFileSync(cache, 'utf8')).toBe('{}');
    expect(tab('campaigns', 'show', '')).toEqual([]);
    await own.close();
  });

  it('offers the e-mail addresses of members', async () => {
    const { list, tab } = scriptedPrompter(service.url, { MKT_ORG: '5' });
    await list('members', 'list');
    expect(tab('members', 'remove', 'cl')).toEqual(['cleo@acme.example']);
  });

  it('gives bash the part after the last word break, escaped names, and descriptions', async () => {
    const { list, env } = scriptedPrompter(service.url, { MKT_ORG: '5', COMP_WORDBREAKS: ' \t\n"\'@><=;|&(:' });
    await list('organizations', 'list');
    await list('members', 'list');
    expect(answer(['bash', 'members', 'remove', 'cleo', '@', 'ac'], env)).toBe('acme.example\n');
    expect(answer(['bash', 'campaigns', 'list', '--status', '=', 'dr'], env)).toBe('draft\n');
    expect(answer(['bash', 'organizations', 'use', 'Acme\\ C'], env)).toBe('Acme\\ Cosmetics\n');
    expect(answer(['bash', 'organizations', 'use', '"Acme C'], env)).toBe('Acme Cosmetics\n');
    expect(answer(['bash', 'organizations', 'use', ''], env)).toMatch(/^5 +\(Acme Cosmetics\)$/m);
    await list('campaigns', 'list', '--all');
    const name = (...words: readonly string[]) => answer(['bash', 'campaigns', 'show', ...words], env);
    expect(name('mother')).toBe("Mother\\'s\\ Day\\ gift\\ sets\n");
    expect(name('"mother')).toBe("Mother's Day gift sets\n");
    expect(name("'mother")).toBe("Mother'\\''s Day gift sets\n");
    expect(name('Year\\ in\\ review', ':', '\\ top')).toBe('\\ top\\ ten\\ products\n');
    expect(name('micel')).toBe('Micellar\\ water\\ \\&\\ nothing\\ else\n');
    // bash inserts what both begin with, which must not be the blank before a description.
    const copies = ['Curl week two', 'Curl week'];
    await list('campaigns', 'copy', '13', '--name', 'Curl week two');
    expect(name('"curl').trimEnd().split('\n')).toEqual(copies);
    const [copy, original] = name('curl').split('\n');
    expect(copy).toMatch(/^Curl\\ week\\ two {2}\(\d+\)$/);
    expect(original).toMatch(/^Curl\\ week {2,}\(13\)$/);
  });

  it('reads the quotes and backslashes that fish leaves in the current word', async () => {
    const { list, env } = scriptedPrompter(service.url, { MKT_ORG: '5' });
    await list('campaigns', 'list', '--all');
    for (const word of ['"Lip t', "'lip t", 'Lip\\ t', 'lip t'])
      expect(answer(['fish', 'campaigns', 'show', word], env)).toBe('Lip tint shade finder\t4\n');
  });

  it('is readable only by its owner, and ignored if it cannot be written', async () => {
    const { list, cache, cwd } = scriptedPrompter(service.url);
    await list('organizations', 'list');
    expect(statSync(cache).mode & 0o777).toBe(0o600);
    expect(readFileSync(cache, 'utf8')).not.toContain(tokens.ada_write);
    writeFileSync(join(cwd, 'file'), '');
    const screen = await runCli(['organizations', 'list'], {
      cwd,
      env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_CONFIG_DIR: join(cwd, 'file', 'x') },
    });
    expect(screen).toMatchObject({ code: 0 });
  });

  it('offers and prints nothing if the cache or the configuration is damaged', async () => {
    const { list, tab, cache, cwd } = scriptedPrompter(service.url);
    mkdirSync(join(cwd, 'config', 'cache'), { recursive: true });
    for (const damaged of ['{"half', '[]', '{"SERVICE": 5}', '{"SERVICE": {"lists": {"tokens": [[1, 2]]}}}']) {
      writeFileSync(cache, damaged.replace('SERVICE', service.url));
      expect(tab('tokens', 'revoke', '')).toEqual([]);
      await list('tokens', 'list');
      expect(tab('tokens', 'revoke', '').length).toBeGreaterThan(0);
    }
    writeFileSync(join(cwd, 'config', 'config.json'), '[]');
    expect(tab('tokens', 'revoke', '', '--profile', '')).toEqual([]);
  });

  it('works in the built program with any home folder', async () => {
    const { list, env } = scriptedPrompter(service.url, { MKT_ORG: '5' });
    await list('campaigns', 'list', '--limit', '2');
    const asked = await mkt(['__complete', 'zsh', 'campaigns', 'show', ''], env);
    expect(asked).toMatchObject({ code: 0, stderr: '', stdout: answer(['zsh', 'campaigns', 'show', ''], env) });
    expect(asked.stdout.split('\n')).toHaveLength(3);
  });
});

it('never passes escape sequences or shell syntax in names and ids of others', async () => {
  const ESC = String.fromCharCode(27);
  const rows = [
    { id: '1', name: `${ESC}]0;owned\u0007Nice\nname\ttoo\u202e` },
    { id: '$(touch owned)', name: 'b' },
    { id: '--yes', name: 'c' },
    { id: '9;ls', name: '`ls`' },
    { id: '10', name: '$(touch owned)' },
    { id: '11', name: 'x'.repeat(10_000) },
  ];
  const url = await scriptedServer(() => ({ body: rows, headers: { 'total-count': '6', 'total-pages': '1' } }));
  const { list, tab, env, cache } = scriptedPrompter(url);
  await list('organizations', 'list');
  // A name that is kept cut would not be found.
  expect(tab('organizations', 'use', '')).toEqual(['1', '10', '11', 'Nice name too', 'b', 'c']);
  expect(answer(['zsh', 'organizations', 'use', '11'], env)).toBe(`11\t${'x'.repeat(59)}…\n`);
  expect(answer(['zsh', 'organizations', 'show', '1'], env)).toContain('1\tNice name too\n');
  expect(readFileSync(cache, 'utf8').length).toBeLessThan(2000);
});

describe('mkt completion', () => {
  it.each([
    ['bash', ['bash', '-n']],
    ['zsh', ['zsh', '-n']],
    ['fish', ['fish', '--no-execute']],
  ] as const)('prints a script that %s can read', async (shell, check) => {
    const { code, stdout } = await runCli(['completion', shell]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: shells[shell]?.script });
    const file = join(temporaryFolder(), 'script');
    writeFileSync(file, stdout);
    const read = await start([...check, file]).ended.catch(({ code: missing }: NodeJS.ErrnoException) => missing);
    if (read === 'ENOENT') console.warn(`${shell} is not installed here, so its script was not read by it.`);
    else expect(read).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['bash', '.local/share/bash-completion/completions/mkt'],
    ['zsh', '.local/share/mkt/completion.zsh'],
    ['fish', '.config/fish/completions/mkt.fish'],
    ['powershell', '.local/share/mkt/completion.ps1'],
  ] as const)('install %s writes %s and says so', async (shell, path) => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await runCli(['completion', 'install', shell], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`Wrote the completion for ${shell} to ${join(cwd, path)}.`);
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(shells[shell]?.script);
    expect(existsSync(join(cwd, '.bashrc'))).toBe(false);
  });

  it.each([
    ['bash', `source '/home/o'\\''brien/.local/share/bash-completion/completions/mkt'`],
    ['powershell', `. '/home/o''brien/.local/share/mkt/completion.ps1'`],
  ] as const)('install %s prints a line that the shell takes, wherever the home is', async (shell, line) => {
    const cwd = join(temporaryFolder(), "o'brien");
    mkdirSync(cwd);
    const { stderr } = await runCli(['completion', 'install', shell], { cwd });
    expect(stderr.replaceAll(dirname(cwd), '/home')).toContain(`\n  ${line}\n`);
  });

  it('install uses the shell in SHELL, and reports one that it does not know', async () => {
    const zsh = await runCli(['completion', 'install'], { env: { SHELL: '/usr/bin/zsh' } });
    expect(zsh.stderr).toContain('completion.zsh');
    const other = await runCli(['completion', 'install'], { env: { SHELL: '/bin/tcsh' } });
    expect(other).toMatchObject({ code: 2 });
    expect(other.stderr).toContain('There is no completion for the shell "tcsh".');
    expect(await runCli(['completion', 'install'])).toMatchObject({ code: 2 });
  });

  it('install names a file that it cannot write', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.config'), '');
    chmodSync(join(cwd, '.config'), 0o400);
    const { code, stderr } = await runCli(['completion', 'install', 'fish'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/Cannot write .*mkt\.fish \(ENOTDIR\)/);
    expect(stderr).toContain('mkt completion fish > FILE');
  });
});
