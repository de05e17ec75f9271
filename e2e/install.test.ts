import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { root } from './support/docs/blocks.js';

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const version = '1.2.3';
const system = `${process.platform}-${process.arch}`;
const archive = `mkt-${version}-${system}.tar.gz`;
const unchanged = 'Nothing was installed or changed.';

/** install.sh as a release has it. */
const script = read('tools/release/install.sh')
  .replaceAll('@VERSION@', version)
  .replaceAll('@RELEASES@', 'https://git.example.com/mkt/mkt/releases');

let folder: string;
let url: string;
const server = createServer(({ url: path = '' }, response) => {
  const file = join(folder, 'release', path);
  if (existsSync(file)) response.end(readFileSync(file));
  else response.writeHead(404).end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Puts an archive of a program into the folder that the server serves, with its hash. */
function publish(program: string, sum?: string): void {
  const name = archive.replace('.tar.gz', '');
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'mkt'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  mkdirSync(join(folder, 'release'), { recursive: true });
  spawnSync('tar', ['-czf', join('release', archive), name], { cwd: folder });
  publishSum(sum);
}

function publishSum(sum?: string): void {
  const hash =
    sum ??
    createHash('sha256')
      .update(readFileSync(join(folder, 'release', archive)))
      .digest('hex');
  writeFileSync(join(folder, 'release/SHA256SUMS'), `${hash}  ${archive}\n`);
}

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Pipes the script into a shell, as users do. */
async function install(args: readonly string[], { shell = 'sh', text = script, env = {} } = {}): Promise<Result> {
  const running = promisify(execFile)(shell, [...(shell === 'busybox' ? ['sh'] : []), '-s', '--', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp'), ...env },
  });
  running.child.stdin?.end(text);
  return running.then(
    (output) => ({ code: 0, ...output }),
    (error: Result) => error,
  );
}

const target = () => join(folder, 'bin/mkt');
const toBin = () => ['--base-url', url, '--dir', join(folder, 'bin')];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-install-'));
  mkdirSync(join(folder, 'tmp'));
  publish(`echo ${version}`);
  return () => rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform === 'win32')('install.sh', () => {
  it.each(['sh', 'bash', 'dash', 'zsh', 'busybox'].filter(has))(
    'installs one file, twice, and leaves nothing else behind (%s)',
    async (shell) => {
      const first = await install(toBin(), { shell });
      expect(first).toMatchObject({ code: 0, stderr: '' });
      expect(first.stdout).toContain(`Installed mkt ${version} as ${target()}`);
      expect(first.stdout).toContain(`export PATH="${join(folder, 'bin')}:$PATH"`);
      expect(spawnSync(target(), ['--version'], { encoding: 'utf8' }).stdout).toBe(`${version}\n`);
      expect(await install(toBin(), { shell })).toMatchObject({ code: 0, stdout: expect.stringContaining('again as') });
      expect([readdirSync(join(folder, 'bin')), readdirSync(join(folder, 'tmp'))]).toEqual([['mkt'], []]);
    },
  );
  it('installs into ~/.local/bin, replaces an older version, and accepts v before a version', async () => {
    const home = join(folder, 'home/.local/bin');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'mkt'), '#!/bin/sh\necho 1.0.0\n', { mode: 0o755 });
    const { code, stdout } = await install(['--base-url', `${url}/`, '--version', `v${version}`], {
      env: { PATH: `${home}:${process.env.PATH}` },
    });
    expect(code).toBe(0);
    expect(stdout).toContain(`Replaced mkt 1.0.0 with ${version} in ${home}/mkt\nNext: mkt --help`);
  });
  it('installs nothing if the hash does not match, is missing, or the file is missing', async () => {
    publish(`touch '${folder}/was-run'; echo ${version}`, 'a'.repeat(64));
    const wrong = await install(toBin());
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The SHA-256 of ${archive} does not match`),
    });
    expect(wrong.stderr).toContain(unchanged);
    expect(existsSync(join(folder, 'was-run'))).toBe(false);
    const other = await install([...toBin(), '--version', '9.9.9']);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/SHA256SUMS does not contain mkt-9\.9\.9/) });
    rmSync(join(folder, 'release', archive));
    expect(await install(toBin())).toMatchObject({ code: 1, stderr: expect.stringContaining('Cannot download') });
    expect(existsSync(target())).toBe(false);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });
  it('says that there is no connection', async () => {
    const { code, stderr } = await install(['--base-url', 'http://127.0.0.1:9', '--dir', join(folder, 'bin')]);
    expect(code).toBe(1);
    expect(stderr).toContain('error: Cannot download http://127.0.0.1:9/SHA256SUMS');
    expect(stderr).toContain(unchanged);
  });
  it('does not install a program that does not run here, and names the missing library', async () => {
    publish('echo "mkt: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127');
    const { code, stderr } = await install(toBin());
    expect(code).toBe(1);
    expect(stderr).toContain('Debian, Ubuntu: apt-get install libatomic1');
    publish('echo 1.2.2');
    expect((await install(toBin())).stderr).toContain(`The archive contains mkt 1.2.2, not ${version}.`);
    expect(existsSync(target())).toBe(false);
  });
  it.each([
    ['http://example.com', 'must begin with https://'],
    ['http://localhost.example.com', 'must begin with https://'],
    ['http://127.0.0.1@example.com', 'cannot contain a user name'],
    ['ftp://example.com', 'must begin with https://'],
  ])('does not download from %s', async (given, message) => {
    expect(await install(['--base-url', given])).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });
  it('rejects arguments that it does not know, and prints its usage', async () => {
    expect(await install(['--prefix', 'x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Unknown argument'),
    });
    expect(await install(['--dir'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--dir needs a value.'),
    });
    expect(await install(['--version', '1/../2'])).toMatchObject({ code: 1 });
    expect(await install(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: install.sh') });
  });
  it('does nothing if the script was cut off at any line', async () => {
    const lines = script.trimEnd().split('\n');
    const starts = lines.map((_, count) => lines.slice(0, count).join('\n')).filter((_, count) => count % 9 === 0);
    for (const text of starts) await install(toBin(), { text });
    expect(existsSync(target())).toBe(false);
  });
  /** A folder with programs, in front of those of the system or instead of them. */
  const programs = (scripts: Readonly<Record<string, string>>, instead = false) => {
    const path = join(folder, 'programs');
    mkdirSync(path);
    for (const [name, text] of Object.entries(scripts))
      writeFileSync(join(path, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return { PATH: instead ? path : `${path}:${process.env.PATH}` };
  };
  /** The path of `sh`, and links to the programs that a small system has. */
  const only = (...names: string[]) => {
    const path = join(folder, 'few');
    mkdirSync(path);
    for (const name of ['sh', 'uname', 'grep', 'dirname', 'rm', 'cat', 'tail', ...names])
      symlinkSync(String(execFileSync('which', [name])).trim(), join(path, name));
    return { PATH: path };
  };
  const put = (path: string, text = '', mode = 0o755) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  };
  /** What a run gets, after something was put into the way. */
  const after = (_done: unknown, run: { env?: object; text?: string } = {}) => run;
  const common = ['mktemp', 'awk', 'tar', 'gzip', 'cut', 'head', 'mkdir', 'cp', 'chmod', 'mv'];
  const faults: readonly (readonly [string, () => { env?: object; text?: string; args?: string[] }, RegExp])[] = [
    ['the folder is a file', () => after(put('bin')), /Cannot create .*bin: .* is not a folder\./],
    ['mkt is a folder', () => after(put('bin/mkt/x')), /bin\/mkt is a folder\./],
    ['mkt is another program', () => after(put('bin/mkt', '#!/bin/sh\necho Market 3\n')), /is another program\./],
    ['mkt is a text', () => after(put('bin/mkt', 'notes', 0o644)), /is another program\./],
    [
      'the folder cannot be made',
      () => ({ args: ['--dir', '/proc/mkt'] }),
      /(may not write|Cannot (create|write)) .*\/proc/,
    ],
    [
      'the system is Windows',
      () => ({ env: programs({ uname: 'echo MINGW64_NT-10.0' }) }),
      /In Windows, run this in PowerShell:\n {2}irm https/,
    ],
    [
      'the system is another one',
      () => ({ env: programs({ uname: 'echo Plan9' }) }),
      /no mkt for the system Plan9[\s\S]*npm install -g @mkt\/cli/,
    ],
    [
      'the processor is another one',
      () => ({ env: programs({ uname: '[ "$1" = -s ] && echo Linux || echo mips' }) }),
      /no mkt for the processor mips/,
    ],
    [
      'the system has musl',
      () =>
        after(put('ash', '\0/lib/ld-musl-x86_64.so.1\0'), { text: script.replaceAll('/bin/sh', join(folder, 'ash')) }),
      /this system has musl/,
    ],
    [
      'HOME is not set',
      () => ({ env: { HOME: undefined }, args: ['--base-url', url] }),
      /HOME is not set\.\n {2}Name a folder with --dir/,
    ],
    [
      'there is no curl and no wget',
      () => ({ env: only(...common, 'sha256sum') }),
      /Neither curl nor wget is installed/,
    ],
    [
      'there is no tar',
      () => ({ env: only('mktemp', 'awk', 'curl', 'sha256sum') }),
      /The program tar is not installed/,
    ],
    ['nothing computes a hash', () => ({ env: only(...common, 'curl') }), /sha256sum, shasum or openssl is needed/],
    ['curl finds no file', () => after(rmSync(join(folder, 'release', archive))), /Cannot download .*tar\.gz\n.*404/],
    [
      'wget finds no file',
      () => after(rmSync(join(folder, 'release', archive)), { env: only(...common, 'sha256sum', 'wget') }),
      /Cannot download .*tar\.gz\n.*404/,
    ],
    [
      'the wget of BusyBox finds no file',
      () => {
        const says = 'echo "wget: server returned error: HTTP/1.1 404 Not Found" >&2; exit 1';
        const [path = ''] = programs({ wget: says }).PATH.split(':');
        return { env: { PATH: `${path}:${only(...common, 'sha256sum').PATH}` } };
      },
      /Cannot download .*SUMS\n.*404/,
    ],
    [
      'the archive is damaged',
      () => after([writeFileSync(join(folder, 'release', archive), 'x'), publishSum()]),
      /Cannot unpack mkt-/,
    ],
    [
      'the folder runs no programs',
      () => ({
        env: programs({ chmod: 'true' }),
        text: script.replace('cp "$program" "$next"', 'cat "$program" > "$next"'),
      }),
      /runs no programs \(noexec\)/,
    ],
    [
      'the disk is full',
      () => ({ env: programs({ cp: 'echo "cp: No space left on device" >&2; exit 1' }) }),
      /Cannot write .*\n.*No space left on device/,
    ],
    [
      'the program does not run',
      () => after(publish('echo "Illegal instruction" >&2; exit 132')),
      /does not run on this system\.\n.*Illegal instruction/,
    ],
  ];
  it.each(faults.filter(([name]) => name !== 'wget finds no file' || has('wget')))(
    'says before anything changes that %s',
    async (_, setUp, message) => {
      const { env = {}, text = script, args = [] } = setUp();
      const before = readdirSync(folder, { recursive: true }).sort();
      const { code, stderr } = await install([...(args.includes('--base-url') ? [] : toBin()), ...args], { env, text });
      expect(stderr).toMatch(message);
      expect([code, stderr.includes(unchanged)]).toEqual([1, true]);
      expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
    },
  );
  it('advises the whole path of a folder that was given without it', async () => {
    const { stdout } = await install(['--base-url', url, '--dir', 'bin']);
    expect(stdout).toContain(`export PATH="${join(folder, 'bin')}:$PATH"`);
  });
  it('names another mkt that the shell finds first', async () => {
    const env = programs({ mkt: 'echo 0.9.0' });
    const { code, stdout } = await install(toBin(), { env });
    expect(code).toBe(0);
    expect(stdout).toContain(`Note: your shell finds ${join(folder, 'programs/mkt')} first, and that remains.`);
  });
  it.skipIf(!has('shellcheck'))('passes shellcheck', () => {
    const { stdout, status } = spawnSync('shellcheck', ['-s', 'sh', '-'], { input: script, encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});

test('a release takes the keychain library of the lockfile for every system', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version: string }> };
  const { dependencies } = JSON.parse(read('tools/release/package.json')) as { dependencies: Record<string, string> };
  const libraries = Object.entries(dependencies).filter(([name]) => name.startsWith('@napi-rs/'));
  expect(libraries).toHaveLength(5);
  for (const [name, pinned] of libraries) expect(packages[`node_modules/${name}`]?.version, name).toBe(pinned);
  const nodes = Object.entries(dependencies).filter(([name]) => name.startsWith('node-'));
  expect([nodes.length, new Set(nodes.map(([, pinned]) => pinned)).size]).toEqual([5, 1]);
});
