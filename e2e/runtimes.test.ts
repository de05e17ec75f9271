import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { programOf } from '../scripts/lib/runtimes.mjs';
import { install, type Packed, packAll } from './support/packed.js';
import { runSuite } from './support/sdk-suite.js';

// `npm run test:runtimes`: the packed packages where they are promised to work, with runtimes from npm.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;
let sdk: readonly Packed[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-runtimes-'));
  sdk = (await packAll(folder)).filter(({ name }) => name === '@mkt/sdk');
  await install(folder, sdk);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

// `tsc -b` compiles the first one as well, against the source.
test.each([
  ['react.ts', '@tanstack/react-query@5', '@types/react@19'],
  ['vue.mts', '@tanstack/vue-query@5', 'vue@3'],
  ['solid.mts', '@tanstack/solid-query@5', 'solid-js@1'],
])('the options for TanStack Query have the types that %s expects', async (file, ...libraries) => {
  const project = mkdtempSync(join(folder, 'query-'));
  await install(project, sdk, libraries);
  copyFileSync(join(root, 'e2e/query-types', file), join(project, file));
  const compilerOptions = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom', 'dom.iterable'] };
  const options = { ...compilerOptions, target: 'es2022', strict: true, noEmit: true, skipLibCheck: true, types: [] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [file] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = await run(process.execPath, [tsc, '-p', project]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');
});

test.each([
  // In TypeScript 6, `dom` includes `dom.iterable`.
  ['5.4', ['--module', 'commonjs', '--moduleResolution', 'node10', '--lib', 'es2022,dom']],
  ['5.9', ['--module', 'commonjs', '--moduleResolution', 'node10']],
  [
    '6',
    [
      '--module',
      'commonjs',
      '--moduleResolution',
      'node10',
      '--ignoreDeprecations',
      '6.0',
      '--esModuleInterop',
      'false',
    ],
  ],
  ['latest', ['--module', 'nodenext']],
])('a program compiles with TypeScript %s without skipLibCheck', async (version, options) => {
  const project = mkdtempSync(join(folder, 'typescript-'));
  await install(project, sdk, [`typescript@${version}`, '@tanstack/query-core@5']);
  copyFileSync(join(root, 'e2e/query-types/older.ts'), join(project, 'older.ts'));
  const args = [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    ...options,
    'older.ts',
  ];
  const compiled = await run(process.execPath, args, { cwd: project }).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');
});

test.each(['deno@2', 'bun@1', 'workerd@1'])('the SDK passes its suite on %s', async (release) => {
  const [runtime = ''] = release.split('@');
  const results = await runSuite(folder, runtime, programOf(release));
  expect(results.filter(({ error }) => error)).toEqual([]);
  expect(results.length).toBeGreaterThan(20);
});

// The oldest release that is supported, and the newest of each later version. The file includes the SDK's suite.
test.each(['node@20.19', 'node@22', 'node@24', 'node@26'])('packages.test.ts passes on %s', async (release) => {
  const program = programOf(release);
  // First on the PATH: npm, npx and what they start are to run on it too.
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'e2e', 'e2e/packages.test.ts'];
  await run(program, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => expect.fail(stdout + stderr),
  );
});
