import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { blocksOf, root } from './support/docs/blocks.js';
import { pages } from './support/docs/pages.js';
import { isTest, whole } from './support/docs/programs.js';
import { runTestFiles } from './support/docs/test-files.js';

vi.setConfig({ testTimeout: 240_000 });

const programs = pages.flatMap(({ path }) => blocksOf(path)).filter(({ language }) => language === 'ts');
const folder = join(root, 'e2e', `.docs-tests-${process.pid}`);
beforeAll(() => mkdir(folder));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('every program of the pages compiles, also those that are not run', () => {
  const files = new Map(
    programs.map((block, index) => [join(root, 'e2e', `program-${index}.ts`), `${whole(block)}\nexport {};`]),
  );
  const nameOf = new Map([...files.keys()].map((file, index) => [file, programs[index]]));
  const { config } = ts.readConfigFile(join(root, 'e2e/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'e2e'));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (path, language, ...rest) => {
    const source = files.get(path);
    return source === undefined ? getSourceFile(path, language, ...rest) : ts.createSourceFile(path, source, language);
  };
  host.fileExists = (path) => files.has(path) || fileExists(path);
  const program = ts.createProgram(
    [...files.keys()],
    {
      ...options,
      types: ['node', 'vitest/globals', 'vite/client'],
      // The declarations that readers get: to check our source again takes longer than all programs.
      customConditions: [],
      noEmit: true,
      noUnusedLocals: false,
      incremental: false,
    },
    host,
  );
  const problems = [...files.keys()].flatMap((path) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).flatMap(({ messageText, code, file }) => {
      const block = nameOf.get(file?.fileName ?? path);
      // What is not installed here, the page says so.
      if (block?.notRun !== undefined && [2307, 7006, 7031].includes(code)) return [];
      return [`${block?.page}:${block?.line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`];
    }),
  );
  expect(problems).toEqual([]);
});

test('every test file of the pages passes', async () => {
  const files = programs.filter((block) => block.notRun === undefined && isTest(block));
  expect(files.length).toBeGreaterThan(2);
  const results = await runTestFiles(folder, files);
  expect(results.size).toBe(files.length);
  const failed = [...results].filter(([, tests]) => tests.some((each) => !each.startsWith('passed: ')));
  expect(Object.fromEntries(failed)).toEqual({});
});

test('the hooks of the pages keep an unexpected request from failing the next test too', async () => {
  const hooks = programs.filter(
    ({ code }) => code.includes('afterEach(') && /(assertNoUnexpected|verifyAndReset)\(\)/.test(code),
  );
  expect(hooks.length).toBeGreaterThan(1);
  const tests = `const accept = { headers: { Accept: 'application/json' } };
test('first', () => mock.fetch('/nowhere.json', accept));
test('second', () => mock.fetch('/organizations.json', accept));`;
  const own = join(folder, 'hooks');
  await mkdir(own);
  const results = await runTestFiles(
    own,
    hooks.map((block) => ({ ...block, code: `${block.code}\n${tests}` })),
  );
  for (const [file, each] of results) {
    expect(
      each.filter((result) => /first|second/.test(result)),
      file,
    ).toEqual(['failed: first', 'passed: second']);
  }
});

test('runs all blocks except a few', () => {
  const blocks = pages.flatMap(({ path }) => blocksOf(path));
  expect(blocks.filter(({ notRun }) => notRun !== undefined).length).toBeLessThan(6);
});
