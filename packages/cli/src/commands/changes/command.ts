import { defineCommand } from '../../context/command.js';
import { PAST_TIMES } from '../../fields/past-time.js';
import { inOrganizations } from '../../lists/definitions.js';

export const changes = defineCommand({
  name: 'changes',
  summary: 'Show what changed, and whether this machine did it',
  notes: [
    'Shows what the history has recorded: what mkt has changed here, and what mkt watch and other readings of whole lists have found. A change made elsewhere has the time at which it was found. Counters such as views, what follows from other fields, and times next to a change of state are left out.',
    'In csv, tsv and xlsx, before and after are JSON.',
  ],
  args: [
    {
      name: 'resource',
      description: 'campaigns or collabs; by default everything that was recorded',
      completes: { choices: ['campaigns', 'collabs', 'members', 'organizations'] },
    },
    { name: 'id', description: 'Id or name of one of them', completes: { listedOf: ['campaigns', 'collabs'] } },
  ],
  flags: [
    { name: 'since', kind: 'text', value: 'TIME', description: `Since ${PAST_TIMES} (default: 7d)` },
    {
      name: 'field',
      kind: 'text',
      value: 'NAME',
      repeatable: true,
      description: 'Only changes of this field; repeat for others',
    },
    { name: 'all-fields', kind: 'switch', description: 'Also counters, and what follows from other fields' },
    {
      name: 'made-by',
      kind: 'text',
      value: 'WHO',
      choices: ['me', 'elsewhere'],
      description: 'Only changes that mkt made here, or only the others',
    },
  ],
  examples: [
    { line: 'mkt changes --org 5' },
    { line: 'mkt changes campaigns --org 5 --since yesterday --made-by elsewhere' },
    { line: 'mkt changes campaigns 3 --org 5 --field used_amount --json' },
  ],
  run: async (context, invocation) => {
    const { showChanges } = await import('./run.js');
    await inOrganizations(context, { done: 'Read the changes of' }, (each) => showChanges(each, invocation));
  },
});
