// Other versions of Node. Each comes from npm's registry, where every release is a package, and stays in a cache folder.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './npm.mjs';

const cache = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache/mkt-node');
const system = process.platform === 'win32' ? 'win' : process.platform;
const name = `node-${system}-${process.arch}`;
const program = (folder) => resolve(folder, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node');

/** The Node of a major version that was installed earlier; undefined where there is none. */
export function installedNode(major) {
  const file = program(join(cache, major));
  return existsSync(file) ? file : undefined;
}

/** The newest release of a major version; installed first where it is missing, undefined where npm fails, which npm reports. */
export function installNode(major) {
  const installed = installedNode(major);
  if (installed) return installed;
  npm(['install', `${name}@${major}`, '--prefix', join(cache, major), '--ignore-scripts', '--no-save']);
  return installedNode(major);
}
