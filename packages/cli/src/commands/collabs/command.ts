import { resources } from '@mkt/sdk/contract/resources';
import { draftsNote, collabs as resource } from '../../api/labels.js';
import {
  copyCommand,
  createCommand,
  deleteCommand,
  draftNext,
  editCommand,
  stateCommand,
  updateCommand,
} from '../../changes/definitions.js';
import type { CommandGroup } from '../../context/command.js';
import type { Flag } from '../../context/flags.js';
import {
  byCountry,
  byCurrency,
  byName,
  byState,
  listCommand,
  manyIds,
  notInCountry,
  showCommand,
  updatedSince,
} from '../../lists/definitions.js';
import type { DraftListing } from '../../lists/presenter.js';
import { valueAt } from '../../text/values.js';

const stateFlag = byState(resource.states);

const filters: readonly Flag[] = [
  stateFlag,
  { ...stateFlag, name: 'status', hidden: true },
  byName('name'),
  byCountry('Only collabs for a country'),
  notInCountry('Only collabs that are not for a country'),
  byCurrency('Only collabs in a currency'),
  updatedSince,
  {
    name: 'in-review-for',
    kind: 'text',
    value: 'AGE',
    description: 'Only collabs that have been in review for this long, such as 5d',
    filter: { field: 'state', match: 'recordedSince', adds: { in_review_since: 'timestamp' } },
  },
];

export const listing: DraftListing = {
  resource,
  filters,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'name', header: 'NAME', priority: 0 },
    { field: 'state', header: 'STATE', priority: 1 },
    { field: 'countries', header: 'COUNTRIES', priority: 4 },
    { field: 'submissions_count', header: 'SUBMISSIONS', priority: 2, align: 'right' },
    { field: 'completed_count', header: 'COMPLETED', priority: 3, align: 'right' },
    { field: 'published_at', header: 'PUBLISHED', priority: 5, day: true },
  ],
};

const next = draftNext(resource, 'submit');

export const collabs: CommandGroup = {
  name: 'collabs',
  aliases: resource.aliases,
  summary: 'Briefs that creators apply to',
  elsewhere: [
    {
      words: ['approve', 'reject', 'review'],
      sentence: 'The marketplace reviews collabs.',
      command: 'mkt collabs list --state submitted_for_review',
    },
  ],
  mistaken: { publish: 'submit', resume: 'unpause' },
  commands: () => [
    listCommand(listing, {
      summary: 'List collabs',
      notes: [draftsNote],
      flags: filters,
      examples: [
        { line: 'mkt collabs list --org 5' },
        { line: 'mkt collabs list --org 5 --state paused,draft', about: 'Filtered' },
        { line: 'mkt collabs list --org 5 --sort -submissions_count --limit 3' },
      ],
    }),
    showCommand(listing, {
      summary: 'Show one collab, including its brief',
      examples: [{ line: 'mkt collabs show 3 --org 5' }, { line: 'mkt collabs show 3 --org 5 --format yaml' }],
    }),
    createCommand(listing, {
      summary: 'Create a draft collab',
      notes: ['Omitted fields get the defaults of the organization.'],
      fields: { schema: 'collabFields', wrapper: 'collab', partial: false },
      flags: [
        {
          name: 'from-page',
          kind: 'text',
          value: 'URL',
          fills: 'website',
          description: 'Fill the draft from a product page, which the service reads',
        },
      ],
      examples: [
        { line: "mkt collabs create --org 5 --name 'Lipstick unboxing' --requires-product-shipment" },
        {
          line: "mkt collabs create --org 5 --name 'Glow serum' --brief '<p>Show your <b>morning</b> routine.</p>' --countries US",
        },
      ],
      send: ({ client, organization, options }, fields, { 'from-page': website }) =>
        client.collabs.create(organization, fields, { ...options, website }),
      addition: ({ 'from-page': website }) => website && `The service fills in the rest from ${website}.`,
      next: (row, place, { 'from-page': website }) => {
        const isUnnamed = valueAt(row, 'name') === resources.collabs.defaults.name;
        const hasImage = Boolean(valueAt(row, 'banner_image_url'));
        const missing = isUnnamed ? (hasImage ? 'no title' : 'neither a title nor an image') : 'no image';
        const isComplete = !website || (hasImage && !isUnnamed);
        return (isComplete ? '' : `The service got ${missing} from ${website}.\n`) + next(row, place);
      },
    }),
    updateCommand(listing, {
      summary: 'Change fields of a collab',
      stateChanges: 'submit, pause and unpause',
      fields: { schema: 'collabFields', wrapper: 'collab', partial: true },
      examples: [
        { line: "mkt collabs update 1 --org 5 --name 'Lip oil, first looks'" },
        { line: 'mkt collabs update 3 --org 5 --purge-banner-image' },
      ],
    }),
    copyCommand(listing, next),
    editCommand(listing),
    deleteCommand(listing, {
      name: 'delete',
      args: [manyIds(resource)],
      summary: 'Delete collabs without approved submissions',
      examples: [
        { line: 'mkt collabs delete 1 --org 5 --yes' },
        { line: 'mkt collabs delete 1 19 --org 5 --yes', about: 'Several at once' },
      ],
      consequence: (row) =>
        Number(valueAt(row, 'submissions_count')) > 0
          ? 'It has submissions. If one is approved, the service will not delete it.'
          : '',
    }),
    stateCommand(listing, {
      name: 'submit',
      isFinal: true,
      summary: 'Submit drafts for review',
      consequence: () => 'The marketplace then reviews it. It cannot become a draft again.',
      demoIds: ['1', '5 19'],
    }),
    stateCommand(listing, {
      name: 'pause',
      summary: 'Pause published collabs',
      demoIds: ['3', '6 7'],
    }),
    stateCommand(listing, {
      name: 'unpause',
      summary: 'Resume paused collabs',
      demoIds: ['4', '9 14'],
    }),
  ],
};
