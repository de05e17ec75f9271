import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type PluginBuild, transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { fromSource } from '../../scripts/lib/from-source.mjs';
import { conditions, library } from '../../tsup.base.js';

/** Native or wasm files that cannot live in a bundle; each is loaded only when it is needed. */
const external = ['better-sqlite3', '@napi-rs/keyring', 'jq-web', 'pg-native'];

/** `import()` as a plain `require`: just the ESM loader costs 3 to 7 ms at start-up. */
const supported = { 'dynamic-import': false };

/** Completion answers from data: there is no time to load the commands while a person waits for Tab. */
const completionData = {
  name: 'completion-data',
  setup({ onEnd, initialOptions }: PluginBuild) {
    onEnd(async () => {
      const file = join(import.meta.dirname, 'src/root/completion/spec.ts');
      const { makeSpec } = await fromSource<typeof import('./src/root/completion/spec.js')>(file);
      const folder = initialOptions.outdir ?? 'dist';
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'completion.json'), JSON.stringify(await makeSpec()));
    });
  },
};

const source = (path: string) => JSON.stringify(join(import.meta.dirname, 'src', path));

/** What every run of `main` has loaded. */
const loaded = ['root/run-command.ts'];
/** What a list loads in every format. */
const listPath = ['root/execute.ts', 'lists/list.ts', 'api/http/client.ts', 'api/http/node-fetch.ts'];
/** Loaded by help, which must not load the path of a list. */
const helpPath = /\/(field-flags|topics)\.ts$/;

/** commander loads child_process for commands that are programs of their own; mkt has none, and loading takes 2 ms. */
const commanderWithoutChildProcess = {
  name: 'commander-without-child-process',
  setup(build: PluginBuild) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'none', namespace: 'empty' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: '', loader: 'js' }));
  },
};

/**
 * Keeps the path of a list in one chunk. esbuild makes a chunk for each set of `import()`s that share a module, which
 * makes fifty small files; each costs half a millisecond. Here all of them share the path.
 */
const oneChunkForLists = {
  name: 'one-chunk-for-lists',
  setup(build: PluginBuild) {
    build.onResolve({ filter: /^(\.|@mkt\/|pg$|pino$)/ }, async ({ path, kind, importer, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const resolved = await build.resolve(path, { kind: 'import-statement', importer, resolveDir });
      return { path: resolved.path, namespace: 'lazy' };
    });
    build.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => {
      const shared = helpPath.test(path) ? loaded : [...loaded, ...listPath];
      return {
        contents: [
          ...shared.map((file) => `import ${source(file)};`),
          `export * from ${JSON.stringify(path)};`,
          ...(/node_modules/.test(path) ? [`export { default } from ${JSON.stringify(path)};`] : []),
        ].join('\n'),
        resolveDir: import.meta.dirname,
        loader: 'js',
      };
    });
  },
};

/** The library of `mkt mcp` uses all of zod. Its own copy keeps those 40 kB out of the chunk that lists load. */
const ownZodForMcp = {
  name: 'own-zod-for-mcp',
  setup(build: PluginBuild) {
    const suffix = '?mcp';
    build.onResolve({ filter: /^zod(\/|$)/ }, async ({ path, importer, resolveDir }) => {
      if (!/[\\/]@modelcontextprotocol[\\/]/.test(importer)) return undefined;
      const resolved = await build.resolve(path, { kind: 'import-statement', resolveDir });
      return { path: resolved.path, suffix, sideEffects: false };
    });
    // Its own files import each other.
    build.onResolve({ filter: /^\./ }, ({ path, importer, pluginData }) =>
      pluginData === suffix ? { path: join(dirname(importer), path), suffix, sideEffects: false } : undefined,
    );
    build.onLoad({ filter: /[\\/]zod[\\/]/ }, (given) =>
      given.suffix === suffix
        ? { contents: readFileSync(given.path, 'utf8'), loader: 'js', pluginData: suffix }
        : undefined,
    );
  },
};

/** The commit for `mkt version --json`; a release may be built without a repository. */
const commit = (): string | null =>
  process.env.MKT_COMMIT ?? (spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || null);

type Plugin = NonNullable<Options['plugins']>[number];
type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * esbuild makes the exports of a chunk twice: on an object of their own, then on `module.exports`. Making them once takes
 * less time, and so little memory that `mkt --help` ends before Node collects garbage, which takes 1.5 ms.
 */
