import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../packages/server/test/support/free-port.js';
import { cloneTo } from './support/clone.js';
import { root } from './support/docs/blocks.js';

// `npm run release:rehearse`: the next release as docs/releasing.md describes it, in a clone, published to a registry on
// this machine, and installed, updated and removed with each package manager.

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 1_800_000 });
const run = promisify(execFile);
const tools = join(root, 'tools/registry/node_modules');
const stopping: (() => unknown)[] = [];
let work: string;
let clone: string;
let registry: string;
let service: string;

const versionIn = (folder: string): string => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
const older = '0.0.9';
let version: string;

const inClone = (line: string, env: Record<string, string> = {}) =>
  run('bash', ['-ec', line], { cwd: clone, env: { ...process.env, ...env }, maxBuffer: 2 ** 28 }).catch((error) => {
    // The message of execFile has only the command.
    throw new Error(`${line}\n${error.stdout}\n${error.stderr}`);
  });

/** A registry that has the packages `@mkt/*` of this rehearsal, and everything else from npm. */
async function startRegistry(): Promise<string> {
  await run(process.execPath, ['scripts/lib/installed.mjs', 'tools/registry'], { cwd: root });
  const folder = join(work, 'registry');
  mkdirSync(folder);
  const npm = process.env.npm_config_registry ?? 'https://registry.npmjs.org/';
  writeFileSync(
    join(folder, 'config.yaml'),
    JSON.stringify({
      storage: join(folder, 'storage'),
      uplinks: { npm: { url: npm } },
      packages: { '@mkt/*': { access: '$all', publish: '$all' }, '**': { access: '$all', proxy: 'npm' } },
      log: { type: 'stdout', level: 'error' },
    }),
  );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const program = join(tools, 'verdaccio/bin/verdaccio');
  const options = { cwd: folder, stdio: 'ignore' } as const;
  const child = spawn(process.execPath, [program, '--config', 'config.yaml', '--listen', `127.0.0.1:${port}`], options);
  stopping.push(() => child.kill());
  await vi.waitFor(async () => expect((await fetch(`${url}-/ping`)).ok).toBe(true), { timeout: 60_000, interval: 200 });
  return url;
}

/** npm publishes only with a token, which this registry does not check. */
const publishing = (): Record<string, string> => {
  const file = join(work, 'npmrc');
  writeFileSync(file, `${registry.replace('http:', '')}:_authToken=rehearsal\nregistry=${registry}\n`);
  return { npm_config_userconfig: file, npm_config_registry: registry };
};

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'mkt-rehearsal-'));
  clone = join(work, 'clone');
  cloneTo(clone);
  const running = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  stopping.push(() => running.close());
  service = running.url;
  await inClone(
    'git checkout -q -B main && git add --all && (git diff --cached --quiet || git commit -qm Change)',
    author,
  );
  await inClone('npm ci --ignore-scripts --no-audit --no-fund');
  await inClone('npm run --silent changeset:version && git add --all && git commit -qm Release', author);
  version = versionIn(join(clone, 'packages/cli'));
});
const author = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};
afterAll(async () => {
  for (const stop of stopping) await stop();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
});

