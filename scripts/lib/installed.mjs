// Folders with a lockfile of their own: `node scripts/lib/installed.mjs <folder>` installs one. Node built-ins only.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.mjs';

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * Whether a folder's node_modules is what its lockfile asks for, by npm's own record of what it last installed.
 * @param {string} folder The folder of a package-lock.json.
 */
export function installed(folder) {
  const record = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const present = packagesOf(record);
  return Object.entries(packagesOf(join(folder, 'package-lock.json'))).every(([path, wanted]) => {
    // The root and the workspaces: their versions say nothing about what is installed.
    if (!path.includes('node_modules/')) return true;
    const found = present[path];
    // Optional packages may be absent: most are the binaries of other platforms.
    return found ? found.version === wanted.version && found.integrity === wanted.integrity : wanted.optional === true;
  });
}

/** Installs what only one tool needs, from the lockfile of its folder. Ends the process if npm fails. */
export function installOnce(folder) {
  if (installed(folder)) return;
  process.stderr.write(`Installing what ${folder} needs (once) ...\n`);
  if (npm(['ci', '--ignore-scripts', '--prefix', folder]).status === 0) return;
  process.stderr.write(`error: npm ci in ${folder} failed; its own message is above.\n`);
  process.exit(1);
}

if (process.argv[1] === import.meta.filename) installOnce(process.argv[2]);
