import { defineCommand } from '../../context/command.js';

export const undo = defineCommand({
  name: 'undo',
  summary: 'Take back what a command of this machine changed',
  notes: [
    'Shows what would be changed and asks. A field goes back only if it still has the value that the command set; otherwise it is skipped and named. A draft that was deleted is created again and gets a new id.',
    'Publishing, submitting, revoking a token and deleting an organization cannot be undone. mkt says so, and what is closest.',
    'An undo is a command too, and can be undone. If only a part could be undone (exit code 9), mkt undo NUMBER does the rest later. A command is undone only at the service that it changed.',
  ],
  args: [{ name: 'number', description: 'Number of the command in mkt undo --list; by default the last one' }],
  flags: [
    { name: 'list', kind: 'switch', description: 'List the commands that changed something, the latest last' },
    { name: 'dry-run', kind: 'switch', description: 'Show what would be done, and change nothing' },
  ],
  examples: [{ line: 'mkt undo --list --org 5' }, { line: 'mkt undo --list --json' }],
  run: async (context, invocation) => (await import('./run.js')).undo(context, invocation),
});
