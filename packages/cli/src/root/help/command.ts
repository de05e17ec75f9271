import { type Command, type CommandNode, defineCommand } from '../../context/command.js';
import { toType, usageError } from '../../errors/cli-error.js';

const TOPICS = 'environment, exit-codes, formatting, scripting, config, agents';

/** `commands` are all commands, this one included. */
export const helpCommand = (commands: () => readonly CommandNode[]): Command =>
  defineCommand({
    name: 'help',
    output: [],
    summary: `Show help for a command or a topic: ${TOPICS}`,
    args: [
      {
        name: 'topic',
        variadic: true,
        description: `A command in one or two words, or ${TOPICS}`,
        completes: { from: 'commands' },
      },
    ],
    flags: [{ name: 'skill', kind: 'switch', description: 'With agents: write the page as a skill, ./mkt/SKILL.md' }],
    examples: [{ line: 'mkt help scripting' }, { line: 'mkt help campaigns create' }],
    run: async (context, { args, flags }) => {
      if (flags.skill === true && args.join(' ') !== 'agents')
        throw usageError('--skill works only with agents.', toType('mkt help agents --skill'));
      const { topicHelp, writeSkill } = await import('./run.js');
      if (flags.skill === true) writeSkill(context, commands());
      else await topicHelp(commands(), context, args);
    },
  });

/** `commands` are all commands, this one included. */
export const commandsCommand = (commands: () => readonly CommandNode[]): Command =>
  defineCommand({
    name: 'commands',
    summary: 'List every command; with --json also arguments, flags, types and examples',
    args: [
      {
        name: 'words',
        variadic: true,
        description: 'Only commands that start with these words, such as campaigns',
        completes: { from: 'commands' },
      },
    ],
    examples: [
      { line: 'mkt commands' },
      { line: 'mkt commands campaigns update --json' },
      { line: "mkt commands --jq '.commands[].command'" },
    ],
    run: async ({ print, io }, { args }) => {
      const { commandTree, treeText } = await import('./tree.js');
      const tree = await commandTree(commands(), args.join(' '));
      const width = io.stdout.isTTY ? io.stdout.columns : Number.POSITIVE_INFINITY;
      if (print.isText) await print.write(treeText(tree, width));
      else await print.row(tree, { columns: [], fields: Object.keys(tree) });
    },
  });
