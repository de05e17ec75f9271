// Whether a folder's node_modules is what its lockfile asks for. Node built-ins only.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * Compares the lockfile with npm's own record of what it last installed.
 * @param {string} folder The folder of a package-lock.json.
 */
export function installed(folder) {
  const record = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const present = packagesOf(record);
  return Object.entries(packagesOf(join(folder, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '') return true;
    const found = present[path];
    // Optional packages may be absent: most are the binaries of other platforms.
    return found ? found.version === wanted.version && found.integrity === wanted.integrity : wanted.optional === true;
  });
}