describe('the release commit', () => {
  it('has the first version if nothing was published, in each package and generated file, and a page of notes', () => {
    const before = versionIn(join(root, 'packages/cli'));
    if (before === '0.0.0') expect(version).toBe('0.1.0');
    expect(version).not.toBe(before);
    for (const name of ['sdk', 'server', 'mock-server', 'cli']) {
      expect(versionIn(join(clone, 'packages', name))).toBe(version);
      const notes = readFileSync(join(clone, 'packages', name, 'CHANGELOG.md'), 'utf8');
      expect(notes).toContain(`\n## ${version}\n`);
      expect(notes.length).toBeLessThan(6000);
    }
    expect(JSON.parse(readFileSync(join(clone, 'packages/cli/server.json'), 'utf8')).version).toBe(version);
  });
  it('passes the checks of CI, and its lockfile needs no other installation', async () => {
    await inClone('npm run check');
    expect((await inClone('git status --porcelain')).stdout).toBe('');
    await inClone('node .ci/check-commits.mjs HEAD~1');
  });
  it('passes the tests that know versions', async () => {
    const files = ['tooling', 'packages', 'docs-reference', 'examples-github-actions'].map(
      (name) => `e2e/${name}.test.ts`,
    );
    const commands = ['packages/cli/test/upgrade.test.ts', 'packages/cli/test/surface.test.ts'];
    // Without the benchmarks of the long mode, in which this runs.
    const line = `npx vitest run --project e2e --project cli ${[...files, ...commands].join(' ')}`;
    await inClone(line, { TEST_LONG: '' });
  });
  it('passes every test of the command line as the executable of this system', async () => {
    // Those of the history read its file in the test's own process.
    await inClone('npm rebuild better-sqlite3');
    const report = join(work, 'executable.json');
    const reporters = `--reporter=default --reporter=json --outputFile.json=${report}`;
    await inClone(`npx vitest run --mode long --project cli-executable ${reporters}`);
    expect(JSON.parse(readFileSync(report, 'utf8')).numPassedTests).toBeGreaterThan(2500);
  });
});

