import type { Group, Leaf } from '../../context/command.js';
import {
  actionOn,
  byCountry,
  byName,
  draftsNote,
  filterNote,
  listFlags,
  manyIds,
  oneId,
} from '../../context/shared.js';

const runs = () => import('./run.js');

const action = (name: 'publish' | 'pause' | 'resume', summary: string, ids: readonly [string, string]): Leaf =>
  actionOn('campaign', { name, summary, ids, load: async () => (await runs())[name] });

export const campaigns: Group = {
  name: 'campaigns',
  summary: 'Budgeted creator programs',
  leaves: [
    {
      name: 'list',
      summary: 'List campaigns',
      notes: [filterNote, draftsNote],
      flags: [
        {
          name: 'status',
          kind: 'list',
          value: 'STATUS',
          description: 'Only draft, active, paused or finished; several with commas',
          filter: { field: 'status', match: 'equals' },
        },
        byName,
        byCountry,
        {
          name: 'platform',
          kind: 'list',
          value: 'ID',
          description: 'Only those on a platform',
          filter: { field: 'platform_ids', match: 'equals' },
        },
        ...listFlags,
      ],
      prints: 'campaignListItem',
      examples: [
        { line: 'mkt campaigns list --org 5' },
        { line: 'mkt campaigns list --org 5 --status paused', about: 'Filtered' },
        { line: 'mkt campaigns list --org 5 --sort -view_count --limit 5', about: 'The five most viewed' },
        { line: 'mkt campaigns list --org 5 --all --format csv', about: 'For a spreadsheet' },
        { line: "mkt campaigns list --org 5 --all --jq '[.[].view_count] | add'", about: 'Computed with jq' },
      ],
      load: async () => (await runs()).list,
    },
    {
      name: 'show',
      summary: 'Show one campaign, its brief included',
      args: oneId('campaign'),
      prints: 'campaign',
      examples: [
        { line: 'mkt campaigns show 1 --org 5' },
        { line: 'mkt campaigns show 1 --org 5 --json --fields name,brief' },
      ],
      load: async () => (await runs()).show,
    },
    {
      name: 'create',
      summary: 'Create a campaign, as a draft',
      notes: ['Amounts are integers in the unit of the service; nothing is scaled.'],
      fields: { schema: 'campaignFields', partial: false },
      prints: 'campaign',
      examples: [
        { line: "mkt campaigns create --org 5 --name 'Autumn glow'" },
        {
          line: "mkt campaigns create --org 5 --name 'Autumn glow' --countries US,GB --platform-ids tiktok --cpm-amount 700",
        },
      ],
      load: async () => (await runs()).create,
    },
    {
      name: 'update',
      summary: 'Change fields of a campaign',
      notes: [
        'After publication the amounts and the currency are fixed.',
        'The status is changed with publish, pause and resume.',
      ],
      args: oneId('campaign'),
      fields: { schema: 'campaignChanges', partial: true },
      prints: 'campaign',
      examples: [
        { line: "mkt campaigns update 1 --org 5 --name 'Summer UGC, second wave'" },
        { line: 'mkt campaigns update 1 --org 5 --countries US,CA,GB --cpm-amount 650' },
      ],
      load: async () => (await runs()).update,
    },
    {
      name: 'delete',
      summary: 'Delete drafts that were never funded',
      args: manyIds('campaign'),
      examples: [
        { line: 'mkt campaigns delete 10 --org 5 --yes' },
        { line: 'mkt campaigns delete 20 30 --org 5 --yes', about: 'Several at once' },
      ],
      load: async () => (await runs()).remove,
    },
    {
      ...action('publish', 'Publish drafts: they become active', ['1', '10 20']),
      notes: ['A published campaign cannot become a draft again, and its amounts are fixed.'],
    },
    action('pause', 'Pause active campaigns', ['3', '6 7']),
    action('resume', 'Resume paused campaigns', ['4', '14 24']),
  ],
};
