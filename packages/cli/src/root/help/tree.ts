import { fieldNames } from '../../api/field-flags.js';
import { type Argument, type Command, type CommandNode, type Example, isGroup } from '../../context/command.js';
import { type Flag, globalFlags } from '../../context/flags.js';
import { exitCodeMeanings, toType, usageError } from '../../errors/cli-error.js';
import { flagsOf } from '../../fields/flags-of.js';
import { wrap } from '../../text/width.js';

/** Every command with the words that run it. */
export const linesOf = (commands: readonly CommandNode[]): readonly (readonly [path: string, Command])[] =>
  commands.flatMap((node) =>
    isGroup(node)
      ? node.commands().map((command) => [`${node.name} ${command.name}`, command] as const)
      : [[node.name, node] as const],
  );

const argumentData = ({ completes: _, required = false, variadic = false, ...data }: Argument) => ({
  ...data,
  required,
  variadic,
});

/** Without what only mkt itself needs. */
const flagData = ({ kind, completes: _, field: _field, filter: _filter, hidden: _hidden, ...data }: Flag) => ({
  ...data,
  type: kind,
});

/** Examples exit with 0 unless they say otherwise. */
const exampleData = ({ exit: exit_code, ...data }: Example) => ({
  ...data,
  ...(exit_code !== undefined && { exit_code }),
});

async function commandData([path, command]: readonly [string, Command]) {
  const { summary, aliases = [], args = [], notes = [], prints, examples, passThrough } = command;
  return {
    command: `mkt ${path}`,
    summary,
    ...(aliases.length > 0 && { aliases }),
    args: args.map(argumentData),
    flags: (await flagsOf(command)).filter(({ hidden }) => hidden !== true).map(flagData),
    ...(passThrough === true && { more_flags: `mkt ${path} --help` }),
    json_fields: prints ? fieldNames(prints) : [],
    notes,
    examples: examples.map(exampleData),
  };
}

/** The commands whose names start with `words`, as data for programs and AI assistants. */
export async function commandTree(commands: readonly CommandNode[], words: string) {
  const lines = linesOf(commands).filter(([path]) => `${path} `.startsWith(words === '' ? '' : `${words} `));
  if (lines.length === 0) throw usageError(`There is no command "${words}".`, toType('mkt commands'));
  return {
    commands: await Promise.all(lines.map(commandData)),
    global_flags: globalFlags.map(flagData),
    exit_codes: Object.fromEntries(exitCodeMeanings),
  };
}

const NAME_WIDTH = 32;

/** The same as a list for people, with summaries wrapped within `width` columns. */
export const treeText = ({ commands }: Awaited<ReturnType<typeof commandTree>>, width: number): string =>
  commands
    .map(({ command, summary }) => {
      const lines = wrap(summary, width - NAME_WIDTH);
      return `${command.padEnd(NAME_WIDTH)}${lines.join(`\n${' '.repeat(NAME_WIDTH)}`)}\n`;
    })
    .join('');