describe('the release', () => {
  beforeAll(async () => {
    registry = await startRegistry();
    await inClone('npm run release');
    const old = join(work, 'older');
    cpSync(join(clone, 'packed/cli'), old, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(old, 'package.json'), 'utf8'));
    writeFileSync(join(old, 'package.json'), JSON.stringify({ ...manifest, version: older }));
    // What `mkt --version` prints: some managers put a script in front of the program, so that its folder is not known.
    const program = readFileSync(join(old, 'dist/bin.cjs'), 'utf8');
    expect(program).toContain(`"${version}"`);
    writeFileSync(join(old, 'dist/bin.cjs'), program.replaceAll(`"${version}"`, `"${older}"`));
    await run('npm', ['publish', old], { env: { ...process.env, ...publishing() } });
  });

  it('is published once: a second run publishes nothing', async () => {
    const published = await inClone('npx changeset publish', publishing());
    for (const name of ['sdk', 'server', 'mock-server', 'cli']) {
      expect(published.stdout).toContain(`@mkt/${name}@${version}`);
      const { stdout } = await run('npm', ['view', `@mkt/${name}`, 'version', '--registry', registry]);
      expect(stdout.trim()).toBe(version);
    }
    const again = await inClone('npx changeset publish', publishing());
    expect(again.stdout + again.stderr).toContain('No unpublished projects');
    expect((await inClone('git tag')).stdout).toContain(`@mkt/cli@${version}\n`);
  });

  /** How each manager installs mkt, and the folder of the programs that it installs. */
  it.each([
    ['npm', `npm install -g @mkt/cli@${older}`, 'prefix/bin'],
    ['pnpm', `pnpm add -g @mkt/cli@${older}`, 'pnpm'],
    ['yarn', `yarn global add @mkt/cli@${older}`, 'prefix/bin'],
    ['bun', `bun add -g @mkt/cli@${older}`, '.bun/bin'],
    ['project', `npm init -y >/dev/null && npm install -D @mkt/cli@${older}`, 'node_modules/.bin'],
    ['project', `echo '{}' >package.json && pnpm add -D @mkt/cli@${older}`, 'node_modules/.bin'],
    ['project', `echo '{}' >package.json && yarn add @mkt/cli@${older}`, 'node_modules/.bin'],
    ['project', `echo '{}' >package.json && bun add @mkt/cli@${older}`, 'node_modules/.bin'],
  ])('installs as %s with `%s`, and the commands that mkt prints update and remove it', async (kind, install, bin) => {
    const home = mkdtempSync(join(work, 'home-'));
    // Next to the programs of bun's package there is one that only says that its install script did not run.
    const bun = join(tools, `@oven/bun-${process.platform}-${process.arch}/bin`);
    // Without the mkt of this repository.
    const others = process.env.PATH?.split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin')) ?? [];
    const path = [join(home, bin), bun, join(tools, '.bin'), ...others];
    const env = {
      PATH: path.join(delimiter),
      HOME: home,
      PNPM_HOME: join(home, 'pnpm'),
      npm_config_prefix: join(home, 'prefix'),
      npm_config_registry: registry,
      npm_config_ignore_scripts: 'true',
      YARN_REGISTRY: registry,
      YARN_GLOBAL_FOLDER: join(home, '.config/yarn/global'),
      BUN_CONFIG_REGISTRY: registry,
      MKT_NO_KEYRING: '1',
      MKT_BASE_URL: service,
      MKT_TOKEN: demoTokens.ada_write,
    };
    const type = async (line: string) =>
      (
        await run('sh', ['-ec', line], { cwd: home, env }).catch((error) => {
          throw new Error(`${line}\n${error.stdout}\n${error.stderr}`);
        })
      ).stdout;
    const installed = async () => (await type('mkt --version')).trim();
    await type(install);
    expect(await installed()).toBe(older);
    expect(await type('mkt campaigns list --org 5 --limit 2 --fields id --format csv')).toBe('id\n1\n2\n');
    const upgrade = JSON.parse(await type('mkt upgrade --json'));
    expect(upgrade).toMatchObject({ installed: kind });
    await type(upgrade.command);
    expect(await installed()).toBe(version);
    const [, remove = ''] = /To remove the program: (.*)/.exec(await type('mkt uninstall 2>&1')) ?? [];
    await type(remove);
    await expect(type('mkt --version')).rejects.toThrow(/not found/);
  });

  it.skipIf(process.platform !== 'linux')('installs as one file, which updates itself', async () => {
    const home = mkdtempSync(join(work, 'home-'));
    const name = `mkt-${version}-linux-${process.arch}`;
    const files = join(clone, 'release');
    const server = createServer(({ url = '' }, response) => void response.end(readFileSync(join(files, url))));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stopping.push(() => server.close());
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await run('tar', ['-xzf', join(files, `${name}.tar.gz`), '-C', home]);
    const program = join(home, name, 'mkt');
    const released = readFileSync(program);
    const old = Buffer.from(released.toString('latin1').replaceAll(`"${version}"`, `"${older}"`), 'latin1');
    expect(old).toHaveLength(released.length);
    writeFileSync(program, old);
    const env = { PATH: '/usr/bin:/bin', HOME: home, MKT_NO_KEYRING: '1' };
    const mkt = async (...args: string[]) => (await run(program, args, { env })).stdout;
    const upgrade = async () => JSON.parse(await mkt('upgrade', '--from', from, '--json'));
    expect(await mkt('--version')).toBe(`${older}\n`);
    expect(await upgrade()).toMatchObject({
      version: older,
      installed: 'archive',
      result: 'upgraded',
      newest: version,
    });
    expect(readFileSync(program).equals(released)).toBe(true);
    expect(await upgrade()).toMatchObject({ version, result: 'newest' });
    const { stdout, stderr } = await run(program, ['uninstall'], { env });
    expect(stdout + stderr).toContain(`To remove the program: rm ${program}\n`);
  });

  it('runs with npx, and a program imports the SDK, the server and the mock', async () => {
    const folder = mkdtempSync(join(work, 'program-'));
    const env = { ...process.env, HOME: folder, npm_config_registry: registry, npm_config_ignore_scripts: 'true' };
    const type = async (line: string) => (await run('sh', ['-ec', line], { cwd: folder, env })).stdout;
    expect(await type('npx --yes @mkt/cli --version')).toBe(`${version}\n`);
    expect(JSON.parse(await type('npx --yes @mkt/cli upgrade --json'))).toMatchObject({ installed: 'npx' });
    await type('npm init -y >/dev/null && npm install @mkt/sdk @mkt/mock-server @mkt/server msw');
    writeFileSync(
      join(folder, 'program.mjs'),
      `import { Marketplace } from '@mkt/sdk';
      import { createMarketplaceMock } from '@mkt/mock-server/fetch';
      import { memoryStore } from '@mkt/server';
      memoryStore();
      const { fetch, tokens } = createMarketplaceMock({ baseUrl: 'https://api.example.com' });
      const mkt = new Marketplace({ token: tokens.ada_write, baseUrl: 'https://api.example.com', fetch });
      console.log((await mkt.campaigns.list(5)).totalCount);`,
    );
    expect(await type('node program.mjs')).toBe('45\n');
  });
});
