import { posix, win32 } from 'node:path';
import { repository, version } from '../../../package.json';
import type { Context } from '../../context/context.js';
import { type Installation, installation, programPath } from '../../io/installation.js';
import { quoted } from '../../text/quoted.js';

const releases = `${repository.url.replace(/^git\+|\.git$/g, '')}/releases/latest`;

/** How an installation is called in a sentence. */
const names: Readonly<Record<Installation, string>> = {
  npm: 'with npm',
  archive: 'from an archive',
  deb: 'as a Debian package',
  source: 'in a clone of the repository',
};

/** Package managers that unpack the archive, by the folder that they do it in. */
const managers: readonly (readonly [folder: RegExp, command: string])[] = [
  [/\/Cellar\//, 'brew upgrade mkt'],
  [/\\scoop\\/i, 'scoop update mkt'],
  [/\\WinGet\\/i, 'winget upgrade mkt.mkt'],
];

function archiveCommand(program: string, platform: NodeJS.Platform): string {
  const manager = managers.find(([folder]) => folder.test(program));
  if (manager !== undefined) return manager[1];
  if (platform !== 'win32')
    return `curl -fsSL ${releases}/download/install.sh | sh -s -- --dir ${quoted(posix.dirname(program))}`;
  const folder = win32.dirname(program).replaceAll("'", "''");
  return `& ([scriptblock]::Create((irm ${releases}/download/install.ps1))) -Dir '${folder}'`;
}

/** The command that updates an installation. @param program its file, without links */
export function upgradeCommand(
  installed: Installation,
  program: string,
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>,
): string {
  if (installed === 'npm') return 'npm install -g @mkt/cli@latest';
  if (installed === 'deb') return `sudo apt-get install ./mkt_VERSION_${arch === 'x64' ? 'amd64' : arch}.deb`;
  // packages/cli/dist/bin.cjs
  if (installed === 'source') return `cd ${quoted(posix.resolve(program, '../../../..'))} && git pull && npm run build`;
  return archiveCommand(program, platform);
}

export async function upgrade(context: Context): Promise<void> {
  const { print, io } = context;
  const installed = installation();
  const command = upgradeCommand(installed, programPath(), { platform: io.platform, arch: process.arch });
  const about = { version, installed, command, releases };
  if (context.asksForData) return print.row(about, { columns: [], fields: Object.keys(about) });
  const steps =
    installed === 'deb' ? `Download the newest package from\n\n  ${releases}\n\nand install it:` : 'To update it, run:';
  await print.write(`mkt ${version} was installed ${names[installed]}. ${steps}\n\n  ${command}\n`);
}
