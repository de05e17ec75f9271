// What the published packages bring along, read from the lockfile. Node built-ins only.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Installed A package as the lockfile has it.
 * @property {string} path Where it is installed: `node_modules/zod`.
 * @property {string} name
 * @property {string} version
 * @property {string} [license]
 * @property {string} [integrity]
 * @property {boolean} hasInstallScript
 * @property {string[]} needs Paths of what it depends on, optional parts included.
 * @property {string[]} mayNeed Those of `needs` that are optional.
 */

const nameIn = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The folder in which Node finds `name` from `path`. */
function resolve(packages, path, name) {
  for (let folder = path; ; ) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[candidate]) return packages[candidate].link ? packages[candidate].resolved : candidate;
    if (folder === '') return undefined;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1)).replace(/\/$/, '');
    if (!folder.includes('node_modules') && !packages[folder]) folder = '';
  }
}

/** What generators copy into a package's source: data, a stylesheet. */
const copied = { '@mkt/server': ['@picocss/pico', 'countries-list', 'currency-codes'] };

/**
 * What a package contains without depending on it. The command line is one bundle: tsup takes everything in that
 * `dependencies` does not name.
 */
function heldBy({ name, bin, exports, devDependencies = {} }) {
  const bundled = bin && !exports ? Object.keys(devDependencies).filter((each) => !each.startsWith('@types/')) : [];
  return [...bundled, ...(copied[name] ?? [])];
}

/** Reads the lockfile of the current folder. */
export function readLockfile() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const manifests = new Map(
    readdirSync('packages').map((folder) => [
      `packages/${folder}`,
      JSON.parse(readFileSync(join('packages', folder, 'package.json'), 'utf8')),
    ]),
  );

  /** @param {string} path @returns {Installed} */
  const installed = (path) => {
    const entry = packages[path];
    const manifest = manifests.get(path);
    const required = [...Object.keys(entry.dependencies ?? {}), ...(manifest ? heldBy(manifest) : [])];
    const pathsOf = (names) => names.flatMap((name) => resolve(packages, path, name) ?? []);
    const mayNeed = pathsOf(Object.keys(entry.optionalDependencies ?? {}));
    return {
      path,
      name: manifest?.name ?? entry.name ?? nameIn(path),
      version: entry.version,
      license: entry.license,
      integrity: entry.integrity,
      hasInstallScript: entry.hasInstallScript === true,
      needs: [...new Set([...pathsOf(required), ...mayNeed])].sort(),
      mayNeed,
    };
  };

  /**
   * A package and all that it brings along.
   * @param {readonly string[]} from Paths to begin at.
   * @param {{ optional?: boolean }} [options] Whether optional parts count; they do by default.
   * @returns {Installed[]} ordered by name
   */
  const reach = (from, { optional = true } = {}) => {
    const seen = new Map();
    const visit = (path) => {
      if (seen.has(path)) return;
      const found = installed(path);
      seen.set(path, found);
      for (const next of found.needs) if (optional || !found.mayNeed.includes(next)) visit(next);
    };
    for (const path of from) visit(path);
    return [...seen.values()].sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  };

  return { manifests, reach, pathOf: (from, name) => resolve(packages, from, name) };
}
