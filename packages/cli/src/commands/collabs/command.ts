import type { Flag, Group, Leaf } from '../../context/command.js';
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

const state: Flag = {
  name: 'state',
  kind: 'list',
  value: 'STATE',
  description: 'Only draft, submitted_for_review, published or paused; several with commas',
  filter: { field: 'state', match: 'equals' },
};

const action = (name: 'submit' | 'pause' | 'unpause', summary: string, ids: readonly [string, string]): Leaf =>
  actionOn('collab', { name, summary, ids, load: async () => (await runs())[name] });

export const collabs: Group = {
  name: 'collabs',
  summary: 'Briefs that creators apply to',
  leaves: [
    {
      name: 'list',
      summary: 'List collabs',
      notes: [filterNote, draftsNote],
      flags: [state, { ...state, name: 'status', hidden: true }, byName, byCountry, ...listFlags],
      prints: 'collabListItem',
      examples: [
        { line: 'mkt collabs list --org 5' },
        { line: 'mkt collabs list --org 5 --state paused,draft', about: 'Filtered' },
        { line: 'mkt collabs list --org 5 --sort -submissions_count --limit 3' },
      ],
      load: async () => (await runs()).list,
    },
    {
      name: 'show',
      summary: 'Show one collab, its brief included',
      args: oneId('collab'),
      prints: 'collab',
      examples: [{ line: 'mkt collabs show 3 --org 5' }, { line: 'mkt collabs show 3 --org 5 --format yaml' }],
      load: async () => (await runs()).show,
    },
    {
      name: 'create',
      summary: 'Create a collab, as a draft',
      notes: ["What is left out comes from the organization's defaults."],
      fields: { schema: 'collabFields', partial: false },
      flags: [
        {
          name: 'from-page',
          kind: 'text',
          value: 'URL',
          description: 'Fill the draft from a product page, which the service reads',
        },
      ],
      prints: 'collab',
      examples: [
        { line: "mkt collabs create --org 5 --name 'Lipstick unboxing' --requires-product-shipment" },
        {
          line: "mkt collabs create --org 5 --name 'Glow serum' --brief '<p>Show your <b>morning</b> routine.</p>' --countries US",
        },
      ],
      load: async () => (await runs()).create,
    },
    {
      name: 'update',
      summary: 'Change fields of a collab',
      notes: ['The state is changed with submit, pause and unpause.'],
      args: oneId('collab'),
      fields: { schema: 'collabFields', partial: true },
      prints: 'collab',
      examples: [
        { line: "mkt collabs update 1 --org 5 --name 'Lip oil, first looks'" },
        { line: 'mkt collabs update 3 --org 5 --purge-banner-image' },
      ],
      load: async () => (await runs()).update,
    },
    {
      name: 'delete',
      summary: 'Delete collabs without approved submissions',
      args: manyIds('collab'),
      examples: [
        { line: 'mkt collabs delete 1 --org 5 --yes' },
        { line: 'mkt collabs delete 1 19 --org 5 --yes', about: 'Several at once' },
      ],
      load: async () => (await runs()).remove,
    },
    action('submit', 'Submit drafts for review', ['1', '5 19']),
    action('pause', 'Pause published collabs', ['3', '6 7']),
    action('unpause', 'Let paused collabs go on', ['4', '9 14']),
  ],
};
