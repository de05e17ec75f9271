import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { repository, version } from '../../../package.json';
import type { Context } from '../../context/context.js';
import { failure, toType } from '../../errors/cli-error.js';
import { type Installation, installation, programPath, projectOf } from '../../io/installation.js';
import { quoted } from '../../text/quoted.js';

const releases = `${repository.url.replace(/^git\+|\.git$/g, '')}/releases/latest`;
/** Until the first release, the address is an example. */
const isPublished = !/^https:\/\/([^/]+\.)?example\.(com|org|net)\//.test(releases);

/** How an installation is called in a sentence. */
const names: Readonly<Record<Installation, string>> = {
  archive: 'as an executable',
  bun: 'with bun',
  deb: 'as a Debian package',
  homebrew: 'with Homebrew',
  npm: 'with npm',
  npx: 'for this run only, by npx or a command like it',
  pnpm: 'with pnpm',
  project: 'as a dependency of a project',
  scoop: 'with Scoop',
  source: 'in a clone of the repository',
  winget: 'with winget',
  yarn: 'with yarn',
};

const newest = '@mkt/cli@latest';

/** The command for a dependency, of the package manager whose lock file the project has. */
function projectCommand(folder: string): string {
  const has = (...files: string[]): boolean => files.some((file) => existsSync(`${folder}/${file}`));
  const manager = has('pnpm-lock.yaml')
    ? 'pnpm'
    : has('yarn.lock')
      ? 'yarn'
      : has('bun.lock', 'bun.lockb')
        ? 'bun'
        : 'npm';
  const { devDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    devDependencies?: Record<string, string>;
  };
  const add = manager === 'npm' ? 'npm install' : `${manager} add`;
  return `cd ${quoted(folder)} && ${add} ${devDependencies?.['@mkt/cli'] === undefined ? '' : '-D '}${newest}`;
}

/** The command that updates an installation. @param program its file, without links */
export function upgradeCommand(installed: Installation, program: string, arch: string): string {
  const commands: Readonly<Record<Exclude<Installation, 'project' | 'source'>, string>> = {
    archive: 'mkt upgrade',
    bun: `bun add -g ${newest}`,
    deb: `sudo apt-get install ./mkt_VERSION_${arch === 'x64' ? 'amd64' : arch}.deb`,
    homebrew: 'brew upgrade mkt',
    npm: `npm install -g ${newest}`,
    npx: `npx ${newest}`,
    pnpm: `pnpm add -g ${newest}`,
    scoop: 'scoop update mkt',
    winget: 'winget upgrade mkt.mkt',
    yarn: `yarn global add ${newest}`,
  };
  if (installed === 'project') return projectCommand(projectOf(program));
  // packages/cli/dist/bin.cjs
  if (installed === 'source') return `cd ${quoted(posix.resolve(program, '../../../..'))} && git pull && npm run build`;
  return commands[installed];
}

interface Flags {
  readonly 'dry-run'?: boolean | undefined;
  readonly from?: string | undefined;
}

export async function upgrade(context: Context, { 'dry-run': dryRun = false, from }: Flags): Promise<void> {
  const { print, io } = context;
  const installed = installation();
  const program = programPath();
  const command = upgradeCommand(installed, program, process.arch);
  const show = async (fields: object, text: string): Promise<void> => {
    const about = { version, installed, command, releases, ...fields };
    if (context.asksForData) return print.row(about, { columns: [], fields: Object.keys(about) });
    await print.write(`${text}\n`);
  };
  const isWaiting = from === undefined && !isPublished;
  if (installed !== 'archive') {
    const steps =
      installed === 'deb'
        ? `Download the newest package from\n\n  ${releases}\n\nand install it:`
        : 'To update it, run:';
    if (isWaiting && installed !== 'source')
      context.note('mkt is not published yet, so the command finds nothing newer.');
    return show({}, `mkt ${version} was installed ${names[installed]}. ${steps}\n\n  ${command}`);
  }
  if (isWaiting)
    throw failure(
      'failed',
      `mkt ${version} cannot be updated: it is not published yet, and has no address to download from.`,
      toType('mkt upgrade --from https://HOST/FOLDER', 'If you have a folder with the files of a release'),
    );
  const { replaceExecutable } = await import('./replace.js');
  const found = await replaceExecutable({ program, version, from: from ?? `${releases}/download`, dryRun, io });
  const text = {
    newest: `mkt ${version} is the newest version.`,
    available: `mkt ${found.newest} is available; this is ${version}. To update ${program}, run:\n\n  ${command}`,
    upgraded: `Updated mkt ${version} to ${found.newest}: ${program}`,
  }[found.result];
  await show({ result: found.result, newest: found.newest }, text);
}
