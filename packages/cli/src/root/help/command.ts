import { type Command, type CommandNode, defineCommand } from '../../context/command.js';

const TOPICS = 'environment, exit-codes, formatting, scripting, config';

/** `commands` are all commands, this one included. */
export const helpCommand = (commands: () => readonly CommandNode[]): Command =>
  defineCommand({
    name: 'help',
    summary: `Show help for a command or a topic: ${TOPICS}`,
    args: [
      {
        name: 'topic',
        required: false,
        variadic: true,
        description: `A command in one or two words, or ${TOPICS}`,
        completes: { from: 'commands' },
      },
    ],
    flags: [{ name: 'all', kind: 'switch', description: 'Show all topics and commands' }],
    prints: null,
    examples: [{ line: 'mkt help scripting' }, { line: 'mkt help campaigns create' }, { line: 'mkt help --all' }],
    run: async (context, { args, flags }) => {
      const { allHelp, topicHelp } = await import('./run.js');
      if (flags.all === true) await context.print.write(await allHelp(commands(), context.io));
      else await topicHelp(commands(), context, args);
    },
  });
