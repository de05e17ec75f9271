import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isLong } from '../packages/server/test/support/long.js';

// One test for each tool of this repository: that it runs, and fails where it should.
const root = join(import.meta.dirname, '..');
const node = (file: string, args: readonly string[], cwd = root, timeout = 110_000) =>
  spawnSync(process.execPath, [join(root, file), ...args], { cwd, encoding: 'utf8', timeout });

test('a benchmark prints its rows and whether its goals are met', { timeout: 120_000 }, () => {
  const { status, stdout, stderr } = node('bench/main.mjs', ['mock', 'sizes', '--quick']);
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('`npm run bench -- mock sizes`');
  expect(stdout).toMatch(/^\| panel .*(at least|at most) [\d.]+ +\| (yes|NO) +\|$/m);
});

// What only benchmarks need is installed for it.
test.runIf(isLong)('every benchmark runs', () => {
  for (const folder of ['bench', 'tools/release'])
    expect(node('scripts/lib/installed.mjs', [folder], root, 300_000).status).toBe(0);
  const { status, stdout } = node('bench/main.mjs', ['--quick'], root, 600_000);
  expect([status, stdout.match(/^FAILED: .*$/gm)]).toEqual([0, null]);
});

test('npx mkt asks no registry in a clone that is not built, where another program could have the name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-npx-'));
  const asked: unknown[] = [];
  const registry = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await once(registry, 'listening');
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  const { port } = registry.address() as AddressInfo;
  const env = {
    ...process.env,
    npm_config_registry: `http://127.0.0.1:${port}`,
    npm_config_cache: join(folder, 'cache'),
    // Otherwise npm may ask for its own newest version.
    npm_config_update_notifier: 'false',
  };
  const options = { cwd: folder, env, shell: process.platform === 'win32' };
  await once(spawn('npx', ['--yes', 'mkt', '--version'], options), 'close');
  expect(asked).toEqual([]);
});

