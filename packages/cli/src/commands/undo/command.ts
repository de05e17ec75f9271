import { defineCommand } from '../../context/command.js';

export const undo = defineCommand({
  name: 'undo',
  summary: 'Take back what a command of this machine changed',
  notes: [
    'Shows what would be changed and asks. A field goes back only if it still has the value that the command set; otherwise it is skipped and named. So is a state that was set again since. A draft that was deleted is created again; mkt says its new id, and older commands then use it.',
    'Publishing, submitting, revoking a token and deleting an organization cannot be undone. mkt says so, and what is closest.',
    'The next mkt undo takes back the command before. An undo is taken back by its number. If only a part could be undone (exit code 9), mkt undo NUMBER does the rest later. A command is undone only at the service that it changed. Of a command that was interrupted, mkt first asks the service what became of its last requests.',
  ],
  args: [
    {
      name: 'number',
      description: 'Number of the command in mkt undo --list; by default the last one that is not undone',
    },
  ],
  flags: [
    { name: 'list', kind: 'switch', description: 'List the commands that changed something, the latest last' },
    { name: 'dry-run', kind: 'switch', description: 'Show what would be done, and change nothing' },
  ],
  examples: [{ line: 'mkt undo --list --org 5' }, { line: 'mkt undo --list --json' }],
  run: async (context, invocation) => (await import('./run.js')).undo(context, invocation),
});
