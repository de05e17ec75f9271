// Makes the dependencies fit the lockfile and this Node, or does nothing in a few milliseconds. Node built-ins only:
// it runs before anything is installed. `--ignore-scripts` leaves native modules unbuilt, for what needs none of them.
// `--build` builds the packages and `--types` checks types, too, while the compiler of native modules works on one core.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from './lib/installed.mjs';
import { chooseSqlite, unbuilt } from './lib/native.mjs';
import { npm } from './lib/npm.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const withoutScripts = process.argv.includes('--ignore-scripts');

const say = (text) => process.stderr.write(`${text}\n`);
const stop = (text) => {
  say(`error: ${text}`);
  process.exit(1);
};

const running = process.versions.node;
const [major, minor] = running.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12))
  stop(`Node 20.19+ or 22.12+ is needed, this is ${running}. Install one from https://nodejs.org and try again.`);

if (!installed('.')) {
  say('Installing dependencies (15 to 60 seconds, once) ...');
  if (npm(['ci', '--ignore-scripts']).status !== 0) {
    stop('npm ci failed; its own message is above. If package-lock.json does not fit package.json, run `npm install`.');
  }
}

const jobs = [
  ...(process.argv.includes('--build') ? [['scripts/build.mjs']] : []),
  ...(process.argv.includes('--types') ? [['node_modules/typescript/bin/tsc', '-b']] : []),
].map((args) => once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit'));

if (!withoutScripts) {
  if (!chooseSqlite()) stop('better-sqlite3 for this Node could not be installed; npm says why above.');
  const waiting = unbuilt();
  if (waiting.length > 0) {
    say(`Building ${waiting.join(', ')} for Node ${process.versions.node} (up to a minute, once) ...`);
    npm(['rebuild', ...waiting]);
    const still = unbuilt();
    if (still.length > 0) {
      const missing = [['c++', 'g++', 'clang++', 'cl'], ['make'], ['python3', 'python']].filter(
        (names) => !names.some((name) => spawnSync(name, ['--version']).error === undefined),
      );
      stop(
        `${still.join(', ')} could not be built. ${
          missing.length > 0
            ? `Not installed: ${missing.map(([name]) => name).join(', ')} (Debian: apt-get install build-essential python3).`
            : 'The compiler is there; npm downloads a built file from github.com or the headers of Node from nodejs.org, so check the network and the proxy.'
        }`,
      );
    }
  }
}

for (const [code] of await Promise.all(jobs)) process.exitCode ||= code ?? 1;
