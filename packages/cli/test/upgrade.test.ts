import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repository, version } from '../package.json';
import { replaceExecutable } from '../src/commands/upgrade/replace.js';
import { managerOf } from '../src/config/managers.js';
import { installation, installationOf } from '../src/io/installation.js';
import { runCli, temporaryFolder } from './support/run-cli.js';

const releases = `${repository.url.replace(/^git\+|\.git$/g, '')}/releases/latest`;

it.each([
  ['npm', '/usr/lib/node_modules/@mkt/cli/dist/bin.cjs', 'npm install -g @mkt/cli@latest'],
  ['npx', '/home/ada/.npm/_npx/0a1b/node_modules/@mkt/cli/dist/bin.cjs', 'npx @mkt/cli@latest'],
  ['npx', '/home/ada/.cache/pnpm/dlx/x/node_modules/@mkt/cli/dist/bin.cjs', 'npx @mkt/cli@latest'],
  [
    'pnpm',
    '/home/ada/.local/share/pnpm/global/5/.pnpm/x/node_modules/@mkt/cli/dist/bin.cjs',
    'pnpm add -g @mkt/cli@latest',
  ],
  ['yarn', '/home/ada/.config/yarn/global/node_modules/@mkt/cli/dist/bin.cjs', 'yarn global add @mkt/cli@latest'],
  [
    'yarn',
    'C:\\Users\\ada\\AppData\\Local\\Yarn\\Data\\global\\node_modules\\@mkt\\cli\\dist\\bin.cjs',
    'yarn global add @mkt/cli@latest',
  ],
  ['bun', '/home/ada/.bun/install/global/node_modules/@mkt/cli/dist/bin.cjs', 'bun add -g @mkt/cli@latest'],
  ['source', '/home/ada/my mkt/packages/cli/dist/bin.cjs', "cd '/home/ada/my mkt' && git pull && npm run build"],
  ['deb', '/usr/bin/mkt', 'sudo apt-get install ./mkt_VERSION_arm64.deb'],
  ['homebrew', '/opt/homebrew/Cellar/mkt/0.1.0/bin/mkt', 'brew upgrade mkt'],
  ['scoop', 'C:\\Users\\ada\\scoop\\apps\\mkt\\current\\mkt.exe', 'scoop update mkt'],
  ['winget', 'C:\\Users\\ada\\AppData\\Local\\Microsoft\\WinGet\\Packages\\mkt\\mkt.exe', 'winget upgrade mkt.mkt'],
  ['archive', '/home/ada/bin/mkt', 'mkt upgrade'],
] as const)('knows that %s installed %s, and its command', (installed, program, command) => {
  const isExecutable = !program.includes('bin.cjs');
  expect(installationOf(program, isExecutable, () => false)).toBe(installed);
  expect(managerOf(installed, program, 'arm64').update).toBe(command);
});

it.each([
  ['package-lock.json', 'devDependencies', 'npm install -D @mkt/cli@latest'],
  ['pnpm-lock.yaml', 'dependencies', 'pnpm add @mkt/cli@latest'],
  ['yarn.lock', 'devDependencies', 'yarn add -D @mkt/cli@latest'],
  ['bun.lock', 'dependencies', 'bun add @mkt/cli@latest'],
])('updates the dependency of a project with %s', (lock, kind, command) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ [kind]: { '@mkt/cli': '^0.1.0' } }));
  writeFileSync(join(folder, lock), '');
  const program = join(folder, 'node_modules/.pnpm/x/node_modules/@mkt/cli/dist/bin.cjs');
  expect(installationOf(program, false)).toBe('project');
  expect(managerOf('project', program, 'x64')).toMatchObject({
    update: `cd ${folder} && ${command}`,
    remove: `cd ${folder} && ${command.split(' ')[0]} ${lock === 'package-lock.json' ? 'uninstall' : 'remove'} @mkt/cli`,
  });
});

it('removes the executable with a command that cmd.exe and PowerShell understand, on Windows', () => {
  const { platform } = process;
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
  Object.defineProperty(process, 'platform', { value: 'win32' });
  const program = 'C:\\Users\\Ada Byron\\.local\\bin\\mkt.exe';
  expect(managerOf('archive', program, 'x64').remove).toBe(`del "${program}"`);
});

it('prints the command of a package manager, exits 0, and starts nothing', async () => {
  const folder = temporaryFolder();
  const trace = join(folder, 'started');
  // Every program that the command names leaves a trace if it is started.
  for (const name of ['npm', 'git', 'curl', 'sh', 'sudo'])
    writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${trace}'\n`, { mode: 0o755 });
  const { code, stdout } = await runCli(['upgrade'], { env: { PATH: folder }, inProcess: 'path' });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^mkt \S+ was installed .*:\n\n {2}\S.*\n$/);
  const { stdout: json } = await runCli(['upgrade', '--json'], { inProcess: 'path' });
  expect(JSON.parse(json)).toEqual({ version, installed: installation(), command: expect.any(String), releases });
  expect(existsSync(trace)).toBe(false);
});

