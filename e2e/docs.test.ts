import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createDatabase, type TestDatabase } from '../packages/server/test/support/postgres.js';
import type {} from '../packages/server/test/support/postgres-server.js';
import { bundledAssets } from '../scripts/lib/bundled-assets.mjs';
import { type Block, blocksOf, root, shownDatabase, withAddresses } from './support/docs/blocks.js';
import { type DocsEnvironment, docsEnvironment } from './support/docs/environment.js';
import { type Page, pages } from './support/docs/pages.js';
import { isTest, joined, printedBy, whole } from './support/docs/programs.js';
import { type Ran, runPrograms } from './support/docs/run-programs.js';
import { type Session, shellIn } from './support/docs/shell.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const all = pages.map((page) => ({ page, blocks: blocksOf(page.path) }));
const runnable = (blocks: readonly Block[], language: string) =>
  blocks.filter((block) => block.language === language && block.notRun === undefined);
const programsOf = ({ oneProgram }: Page, blocks: readonly Block[]) => {
  const programs = runnable(blocks, 'ts').filter((block) => !isTest(block));
  return oneProgram && programs.length > 0
    ? [{ line: 1, source: joined(programs), printed: undefined }]
    : programs.map((block) => ({ line: block.line, source: whole(block), printed: printedBy(block.code) }));
};

/** Where compiled programs are: within the repository, so that they find what they import. */
const compiled = join(root, 'e2e', `.docs-${process.pid}`);
const fileOf = (path: string, line: number) => `${path.replace(/\W/g, '_')}_${line}`;

beforeAll(async () => {
  await mkdir(compiled);
  const sources = all.flatMap(({ page, blocks }) =>
    programsOf(page, blocks).map(({ line, source }) => [fileOf(page.path, line), source] as const),
  );
  const bySource = new Map(sources);
  await build({
    entryPoints: [...bySource.keys()],
    bundle: true,
    splitting: true,
    outdir: compiled,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    // MSW patches Node's own modules and cannot be part of a bundle, nor can the mock, whose first module runs before it.
    external: ['msw', 'msw/node', '@mkt/mock-server', '@mkt/mock-server/*', 'better-sqlite3', 'pg'],
    conditions: ['mkt-source'],
    loader: { '.sql': 'text' },
    banner: { js: "import { createRequire as make } from 'node:module'; const require = make(import.meta.url);" },
    plugins: [
      bundledAssets,
      {
        name: 'programs of the pages',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^/ }, ({ path, kind }) =>
            kind === 'entry-point' ? { path, namespace: 'page' } : undefined,
          );
          onLoad({ filter: /^/, namespace: 'page' }, ({ path }) => ({
            contents: bySource.get(path) ?? '',
            loader: 'ts',
            resolveDir: join(root, 'e2e'),
          }));
        },
      },
    ],
  });
});
afterAll(() => rm(compiled, { recursive: true, force: true }));

describe.each(all)('$page.path', ({ page, blocks }) => {
  let environment: DocsEnvironment;
  let home: string;
  let shell: Session;
  let database: TestDatabase | undefined;
  const typed = (text: string) => withAddresses(text, environment.url, database?.url);
  beforeAll(async () => {
    [environment, home] = await Promise.all([docsEnvironment(), mkdtemp(join(tmpdir(), 'mkt-docs-'))]);
    shell = await shellIn(home, environment.environment(home));
    if (runnable(blocks, 'sh').some(({ code }) => code.includes(shownDatabase))) database = await createDatabase();
  });
  afterAll(async () => {
    await environment.close();
    await database?.drop();
    await rm(home, { recursive: true, force: true });
  });

  test('names the kind of each block', () => {
    const known = ['sh', 'console', 'ts', 'json', 'yaml', 'dockerfile', 'html', 'text'];
    expect(blocks.filter(({ language }) => !known.includes(language)).map(({ line }) => line)).toEqual([]);
  });

  for (const block of blocks) {
    if (block.notRun !== undefined) continue;
    const { language, line, code } = block;
    if (language === 'json') test(`line ${line} is JSON`, () => void JSON.parse(code));
    if (language === 'yaml')
      test(`line ${line} is YAML`, () => {
        expect(parseAllDocuments(code).flatMap((document) => [...document.errors, ...document.warnings])).toEqual([]);
      });
    if (language === 'dockerfile')
      test(`line ${line} is a Dockerfile`, () => {
        const lines = code.replaceAll('\\\n', ' ').split('\n');
        const odd = lines.filter(
          (each) => !/^(#.*|(FROM|RUN|COPY|WORKDIR|ENV|USER|EXPOSE|CMD|ENTRYPOINT) .+|)$/.test(each),
        );
        expect(odd).toEqual([]);
      });
    if (language === 'sh')
      test.skipIf(process.platform === 'win32')(`line ${line} can be typed`, async () => {
        if (page.separate) await environment.reset();
        const { code: ended, output } = await shell.run(typed(code));
        expect(ended, output).toBe(0);
      });
    if (language === 'console' && !page.withoutScreens)
      test.skipIf(process.platform === 'win32')(`line ${line} is what the screen shows`, async () => {
        for (const part of code.split(/^\$ /m).slice(1)) {
          const [command = '', ...lines] = part.trimEnd().split('\n');
          const { output } = await shell.run(typed(command), { goOn: true });
          const shown = output
            .replaceAll(environment.url, 'http://127.0.0.1:4010')
            .replace(/request [\w-]+/g, 'request Zk3vQ8-1c');
          expect({ command, shown: shown.trimEnd().split('\n') }).toEqual({ command, shown: lines });
        }
      });
  }

  // MSW catches the requests of everything in its process.
  const programs = programsOf(page, blocks);
  const apart = programs.filter(({ source }) => source.includes('msw/node'));
  const together = programs.filter((program) => !apart.includes(program));
  let ran: Promise<Map<number, Ran>> | undefined;
  const runAll = async () => {
    const results = new Map<number, Ran>();
    for (const group of [together, ...apart.map((program) => [program])]) {
      const files = group.map(({ line }) => join(compiled, `${fileOf(page.path, line)}.mjs`));
      const each = await runPrograms(files, shell.folder, shell.environment);
      for (const [index, { line }] of group.entries()) results.set(line, each[index] as Ran);
    }
    return results;
  };

  test.each(programs)('the program at line $line runs', async ({ line, printed }) => {
    ran ??= runAll();
    const result = (await ran).get(line);
    expect(result?.failed).toBe(null);
    if (printed) expect(result?.printed).toEqual(printed);
  });
});

test('recipes of tests are strict, and install a version of MSW that runs on their Node', async () => {
  const recipes = ['docs/guides/stacks.md', 'docs/guides/testing.md', 'packages/mock-server/README.md'];
  const testing = recipes
    .flatMap(blocksOf)
    .filter(({ code }) => /verifyAndReset|webServer|spawn\(|assertNoUnexpected/.test(code));
  const starts = testing.flatMap(({ code }) => code.match(/createMarketplaceMock\(.*|.*\bmkt'?,? '?serve\b.*/g) ?? []);
  expect(starts.length).toBeGreaterThan(8);
  expect(starts.filter((line) => !line.includes('strict'))).toEqual([]);
  const shown = [...recipes, ...pages.map(({ path }) => path)];
  const texts = await Promise.all(shown.map((path) => readFile(join(root, path), 'utf8')));
  const installs = texts.flatMap((text) => text.match(/npm install [^\n`]*/g) ?? []);
  expect(installs.filter((line) => /\bmsw(?![@-])/.test(line.replaceAll(/@msw\/\S+/g, '')))).toEqual([]);
});
