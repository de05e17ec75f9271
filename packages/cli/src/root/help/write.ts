import { type CommandNode, isGroup } from '../../context/command.js';
import type { Io } from '../../io/io.js';
import { commands } from '../commands.js';
import { type HelpRequest, renderHelp } from './render.js';

/** Of the terminal; a page for people in a pipe. */
export const helpWidth = ({ stdout }: Io): number => Math.min(stdout.isTTY ? stdout.columns : 80, 100);

/** What stands behind the names: loaded for the command or the group in question alone. */
async function partsOf(last: CommandNode | undefined): Promise<Pick<HelpRequest, 'details' | 'more'>> {
  const details = { flags: [], fields: [] };
  if (last === undefined) return { details };
  if (!isGroup(last)) return { details: await (await import('./details.js')).detailsOf(last) };
  const { topicLines, topics } = await import('./topics.js');
  const topic = topics.find(({ name }) => name === last.name);
  return topic === undefined ? { details } : { details, more: (width) => topicLines(topic, width) };
}

/** Writes the help of the program, a group or a command on stdout. */
export async function writeHelp(path: readonly CommandNode[], io: Io): Promise<void> {
  const parts = await partsOf(path.at(-1));
  io.stdout.stream.write(renderHelp({ path, commands, width: helpWidth(io), ...parts }));
}
