import { repository, version } from '../../../package.json';
import { managerOf } from '../../config/managers.js';
import type { Context } from '../../context/context.js';
import { failure, toType } from '../../errors/cli-error.js';
import { installation, programPath } from '../../io/installation.js';

const releases = `${repository.url.replace(/^git\+|\.git$/g, '')}/releases/latest`;
/** Until the first release, the address is an example. */
const isPublished = !/^https:\/\/([^/]+\.)?example\.(com|org|net)\//.test(releases);

interface Flags {
  readonly 'dry-run'?: boolean | undefined;
  readonly from?: string | undefined;
}

export async function upgrade(context: Context, { 'dry-run': dryRun = false, from }: Flags): Promise<void> {
  const { print, io } = context;
  const installed = installation();
  const program = programPath();
  const { called, update: command } = managerOf(installed, program, process.arch);
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
    return show({}, `mkt ${version} was installed ${called}. ${steps}\n\n  ${command}`);
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
