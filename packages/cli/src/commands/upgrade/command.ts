import { defineCommand } from '../../context/command.js';

export const upgrade = defineCommand({
  name: 'upgrade',
  summary: 'Print the command that updates mkt on this computer',
  notes: ['mkt itself starts and changes nothing. Run the command when it suits you.'],
  examples: [{ line: 'mkt upgrade' }, { line: 'mkt upgrade --jq .command' }],
  run: async (context) => (await import('./run.js')).upgrade(context),
});
