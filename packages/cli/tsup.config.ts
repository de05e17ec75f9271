import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { type PluginBuild, transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { fromSource } from '../../scripts/lib/from-source.mjs';
import { conditions, library } from '../../tsup.base.js';

type Plugin = NonNullable<Options['plugins']>[number];
type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** Native or wasm files that cannot live in a bundle, each loaded only when it is needed, and a library for colors, which are ours. */
const external = ['better-sqlite3', '@napi-rs/keyring', 'jq-web', 'pg-native', '@colors/colors/safe'];

/** `import()` as a plain `require`: just the ESM loader costs 3 to 7 ms at start-up. */
const supported = { 'dynamic-import': false };

/** Files of their own, by the import that leads to them; the path is that from the file that loads them. */
const ownFiles = new Map([
  ['./main.js', './main.cjs'],
  ['./root/completion/answer.js', './complete.cjs'],
  ['./config/keychain-child.js', './keychain.cjs'],
  // From a chunk.
  ['./protocol.js', '../protocol.cjs'],
  ['./document.js', '../openapi.cjs'],
  ['../../openapi/document.js', '../openapi.cjs'],
]);

const ownFilesStayOutside: EsbuildPlugin = {
  name: 'own-files-stay-outside',
  setup(build) {
    build.onResolve({ filter: /^\./ }, (given) => {
      const path = given.kind === 'entry-point' ? undefined : ownFiles.get(given.path);
      return path === undefined ? undefined : { path, external: true };
    });
  },
};

/** Completion answers from data: there is no time to load the commands while a person waits for Tab. */
const completionData: EsbuildPlugin = {
  name: 'completion-data',
  setup({ onEnd, initialOptions }) {
    onEnd(async () => {
      const file = join(import.meta.dirname, 'src/root/completion/spec.ts');
      const { makeSpec } = await fromSource<typeof import('./src/root/completion/spec.js')>(file);
      const folder = initialOptions.outdir ?? 'dist';
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'completion.json'), JSON.stringify(await makeSpec()));
    });
  },
};

/** A plugin for one library, which fails the build if it finds nothing to do there, because the library has changed. */
const forLibrary = (name: string, setup: (build: PluginBuild, found: () => void) => void): EsbuildPlugin => ({
  name,
  setup(build) {
    let isFound = false;
    setup(build, () => {
      isFound = true;
    });
    build.onEnd(() => (isFound ? undefined : { errors: [{ text: `${name} found nothing to replace.` }] }));
  },
});

/** commander loads child_process for commands that are programs of their own; mkt has none, and loading takes 2 ms. */
export const commanderWithoutChildProcess = forLibrary('commander-without-child-process', (build, found) => {
  build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) => {
    if (!/[\\/]commander[\\/]/.test(importer)) return undefined;
    found();
    return { path: 'none', namespace: 'empty' };
  });
  build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: '', loader: 'js' }));
});

/**
 * ky's own web classes: see ky-globals.ts. The only text that a build edits, because the first use of the built-in `Request`
 * takes 20 ms of processor time on Node 20 and 50 on Node 24, in each command that asks the service.
 */
export const kyGlobals = forLibrary('ky-globals', (build, found) => {
  build.onLoad({ filter: /[\\/]ky[\\/]distribution[\\/].*\.js$/ }, ({ path }) => {
    const text = readFileSync(path, 'utf8');
    if (text.includes('globalThis')) found();
    const globals = JSON.stringify(join(import.meta.dirname, 'src/api/http/ky-globals.ts'));
    return { contents: `import { globals } from ${globals};\n${text.replaceAll('globalThis', 'globals')}` };
  });
});

/** What every run of `main` loads, and what a list adds in every format. Help must not load the second. */
const runPath = ['root/run-command.ts'];
const listPath = ['root/execute.ts', 'lists/list.ts', 'api/http/client.ts', 'api/http/node-fetch.ts'];
const helpPath = /\/(field-flags|topics)\.ts$/;

/**
 * Keeps each of these paths in one chunk. esbuild makes a chunk for each set of `import()`s that share a module: fifty
 * small files, which take a list 10 % more processor time. Here all `import()`s share the paths.
 */
const oneChunkForPaths: EsbuildPlugin = {
  name: 'one-chunk-for-paths',
  setup(build) {
    build.onResolve({ filter: /^(\.|@mkt\/|pg$|pino$)/ }, async ({ path: given, kind, importer, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const resolved = await build.resolve(given, { kind: 'import-statement', importer, resolveDir });
      // The names of chunks contain the hash of such a path: it must be the same in every folder.
      const path = relative(import.meta.dirname, resolved.path)
        .split(sep)
        .join('/');
      return { path, namespace: 'lazy' };
    });
    build.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: [
        ...[...runPath, ...(helpPath.test(path) ? [] : listPath)].map((file) => `import './${file}';`),
        `export ${/node_modules/.test(path) ? '{ default }' : '*'} from ${JSON.stringify(resolve(import.meta.dirname, path))};`,
      ].join('\n'),
      resolveDir: join(import.meta.dirname, 'src'),
      loader: 'js',
    }));
  },
};

/** The commit for `mkt version --json`; a release may be built without a repository. */
const commit = (): string | null =>
  process.env.MKT_COMMIT ?? (spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || null);

/**
 * Turns the chunks of an ESM build into CommonJS. esbuild splits ESM output only; tsup's own splitting for CommonJS
 * goes through sucrase, which reorders class fields against private ones.
 */
const chunksToCommonJs: Plugin = {
  name: 'chunks-to-commonjs',
  renderChunk: (code) =>
    transform(code, { format: 'cjs', platform: 'node', target: 'node20', minify: true, supported }),
};

const shared = library({ platform: 'node', minify: true });
const sharedPlugins = [...(shared.esbuildPlugins ?? []), ownFilesStayOutside];

export default defineConfig([
  {
    // What runs first, and the only chunk for --version: the others are read only when they are asked for.
    ...shared,
    entry: {
      bin: 'src/bin.ts',
      complete: 'src/root/completion/answer.ts',
      keychain: 'src/config/keychain-child.ts',
      // They use more of zod: all of it, and JSON Schema. Copies of their own keep those 60 kB out of what lists load.
      protocol: 'src/commands/mcp/protocol.ts',
      openapi: '../server/src/openapi/document.ts',
    },
    format: ['cjs'],
    splitting: false,
    esbuildPlugins: [...sharedPlugins, completionData],
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
    define: {
      COMMIT: JSON.stringify(commit()),
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
    // Left as they are, so that commanderWithoutChildProcess sees the import.
    removeNodeProtocol: false,
    outExtension: () => ({ js: '.cjs' }),
    external,
    noExternal: [new RegExp(`^(?!(${external.join('|')}|node:.*)$)`)],
    plugins: [chunksToCommonJs],
    esbuildPlugins: [...sharedPlugins, kyGlobals, oneChunkForPaths, commanderWithoutChildProcess],
    // Imported with ?raw, as vitest reads them.
    loader: { '.bash': 'text', '.zsh': 'text', '.fish': 'text', '.ps1': 'text', '.sql': 'text' },
    esbuildOptions(options) {
      options.conditions = conditions;
      options.chunkNames = 'chunks/[name]-[hash]';
      // Its string-width misjudges today's emoji, and compiling its pattern of all emoji takes longer than a command.
      options.alias = { 'string-width': './src/text/table-width.cjs' };
    },
  },
]);
