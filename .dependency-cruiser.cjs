// Which way imports run: between the packages, inside each of them, and what browser code may reach.
const { readdirSync } = require('node:fs');
const { builtinModules } = require('node:module');

/** @param {...string} paths Files or folders under `packages/`, `src` left out. */
const sources = (...paths) =>
  paths.map((path) => {
    const [folder, ...rest] = path.split('/');
    return `^packages/${folder}/src/${rest.join('/')}`;
  });

/** The source file of every entry point that the packages export, as `{ subpath, file }`. */
const entryPoints = readdirSync('packages').flatMap((name) =>
  Object.entries(require(`./packages/${name}/package.json`).exports ?? {}).map(([subpath, target]) => ({
    subpath,
    file: `^packages/${name}/${target['mkt-source'].slice('./'.length).replaceAll('.', '\\.')}$`,
  })),
);

const nodeBuiltins = `^(node:)?(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`;
const databaseDrivers = '(^|node_modules/)(better-sqlite3|pg)(/|$)';

/** Inside a package: files in `from` do not import files in `to`. */
const downward = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: sources(...from) },
  to: { path: sources(...to) },
});

/** The SDK from the top down, its files and folders. What a layer imports is in it or further down this list. */
const sdkLayers = [
  'node/',
  'testing\\.ts$',
  '(index|once|query)\\.ts$',
  '(marketplace|each)\\.ts$',
  'clients/',
  '(pagination|iterate-pages|page)\\.ts$',
  'transport/',
  '(api-promise|connection-failure|errors|is-object|log|options|schema|unknown)\\.ts$',
  'contract/',
];

/** The CLI from the top down: its entry files, then its folders. */
const cliLayers = [
  '[^/]+\\.ts$',
  'root/',
  'commands/',
  'undo/',
  'declarations/',
  'changes/',
  'lists/',
  'fields/',
  'api/',
  'context/',
  'output/',
  'history/',
  'config/',
  'errors/',
  'text/',
  'io/',
];

/** Files of a layer import from it and from those below it, and each file has a layer. */
const layered = (folder, layers) => {
  const inside = (paths) => sources(...paths.map((path) => `${folder}/${path}`));
  return [
    ...layers.slice(1).map((layer, index) => ({
      name: `${folder}-imports-downward`,
      comment: `Imports inside a package go one way, down the list of ${folder}Layers.`,
      severity: 'error',
      from: { path: inside([layer]) },
      to: { path: inside(layers.slice(0, index + 1)) },
    })),
    {
      name: `${folder}-files-have-a-layer`,
      comment: `A new file or folder belongs in the list of ${folder}Layers.`,
      severity: 'error',
      from: { path: inside(['']), pathNot: inside(layers) },
      to: {},
    },
  ];
};

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules that need each other are one module, or lack a third that both need. Type imports count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      // An optional peer of the mock, which is installed only by a test.
      to: { couldNotResolve: true, pathNot: '^@msw/playwright$' },
    },

    // Between packages: cli -> mock-server, server -> sdk.
    ...[
      ['sdk', 'server|mock-server|cli'],
      ['server', 'mock-server|cli'],
      ['mock-server', 'cli'],
    ].map(([lower, upper]) => ({
      name: `${lower}-imports-downward`,
      comment: 'Packages import one way: cli -> mock-server, server -> sdk.',
      severity: 'error',
      from: { path: `^packages/${lower}/src/` },
      to: { path: `^packages/(${upper})/` },
    })),
    {
      name: 'packages-meet-at-their-entry-points',
      comment: 'Another package is used through its exports, as its users do.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|e2e|examples/[^/]+)/' },
      to: {
        path: '^packages/[^/]+/src/',
        pathNot: ['^$1/', ...entryPoints.map(({ file }) => file)],
      },
    },
    {
      name: 'source-does-not-import-tests',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: ['^packages/[^/]+/test/', '^e2e/', '^examples/', '^scripts/', '^bench/'] },
    },
    {
      name: 'nothing-imports-an-entry-point',
      comment:
        'An entry point gathers the public names; a module inside imports what it needs where it is. Only the Node entry imports the portable one, and the fakes of tests and `once`, so that all have the same classes.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: '^packages/[^/]+/src/(node/|(bin|once|testing)\\.ts$)' },
      to: { path: '^packages/$1/src/(index|bin)\\.ts$' },
    },

    ...layered('sdk', sdkLayers),
    ...layered('cli', cliLayers),

    // Inside the server: app -> web, http -> rules -> store (the interface) <- memory, SQLite, PostgreSQL.
    {
      name: 'server-rules-know-neither-http-nor-sql',
      comment: 'A rule is (context, input) => result. It sees the store through its interface.',
      severity: 'error',
      from: { path: sources('server/rules/') },
      to: {
        path: [
          ...sources('server/(http|web|node|seed)/', 'server/app\\.ts$', 'server/store/(memory\\.ts$|sql/)'),
          '(^|node_modules/)(hono|@hono/[^/]+)(/|$)',
          databaseDrivers,
        ],
      },
    },
    downward(
      'server-store-knows-only-rows',
      ['server/store/'],
      ['server/(rules|http|web|node|seed)/', 'server/app\\.ts$'],
      'A store keeps rows. What they mean is decided above it.',
    ),
    downward(
      'server-http-is-given-its-parts',
      ['server/http/', 'server/web/'],
      ['server/node/', 'server/app\\.ts$', 'server/store/(memory\\.ts$|sql/)'],
      'The app chooses the store; what answers requests takes what it is given.',
    ),
    {
      name: 'databases-stay-in-the-store',
      comment: 'Drivers belong to the store adapters and to the Node entry that chooses one.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: sources('server/store/', 'server/node/') },
      to: { path: databaseDrivers },
    },

    // Inside the mock: index, fetch, node -> control -> the server's hooks.
    downward(
      'controls-know-no-transport',
      ['mock-server/control/'],
      ['mock-server/(node|panel)/', 'mock-server/[^/]+\\.ts$'],
      'The control methods are the same in this process and over HTTP.',
    ),

    {
      name: 'cli-commands-do-not-import-each-other',
      comment: 'Code that two commands need belongs to declarations/, changes/, lists/ or below.',
      severity: 'error',
      from: { path: '^packages/cli/src/commands/([^/]+)/' },
      to: { path: '^packages/cli/src/commands/', pathNot: '^packages/cli/src/commands/$1/' },
    },

    // The CLI's bundle.
    {
      name: 'cli-lazy-code-is-our-own',
      comment:
        'In the split CommonJS bundle, `import()` of a CommonJS library gives only `default`. Put the lazy part into a module that imports the library statically, and `import()` that.',
      severity: 'error',
      from: { path: sources('cli/') },
      to: { dynamic: true, path: 'node_modules/', pathNot: 'node_modules/(better-sqlite3|@napi-rs/keyring)(/|$)' },
    },

    // What a browser must be able to run.
    ...entryPoints
      .filter(({ subpath }) => subpath !== './node' && subpath !== './sqlite')
      .map(({ file }) => ({
        name: 'browser-safe',
        comment: 'A browser runs everything this entry point reaches: no Node built-in, no database driver.',
        severity: 'error',
        from: { path: file },
        to: { reachable: true, path: [nodeBuiltins, databaseDrivers] },
      })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: ['^packages/[^/]+/dist/', '^e2e/packages/consumer/', '^e2e/stacks/', '^e2e/query-types/.*[.]mts$'],
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['mkt-source', 'types', 'import', 'require', 'default'],
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs', '.cjs', '.json'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
