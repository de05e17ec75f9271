import type { Command } from '../../context/command.js';
import { openable } from './openable.js';

const names = Object.keys(openable);

export const open: Command = {
  name: 'open',
  summary: 'Open the service, or something in it, in the browser',
  notes: ['The address is printed first; without a terminal that is all that happens.'],
  args: [
    { name: 'noun', required: false, description: `One of ${names.join(', ')}`, completes: { choices: names } },
    {
      name: 'id',
      required: false,
      description: 'Id of one; without it the list is opened',
      completes: { listedOf: names.filter((name) => openable[name]?.ofOne) },
    },
  ],
  prints: null,
  examples: [{ line: 'mkt open' }, { line: 'mkt open campaigns 1 --org 5' }, { line: 'mkt open tokens' }],
  run: async (context, invocation) => (await import('./run.js')).open(context, invocation),
};
