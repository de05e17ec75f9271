// How this repository's scripts call npm: the npm that runs them, else the one on the PATH. Node built-ins only.
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';

const running = process.env.npm_execpath;
const own = running !== undefined && /^npm(-cli)?\.c?js$/.test(basename(running));

/**
 * Runs npm in the current folder.
 * @param {string[]} args What follows `npm`. Never user input: on Windows they may go through a shell.
 * @param {import('node:child_process').SpawnSyncOptions} [options] By default only npm's errors are shown.
 */
export function npm(args, options = { stdio: ['ignore', 'ignore', 'inherit'] }) {
  const [command, first] = own ? [process.execPath, [running]] : ['npm', []];
  return spawnSync(command, [...first, ...args, '--loglevel=error', '--no-audit', '--no-fund'], {
    encoding: 'utf8',
    shell: !own && process.platform === 'win32',
    ...options,
  });
}