describe.skipIf(process.platform === 'win32')('the executable of a release', () => {
  const systemOf = (platform: string) => `${platform.replace('win32', 'win')}-${process.arch}`;
  const system = systemOf(process.platform);
  const script = (says: string): string => `#!/bin/sh\n${says}\n`;

  /** A release in a folder that is served, whose program is a shell script, and an old program. */
  async function setUp({
    says = 'echo 9.0.0',
    sums = (text: string) => text,
    folder = temporaryFolder(),
    platform = process.platform,
  } = {}) {
    const served = temporaryFolder();
    const name = `mkt-9.0.0-${systemOf(platform)}`;
    mkdirSync(join(served, name));
    writeFileSync(join(served, name, platform === 'win32' ? 'mkt.exe' : 'mkt'), script(says), { mode: 0o755 });
    execFileSync('tar', ['-czf', `${name}.tar.gz`, name], { cwd: served });
    const hash = createHash('sha256')
      .update(readFileSync(join(served, `${name}.tar.gz`)))
      .digest('hex');
    writeFileSync(join(served, 'SHA256SUMS'), sums(`${hash}  ${name}.tar.gz\n`));
    const server = createServer(({ url = '' }, response) => {
      const path = join(served, url);
      if (!existsSync(path)) return response.writeHead(404).end();
      return response.end(readFileSync(path));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const program = join(folder, 'mkt');
    if (existsSync(folder) && !folder.startsWith('/sys')) writeFileSync(program, script('echo 0.1.0'), { mode: 0o755 });
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const SystemRoot = temporaryFolder();
    mkdirSync(join(SystemRoot, 'System32'));
    writeFileSync(join(SystemRoot, 'System32/tar.exe'), script('exec tar "$@"'), { mode: 0o755 });
    const io = { env: { ...process.env, SystemRoot }, platform, interrupted: new AbortController().signal };
    const upgrade = (options = {}) =>
      replaceExecutable({ program, version: '0.1.0', from, dryRun: false, io, ...options });
    const present = () => [readdirSync(folder), String(execFileSync(program))];
    return { upgrade, present };
  }

  it('replaces its file by the newest one', async () => {
    const { upgrade, present } = await setUp();
    expect(await upgrade()).toEqual({ result: 'upgraded', newest: '9.0.0' });
    expect(present()).toEqual([['mkt'], '9.0.0\n']);
  });
  it('changes nothing with --dry-run, and if there is nothing newer', async () => {
    const { upgrade, present } = await setUp();
    expect(await upgrade({ dryRun: true })).toEqual({ result: 'available', newest: '9.0.0' });
    for (const now of ['9.0.0', '10.0.0'])
      expect(await upgrade({ version: now })).toEqual({ result: 'newest', newest: '9.0.0' });
    expect(present()).toEqual([['mkt'], '0.1.0\n']);
  });
  it.each([
    ['another hash', { sums: (text: string) => text.replace(/^\S{8}/, '00000000') }, /SHA-256 .* does not match/],
    ['no file for this system', { sums: (text: string) => text.replace(system, 'plan9') }, /has no file for/],
    ['a file that is missing', { sums: (text: string) => text.replace('9.0.0', '9.0.1') }, /answered 404/],
    ['a program that fails', { says: 'exit 3' }, /does not start on this computer/],
    ['a program of another version', { says: 'echo 8.0.0' }, /says that it is 8\.0\.0/],
    [
      'a program that something removes',
      { says: 'rm "$0"; echo 9.0.0' },
      /^Cannot replace .*mkt by mkt 9\.0\.0: ENOENT/,
    ],
    [
      'a program that something removes on Windows',
      { says: 'rm "$0"; echo 9.0.0', platform: 'win32' as const },
      /^Cannot replace/,
    ],
  ])('keeps the old file when the release has %s', async (_, release, message) => {
    const { upgrade, present } = await setUp(release);
    const error = await upgrade().catch((caught: Error) => caught);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(JSON.stringify(error)).toContain('Nothing was changed.');
    expect(present()).toEqual([['mkt'], '0.1.0\n']);
  });
  it.skipIf(!existsSync('/sys/kernel'))('names sudo where the file belongs to another user', async () => {
    const { upgrade } = await setUp({ folder: '/sys/kernel' });
    const error = await upgrade().catch((caught: Error) => caught);
    expect(JSON.stringify(error)).toContain('sudo mkt upgrade');
  });
  it.each(['http://mkt.example', 'ftp://127.0.0.1', 'folder'])('downloads nothing from %s', async (from) => {
    const { upgrade } = await setUp();
    await expect(upgrade({ from })).rejects.toMatchObject({
      message: expect.stringContaining('must begin with https'),
    });
  });
});
