import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

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
  for (const name of ['ky', 'zod', 'better-sqlite3', 'conf', 'pico', 'pg-protocol']) expect(names).toContain(name);
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