test('every manifest, page and script names the same versions of Node', () => {
  const listed = (...globs: string[]) =>
    execFileSync('git', ['ls-files', '--', ...globs.map((glob) => `:(glob)${glob}`)], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n');
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const file of listed('package.json', 'packages/*/package.json', 'site/package.json'))
    expect([file, JSON.parse(readFileSync(join(root, file), 'utf8')).engines]).toEqual([file, engines]);
  const [first = '', second = ''] = engines.node.match(/\d+\.\d+/g);
  const text = new RegExp(`\\b(${first}|${second})\\b`.replaceAll('.', '\\.'), 'g');
  const mentions = listed(
    '*.md',
    'docs/*.md',
    'docs/guides/*.md',
    'packages/*/README.md',
    'scripts/*.mjs',
    'tools/release/*',
  ).flatMap((file) => {
    const words = readFileSync(join(root, file), 'utf8').replace(/\s+/g, ' ');
    return [...words.matchAll(text)].map(({ index }) => [file, words.slice(index - 12, index + 20)]);
  });
  const wrong = mentions.filter(([, words = '']) => !words.includes(`${first}+ or ${second}`));
  // The versions on which the suite of the SDK runs.
  expect(wrong.filter(([, words = '']) => !words.includes(`${first}, 22, 24`))).toEqual([]);
  expect(mentions.length).toBeGreaterThan(15);
  const start = (version: string) => {
    const faked = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); process.argv.push('--ignore-scripts'); await import('./scripts/ensure.mjs')`;
    return spawnSync(process.execPath, ['--input-type=module', '--eval', faked], { cwd: root, encoding: 'utf8' });
  };
  expect(start('20.18.9').stderr).toContain(`Node ${first}+ or ${second}+ is needed, this is 20.18.9.`);
  expect(start(`${second.split('.')[0]}.0.0`).status).toBe(1);
});

test('a release stops if the packages name another repository', () => {
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
  const [, command = ''] = /run: '(.*package\.json.*)'/.exec(workflow) ?? [];
  const { repository } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));
  const { origin, pathname } = new URL(repository.url.replace(/^git\+|\.git$/g, ''));
  const check = (host: string) => {
    const env = { ...process.env, GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: pathname.slice(1) };
    return spawnSync('bash', ['-e', '-c', command], { cwd: root, encoding: 'utf8', env });
  };
  expect(check(origin)).toMatchObject({ status: 0, stdout: '' });
  const { status, stdout } = check('https://git.example.org');
  expect([status, stdout.split('\n')]).toEqual([1, expect.arrayContaining(['packages/sdk/package.json'])]);
});

test('the waiting notes and one of a minor change make a minor version, not a major one', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const manifests = ['sdk', 'server', 'mock-server', 'cli'].map((name) => `packages/${name}/package.json`);
  for (const path of ['package.json', 'package-lock.json', '.changeset', ...manifests])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  writeFileSync(join(folder, '.changeset/new.md'), "---\n'@mkt/server': minor\n---\n\nA new list.\n");
  const run = (line: string) => execFileSync('bash', ['-ec', line], { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  const [, major, minor] = /"version": "(\d+)\.(\d+)/.exec(readFileSync(join(root, manifests[0] ?? ''), 'utf8')) ?? [];
  run('git init -q && git add . && git -c user.name=a -c user.email=a@b.c commit -qm Add');
  run(`node ${join(root, 'node_modules/@changesets/cli/bin.js')} version`);
  const versions = manifests.map((path) => JSON.parse(readFileSync(join(folder, path), 'utf8')).version);
  expect(versions).toEqual(manifests.map(() => `${major}.${Number(minor) + 1}.0`));
});

test('deployment files that their tools reject are reported', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'deploy'), folder, { recursive: true });
  const run = () => node('tools/deploy/check.mjs', [folder]);
  const intact = run();
  expect([intact.status, intact.stdout]).toEqual([0, expect.stringMatching(/^ok +Kubernetes NetworkPolicy$/m)]);
  const breakFile = (name: string, from: string, to: string) => {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  breakFile('systemd/mkt@.service', 'TimeoutStopSec=25', 'TimeoutStopSec=soon');
  breakFile('kubernetes/mkt.yaml', 'replicas: 4', 'replicas: four');
  breakFile('prometheus/alerts.yaml', 'for: 2m', 'for: 9m');
  const { status, stdout } = run();
  // A missing tool is named instead.
  expect(status).toBe(1);
  expect(stdout).toMatch(/^(FAILED|skipped) +systemd unit/m);
  expect(stdout).toMatch(/^(FAILED|skipped) +tests of the alert rules/m);
  expect(stdout).toMatch(/^FAILED +Kubernetes Deployment\n.*replicas/m);
});

test('builds edit no text but the web classes of ky', () => {
  const folders = ['.', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  expect(files).toEqual(
    expect.arrayContaining(['./tsup.base.ts', './vitest.config.ts', 'packages/sdk/tsup.config.ts']),
  );
  const edits = [...files, 'scripts/build.mjs', 'scripts/lib/bundled-assets.mjs'].flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\.replace(?:All)?\([^)]*\)/g)].map(([edit]) => [file, edit]),
  );
  expect(edits).toEqual([['packages/cli/tsup.config.ts', ".replaceAll('globalThis', 'globals')"]]);
});

test('packing changes no file of a package, not even when it is interrupted', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-pack-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const contents = () =>
    readdirSync(join(root, 'packages')).flatMap((name) =>
      readdirSync(join(root, 'packages', name), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => [name, entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]),
    );
  const before = contents();
  const packing = spawn(process.execPath, ['scripts/pack.mjs', folder, 'sdk'], { cwd: root, stdio: 'ignore' });
  // From here on the package is complete, and npm packs it.
  await expect.poll(() => existsSync(join(folder, 'sdk/README.md')), { timeout: 100_000, interval: 5 }).toBe(true);
  const during = contents();
  packing.kill('SIGKILL');
  await once(packing, 'exit');
  expect(during).toEqual(before);
  expect(contents()).toEqual(before);
  const readme = readFileSync(join(folder, 'sdk/README.md'), 'utf8');
  expect(readme).toContain('](docs/guides/sdk.md)');
  expect(readme).not.toContain('](../');
});

test.skipIf(process.platform === 'win32')(
  'the umask of the user who packs a package is not in it',
  { timeout: 120_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'mkt-pack-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const pack = `umask 077 && '${process.execPath}' scripts/pack.mjs '${folder}' sdk`;
    const [{ files }] = JSON.parse(execFileSync('sh', ['-c', pack], { cwd: root, encoding: 'utf8' }));
    expect(files.filter(({ mode }: { mode: number }) => mode !== 0o644)).toEqual([]);
  },
);

test('a package is not packed in its own folder', () => {
  const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], {
    cwd: join(root, 'packages/sdk'),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain('node scripts/pack.mjs FOLDER');
});

test('commit messages that break a rule are reported', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-commits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      stdio: 'pipe',
    });
  const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--message', message);
  git('init', '--quiet');
  commit('Old: not checked.');
  git('tag', 'base');
  commit('Add a field\n\nThe reason, in lines of up to 100 characters.');
  expect(node('.ci/check-commits.mjs', ['base'], folder)).toMatchObject({ status: 0, stderr: '' });
  commit('Adds a field');
  commit(`Add ${'x'.repeat(72)}`);
  commit('Change it.');
  commit(`Change it\n\n${'x '.repeat(60)}`);
  const { status, stderr } = node('.ci/check-commits.mjs', ['base'], folder);
  expect(status).toBe(1);
  expect(stderr.match(/^ {2}.+/gm)).toEqual([
    expect.stringContaining('longer than 100'),
    expect.stringContaining('period'),
    expect.stringContaining('76 characters'),
    expect.stringContaining('imperative'),
  ]);
});

test('a test of a build fails if the build is not of the present sources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-builds-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  cpSync(join(root, 'scripts/lib/builds.mjs'), join(folder, 'scripts/lib/builds.mjs'));
  write('packages/cli/package.json', JSON.stringify({ name: 'cli', devDependencies: { sdk: '1' } }));
  write('packages/sdk/package.json', JSON.stringify({ name: 'sdk' }));
  for (const name of ['cli', 'sdk']) write(`packages/${name}/src/index.ts`, 'one');
  const { builtFile, hashOfInputs, writeStamp } = await import(join(folder, 'scripts/lib/builds.mjs'));
  const sentence = (problem: string) =>
    `The build of packages/cli ${problem}. Build it: node scripts/build.mjs --no-dts cli`;
  expect(() => builtFile('cli', 'bin.cjs')).toThrow(sentence('is missing'));
  write('packages/cli/dist/bin.cjs', '');
  writeStamp('cli', hashOfInputs('cli'), 'js');
  expect(builtFile('cli', 'bin.cjs')).toBe(join(folder, 'packages/cli/dist/bin.cjs'));
  write('packages/sdk/src/index.ts', 'two');
  expect(() => builtFile('cli', 'bin.cjs')).toThrow(sentence('is older than its source'));
});
