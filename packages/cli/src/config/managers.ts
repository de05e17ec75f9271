import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type Installation, projectOf } from '../io/installation.js';
import { quoted } from '../text/quoted.js';

/** What updates and removes an installation. */
export interface Manager {
  /** How the installation is called in a sentence. */
  readonly called: string;
  readonly update: string;
  readonly remove: string;
}

const newest = '@mkt/cli@latest';

const lockFiles = { pnpm: ['pnpm-lock.yaml'], yarn: ['yarn.lock'], bun: ['bun.lock', 'bun.lockb'] };

/** For a dependency, by the package manager whose lock file the project has. */
function ofProject(folder: string): Manager {
  const isThere = (file: string): boolean => existsSync(`${folder}/${file}`);
  const [manager = 'npm'] = Object.entries(lockFiles).find(([, files]) => files.some(isThere)) ?? [];
  const { devDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const kind = devDependencies?.['@mkt/cli'] === undefined ? '' : '-D ';
  const [add, remove] = manager === 'npm' ? ['install', 'uninstall'] : ['add', 'remove'];
  const run = `cd ${quoted(folder)} && ${manager}`;
  return {
    called: 'as a dependency of a project',
    update: `${run} ${add} ${kind}${newest}`,
    remove: `${run} ${remove} @mkt/cli`,
  };
}

/** @param program the file of mkt, without links */
export function managerOf(installed: Installation, program: string, arch: string): Manager {
  if (installed === 'project') return ofProject(projectOf(program));
  // packages/cli/dist/bin.cjs
  const clone = quoted(posix.resolve(program, '../../../..'));
  const onWindows = process.platform === 'win32';
  const managers: Readonly<Record<Exclude<Installation, 'project'>, readonly [string, string, string]>> = {
    archive: ['as an executable', 'mkt upgrade', onWindows ? `del "${program}"` : `rm ${quoted(program)}`],
    bun: ['with bun', `bun add -g ${newest}`, 'bun remove -g @mkt/cli'],
    deb: [
      'as a Debian package',
      `sudo apt-get install ./mkt_VERSION_${arch === 'x64' ? 'amd64' : arch}.deb`,
      'sudo apt-get remove mkt',
    ],
    homebrew: ['with Homebrew', 'brew upgrade mkt', 'brew uninstall mkt'],
    npm: ['with npm', `npm install -g ${newest}`, 'npm uninstall -g @mkt/cli'],
    npx: ['for this run only, by npx or a command like it', `npx ${newest}`, `rm -r ${quoted(projectOf(program))}`],
    pnpm: ['with pnpm', `pnpm add -g ${newest}`, 'pnpm remove -g @mkt/cli'],
    scoop: ['with Scoop', 'scoop update mkt', 'scoop uninstall mkt'],
    source: ['in a clone of the repository', `cd ${clone} && git pull && npm run build`, `rm -r ${clone}`],
    winget: ['with winget', 'winget upgrade mkt.mkt', 'winget uninstall mkt.mkt'],
    yarn: ['with yarn', `yarn global add ${newest}`, 'yarn global remove @mkt/cli'],
  };
  const [called, update, remove] = managers[installed];
  return { called, update, remove };
}
