import { type CommandNode, isGroup } from '../../context/command.js';

/** The one that a word means, by its name or an alias. */
export const named = <Named extends { name: string; aliases?: readonly string[] }>(
  all: readonly Named[],
  word: string | undefined,
): Named | undefined => all.find(({ name, aliases = [] }) => [name, ...aliases].includes(word ?? ''));

/**
 * What help is asked for by a line that is nothing but names and `--help`: none for `mkt`, a group for `mkt campaigns`.
 * Undefined for every other line: those are for the parser.
 */
export function helpPath(
  argv: readonly string[],
  commands: readonly CommandNode[],
): readonly CommandNode[] | undefined {
  if (argv[0] === 'help' && argv[1] === undefined) return [];
  if (argv[0] === 'help' && argv[1]?.startsWith('-') === false) return helpPath([...argv.slice(1), '--help'], commands);
  const asked = argv.at(-1) === '--help' || argv.at(-1) === '-h';
  const [first, second, ...rest] = asked ? argv.slice(0, -1) : argv;
  if (first === undefined) return [];
  const command = named(commands, first);
  if (command === undefined || rest.length > 0 || first === 'serve') return undefined;
  if (!isGroup(command)) return asked && second === undefined ? [command] : undefined;
  if (second === undefined) return [command];
  const leaf = named(command.commands, second);
  return asked && leaf !== undefined ? [command, leaf] : undefined;
}
