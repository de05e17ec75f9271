import { type Command, isGroup } from '../commands/command.js';
import { commands } from '../commands/index.js';
import type { Io } from '../io.js';
import { renderHelp } from './render.js';

/** Writes the help of the program, a group or a command on stdout. */
export async function writeHelp(path: readonly Command[], io: Io): Promise<void> {
  const last = path.at(-1);
  const details =
    last === undefined || isGroup(last)
      ? { flags: [], fields: [] }
      : await import('./details.js').then(({ detailsOf }) => detailsOf(last));
  const width = io.stdout.isTTY ? io.stdout.columns : 80;
  io.stdout.stream.write(renderHelp({ path, commands, details, width }));
}
