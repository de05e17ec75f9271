import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { configDefaults, defineConfig } from 'vitest/config';
import { workedExample } from './e2e/support/worked-example.js';
import { viteBundledAssets } from './scripts/lib/bundled-assets.mjs';

/**
 * The private export condition that makes `@mkt/*` imports read source instead of `dist`. `ssr` serves tests in the node
 * environment, `resolve` those in a DOM environment (happy-dom).
 */
const fromSource = {
  extends: true as const,
  resolve: { conditions: ['mkt-source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['mkt-source', ...defaultServerConditions] } },
};

const tested = (name: string) => `${name}.test.ts`;
const inTest = (name: string) => `test/${tested(name)}`;

const soak = 'e2e/soak.test.ts';
/** Runs on the sources with worked examples of CONTRIBUTING.md. */
const workedExamples = ['e2e/nested-list.test.ts', 'e2e/counter.test.ts'];

/**
 * CI runs on a second version of Node what that can change. Not a mode of vitest: each has its own cache of transformed sources.
 */
const isSecond = process.env.TEST_SECOND === '1';

/** What a second version of Node does not change: browsers, examples, rules, pages, types, tools. */
const onOneNode = [
  'browser/**',
  ...['chaos-cli', 'contributing', 'docs*', 'examples-*', 'install', 'messages-as-data', 'packages'].map(tested),
  ...['parity', 'supply-chain', 'tooling'].map(tested),
].map((path) => `e2e/${path}`);

const packages = ['sdk', 'server', 'mock-server', 'cli'];

/** One real PostgreSQL for the run, started when a test first asks for it, and one build of `mkt-server`. */
const setups: Readonly<Record<string, string[]>> = {
  server: ['test/support/postgres-server.ts', 'test/support/build-command.ts'],
  'mock-server': ['../server/test/support/postgres-server.ts'],
};

/** Tests that do not run on the build once more, and why. */
const onlyFromSource: Readonly<Record<string, string>> = {
  'test/fields.test.ts': 'private',
  'test/leaks.test.ts': 'slow',
  'test/mistakes.test.ts': 'types',
  'test/node-storage.test.ts': 'private',
};

/** Tests of commands that run as the built program too: those of the first list on each Node. */
const builtOnEachNode = ['import', 'jq-formats'];
const builtSample = [...builtOnEachNode, 'import-check'];

/** Tests of packages on what Node does: files, sockets, processes, terminals, SQLite. The others are about what is said and sent. */
const ofNode: Readonly<Record<string, readonly string[]>> = {
  cli: [
    ...['cache', 'demo-process', 'doctor-network', 'environment', 'failures', 'history-damaged', 'history-process'],
    ...['http-client', 'import-lost-responses', 'import-process', 'keychain', 'lists', 'mcp-session', 'open'],
    ...['output-files', 'progress', 'proxy', 'sign-in', 'terminal', 'uninstall', 'upgrade', 'version'],
  ],
  server: [
    ...['attacks', 'batch-writes', 'body-budget', 'body-limits', 'compression', 'connections', 'draining', 'etag'],
    ...['early-responses', 'host', 'http', 'page-reader', 'postgres-tls', 'serve', 'serve-errors'],
    ...['sockets', 'storage-failures', 'store-rows', 'store-sqlite', 'store-transactions', 'tracing'],
  ],
};

/** Measures the process that it runs in, so it has one of its own, after everything else: `event-loop`. */
const measuring = inTest('loop-delay');

/** Tests of the mock on its verbs and its state. */
const notOfNodeInMock = ['control-*', 'namespaces', 'simulation', 'strict'];

/** The tests of a package on its source. On a second Node, those that run on the build do not run here. */
function onSource(name: string) {
  if (!isSecond) return { include: ['test/**/*.test.{ts,tsx}'] };
  return { include: ofNode[name]?.map(inTest) ?? Object.keys(onlyFromSource) };
}

/** Projects that extend this configuration evaluate it again, in a mode of their own. */
function isLong(mode: string): boolean {
  if (mode === 'long') process.env.TEST_LONG = '1';
  return process.env.TEST_LONG === '1';
}

export default defineConfig(({ mode }) => ({
  plugins: [viteBundledAssets()],
  test: {
    // On two cores vitest's own choice is one worker, and most tests wait: for sockets, processes, a browser. With four, the
    // same tests need more CPU time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Loading the modules again for each file takes longer than most files. Test files share only these modules.
    isolate: false,
    // Three workers on two cores wait for their threads that collect garbage: 5 % of their CPU time.
    execArgv: ['--single-threaded-gc'],
    // To transform the sources for each project is a tenth of a run; a second run reads them from `node_modules`.
    experimental: { fsModuleCache: true },
    // Catches hangs; it does not measure speed, because machines that run this are busy.
    testTimeout: isLong(mode) ? 900_000 : 30_000,
    hookTimeout: isLong(mode) ? 900_000 : 60_000,
    // Commands show times in the local time zone. TEST_LONG, of `npm run test:long`, has generated tests try many more cases.
    env: { TZ: 'UTC', ...(mode === 'long' && { TEST_LONG: '1' }) },
    tags: [{ name: 'long', description: 'Too slow for every run: only in `npm run test:long`.' }],
    ...(!isLong(mode) && { tagsFilter: ['!long'] }),
    projects: [
      ...packages.map((name) => ({
        ...fromSource,
        test: {
          name,
          root: `packages/${name}`,
          ...onSource(name),
          exclude: [...configDefaults.exclude, measuring],
          globalSetup: setups[name] ?? [],
          setupFiles: name === 'cli' ? ['test/support/table-width.ts'] : [],
        },
      })),
      // The built program: a sample of the tests of commands, all of them in `npm run test:long`.
      {
        ...fromSource,
        test: {
          name: 'cli-dist',
          root: 'packages/cli',
          include: mode === 'long' ? ['test/**/*.test.ts'] : (isSecond ? builtOnEachNode : builtSample).map(inTest),
          env: { MKT_TEST_BUILT: 'dist' },
          globalSetup: ['../../scripts/lib/fresh-builds.mjs'],
          setupFiles: ['test/support/table-width.ts'],
        },
      },
      // The executable with its own Node, which has faults of its own.
      ...(mode === 'long'
        ? [
            {
              ...fromSource,
              test: {
                name: 'cli-executable',
                root: 'packages/cli',
                include: ['test/**/*.test.ts'],
                // It is about the program; more generated cases run on the source.
                env: { MKT_TEST_BUILT: join(import.meta.dirname, 'tools/release/build/tested'), TEST_LONG: '' },
                globalSetup: ['../../scripts/lib/fresh-builds.mjs', '../../tools/release/tested-executable.mjs'],
                setupFiles: ['test/support/table-width.ts'],
              },
            },
          ]
        : []),
      // What is published: the same tests import the packages from `dist`.
      ...['sdk', 'mock-server'].map((name) => ({
        extends: true as const,
        test: {
          name: `${name}-dist`,
          root: `packages/${name}`,
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [
            ...configDefaults.exclude,
            ...Object.keys(onlyFromSource),
            ...(isSecond && name === 'mock-server' ? notOfNodeInMock.map(inTest) : []),
          ],
          globalSetup: ['../../scripts/lib/fresh-builds.mjs', ...(setups[name] ?? [])],
          setupFiles: ['../../scripts/lib/resolved-builds.mjs'],
        },
      })),
      {
        ...fromSource,
        test: {
          name: 'event-loop',
          root: 'packages/server',
          include: [measuring],
          isolate: true,
          sequence: { groupOrder: 1 },
          globalSetup: ['test/support/postgres-server.ts'],
        },
      },
      {
        ...fromSource,
        plugins: [workedExample('Add a field', 'Add a list below an item', 'Add a counter')],
        test: {
          name: 'nested-list',
          include: isSecond ? [] : workedExamples,
          isolate: true,
          globalSetup: ['packages/server/test/support/postgres-server.ts'],
        },
      },
      {
        ...fromSource,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.{ts,tsx}', 'examples/*/test/**/*.test.ts'],
          // The site needs a second `npm ci`, stacks and runtimes one each: CI runs their tests as steps of their own.
          // Lighthouse and the tools of a release are installed by their tests.
          exclude: [
            ...configDefaults.exclude,
            soak,
            ...(mode === 'long'
              ? []
              : [
                  ...['e2e/docs-site.test.ts', 'e2e/browser/web-lighthouse.test.ts', 'e2e/stacks.test.ts'],
                  'e2e/openapi-contract.test.ts',
                  'e2e/release*.test.ts',
                  'e2e/agents.test.ts',
                ]),
            ...(mode === 'runtimes' ? [] : ['e2e/runtimes.test.ts']),
            ...workedExamples,
            ...(isSecond ? onOneNode : []),
          ],
          globalSetup: ['packages/server/test/support/postgres-server.ts', 'e2e/browser/chromium-server.ts'],
        },
      },
      // After everything else, so that it measures only the server.
      { ...fromSource, test: { name: 'soak', include: [soak], sequence: { groupOrder: 2 } } },
    ],
    coverage: { provider: 'v8', include: ['packages/*/src/**/*.{ts,tsx}'] },
  },
}));