const withExportsMadeOnce = (code: string): string =>
  code.replace(
    /var ([\w$]+)=\{\};([\w$]+)\(\1,(\{[^}]*\})\);module\.exports=[\w$]+\(\1\);/,
    'Object.defineProperty(module.exports,"__esModule",{value:!0});$2(module.exports,$3);',
  );

/**
 * Turns the chunks of an ESM build into CommonJS. esbuild splits ESM output only; tsup's own splitting for CommonJS
 * goes through sucrase, which reorders class fields against private ones.
 */
const chunksToCommonJs: Plugin = {
  name: 'chunks-to-commonjs',
  async renderChunk(code) {
    const url = code.includes('import.meta.url');
    const result = await transform(code, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minify: true,
      supported,
      ...(url && {
        define: { 'import.meta.url': 'importMetaUrl' },
        banner: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;',
      }),
    });
    return { code: withExportsMadeOnce(result.code) };
  },
};

/**
 * cli-table3 measures text with our own function: its string-width misjudges today's emoji, and compiling its pattern of
 * all emoji takes longer than the rest of a command. Colors are ours too, so its optional color library stays out.
 */
const tableLibraries: EsbuildPlugin = {
  name: 'table-libraries',
  setup(build) {
    build.onLoad({ filter: /[\\/]string-width[\\/]index\.js$/ }, () => ({
      contents: `module.exports = require(${JSON.stringify(resolve('src/text/width.ts'))}).widthOf;`,
      resolveDir: '.',
    }));
    build.onResolve({ filter: /^@colors\/colors/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: '' }));
  },
};

/** ky's own web classes: see ky-globals.ts. */
const kyGlobals: EsbuildPlugin = {
  name: 'ky-globals',
  setup(build) {
    build.onLoad({ filter: /[\\/]ky[\\/]distribution[\\/].*\.js$/ }, ({ path }) => ({
      contents: `import { globals } from ${JSON.stringify(resolve('src/api/http/ky-globals.ts'))};\n${readFileSync(path, 'utf8').replaceAll('globalThis', 'globals')}`,
    }));
  },
};

const shared = library({ platform: 'node', minify: true, sourcemap: false });

export default defineConfig([
  {
    // What runs first, and the only chunk for --version: the others are read only when they are asked for.
    ...shared,
    entry: {
      bin: 'src/bin.ts',
      complete: 'src/root/completion/answer.ts',
      keychain: 'src/config/keychain-child.ts',
    },
    format: ['cjs'],
    splitting: false,
    esbuildPlugins: [
      ...(shared.esbuildPlugins ?? []),
      completionData,
      {
        name: 'rest-stays-outside',
        setup(build) {
          build.onResolve({ filter: /^\.\/main\.js$/ }, () => ({ path: './main.cjs', external: true }));
          build.onResolve({ filter: /^\.\/root\/completion\/answer\.js$/ }, () => ({
            path: './complete.cjs',
            external: true,
          }));
          build.onResolve({ filter: /^\.\/config\/keychain-child\.js$/ }, () => ({
            path: './keychain.cjs',
            external: true,
          }));
        },
      },
    ],
    esbuildOptions(options) {
      options.conditions = conditions;
      options.supported = { ...options.supported, ...supported };
    },
  },
  {
    // Every `import()` becomes a chunk, read when a command needs it.
    // Lazy code is an own module that imports its libraries statically: `import()` of a CommonJS library gives only `default` here.
    ...shared,
    entry: { main: 'src/main.ts' },
    define: { COMMIT: JSON.stringify(commit()) },
    // Left as they are, so that commanderWithoutChildProcess sees the import.
    removeNodeProtocol: false,
    outExtension: () => ({ js: '.cjs' }),
    external,
    noExternal: [new RegExp(`^(?!(${external.join('|')}|node:.*)$)`)],
    plugins: [chunksToCommonJs],
    esbuildPlugins: [
      ...(shared.esbuildPlugins ?? []),
      tableLibraries,
      kyGlobals,
      ownZodForMcp,
      oneChunkForLists,
      commanderWithoutChildProcess,
    ],
    // Imported with ?raw, as vitest reads them.
    loader: { '.bash': 'text', '.zsh': 'text', '.fish': 'text', '.ps1': 'text', '.sql': 'text' },
    esbuildOptions(options) {
      options.conditions = conditions;
      options.chunkNames = 'chunks/[name]-[hash]';
    },
  },
]);
