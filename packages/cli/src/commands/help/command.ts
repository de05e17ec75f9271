import type { Command } from '../../context/command.js';

const TOPICS = 'environment, exit-codes, formatting, scripting, config';

/** Answered where the parser is: it needs the other commands, which a command does not know. */
export const help: Command = {
  name: 'help',
  summary: `Explain a command or a topic: ${TOPICS}`,
  args: [
    { name: 'topic', required: false, variadic: true, description: `A command in one or two words, or ${TOPICS}` },
  ],
  flags: [{ name: 'all', kind: 'switch', description: 'All topics and commands as one page' }],
  prints: null,
  examples: [{ line: 'mkt help scripting' }, { line: 'mkt help campaigns create' }, { line: 'mkt help --all' }],
  run: () => Promise.reject(new Error('help is answered before a command is loaded')),
};
