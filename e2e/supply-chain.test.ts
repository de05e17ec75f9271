import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cleanEnvironment } from './support/mkt.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

interface Locked {
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

test('what the packages install has no install script, but for optional parts and MSW, which its user brings', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(scripted.length).toBeGreaterThan(0);
  const installed = scripted.filter(([, { dev, optional }]) => !dev && !optional).map(([path]) => path);
  expect(installed.filter((path) => path !== 'node_modules/msw')).toEqual([]);
});

interface Bom {
  readonly components: readonly { 'bom-ref': string; name: string; licenses: unknown[]; hashes: unknown[] }[];
  readonly dependencies: readonly { ref: string; dependsOn: string[] }[];
}

test('the bill of materials is whole: what is bundled and copied too, each with license and hash', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-sbom-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const written = async (name: string): Promise<string> => {
    await run(process.execPath, [join(root, 'scripts/sbom.mjs'), join(folder, name)]);
    return readFileSync(join(folder, name), 'utf8');
  };
  const text = await written('first.json');
  expect(await written('second.json'), 'nothing in it but the lockfile').toBe(text);

  const { components, dependencies } = JSON.parse(text) as Bom;
  const names = components.map(({ name }) => name);
  // Installed, optional, bundled into the command line, copied into the server, and what one of them needs.
  for (const name of ['zod', 'better-sqlite3', 'conf', 'pico', 'pg-protocol']) expect(names).toContain(name);
  expect(names, 'a tool is no part of it').not.toContain('vitest');
  const refs = new Set(['mkt-workspace', ...components.map((each) => each['bom-ref'])]);
  expect(refs.size).toBe(components.length + 1);
  for (const { ref, dependsOn } of dependencies) for (const each of [ref, ...dependsOn]) expect(refs).toContain(each);
  const own = (ref: string) => ref.startsWith('pkg:npm/%40mkt/');
  for (const each of components) {
    expect(each.licenses, each.name).not.toEqual([]);
    if (!own(each['bom-ref'])) expect(each.hashes, each.name).not.toEqual([]);
  }
});

const program = `
import { createRequire } from 'node:module';
import { Marketplace } from '@mkt/sdk';
import { endpoints } from '@mkt/sdk/contract';
import { createMarketplaceMock } from '@mkt/mock-server';
const common = createRequire(import.meta.url)('@mkt/sdk');
const mock = createMarketplaceMock();
for (const Client of [Marketplace, common.Marketplace]) {
  const mkt = new Client({ token: mock.tokens.ada_write, baseUrl: mock.baseUrl, fetch: mock.fetch });
  console.log((await mkt.campaigns.get(5, 3)).id, endpoints.length);
}
`;

/** Needs a registry or a filled cache, and half a minute. */
describe.runIf(process.env.TEST_LONG === '1')('packed and installed into an empty folder', () => {
  test('SDK, mock and command line work without install scripts and without optional parts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mkt-install-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const workspaces = ['sdk', 'server', 'mock-server', 'cli'].flatMap((name) => ['-w', `packages/${name}`]);
    const pack = ['pack', ...workspaces, '--json', '--ignore-scripts', '--pack-destination', folder];
    const { stdout } = await run('npm', pack, { cwd: root });
    const tarballs = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>).map(({ filename }) =>
      join(folder, filename),
    );
    writeFileSync(join(folder, 'package.json'), '{}');
    const flags = ['--ignore-scripts', '--omit=optional', '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags, ...tarballs], { cwd: folder });
    expect(existsSync(join(folder, 'node_modules/better-sqlite3'))).toBe(false);

    writeFileSync(join(folder, 'program.mjs'), program);
    expect((await run(process.execPath, ['program.mjs'], { cwd: folder })).stdout).toBe('3 34\n3 34\n');

    const mkt = join(folder, 'node_modules/.bin/mkt');
    const env = cleanEnvironment(folder);
    expect((await run(mkt, ['--version'], { cwd: folder, env })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const kept = run(mkt, ['serve', '--port', '0', '--db', 'kept.db'], { cwd: folder, env });
    await expect(kept).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/better-sqlite3/) });
  }, 180_000);
});
