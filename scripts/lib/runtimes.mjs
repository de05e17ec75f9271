// Releases of Node, Deno, Bun and workerd. Each is a package of npm's registry; it is installed on first use and stays in a
// cache folder.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { npm } from './npm.mjs';

const cache = resolve(import.meta.dirname, '../../node_modules/.cache/mkt-runtimes');

/**
 * The program of a runtime that was installed earlier; undefined if there is none.
 * @param {string} release Name and version: `node@22`, `deno@2`.
 */
export function installedRuntime(release) {
  const program = join(cache, release, 'node_modules/.bin', release.split('@')[0]);
  return existsSync(program) ? program : undefined;
}

/** The same, installed if it is missing; undefined if npm fails, which npm reports. */
export function installRuntime(release) {
  const found = installedRuntime(release);
  if (found) return found;
  // Node's own package would download this one in an install script. The others choose the program of the platform in theirs.
  const name = release.replace(/^node@/, `node-${process.platform}-${process.arch}@`);
  const folder = join(cache, release);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ allowScripts: { bun: true, deno: true, workerd: true } }),
  );
  npm(['install', name, '--prefix', folder, '--no-save']);
  return installedRuntime(release);
}

/** The same; throws if npm fails. */
export function programOf(release) {
  const program = installRuntime(release);
  if (!program) throw new Error(`${release} could not be installed from npm.`);
  return program;
}
