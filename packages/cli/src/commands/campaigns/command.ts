import { platforms } from '@mkt/sdk/contract/resources';
import { draftsNote, campaigns as resource } from '../../api/labels.js';
import {
  copyCommand,
  createCommand,
  deleteCommand,
  draftNext,
  editCommand,
  stateCommand,
  updateCommand,
} from '../../changes/definitions.js';
import { type CommandGroup, defineCommand } from '../../context/command.js';
import type { Flag } from '../../context/flags.js';
import { PAST_TIMES } from '../../fields/past-time.js';
import {
  byCountry,
  byCurrency,
  byName,
  byState,
  groupByFlag,
  inOrganizations,
  listCommand,
  manyIds,
  notInCountry,
  oneOf,
  showCommand,
  updatedSince,
} from '../../lists/definitions.js';
import type { DraftListing } from '../../lists/presenter.js';
import { cellText, grouped, type Row, sanitizeLine, textAt, valueAt } from '../../text/values.js';

/** `no budget, no country and no brief`. */
const listOf = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** What the publication of a campaign fixes. */
function fixedTerms(row: Row): string {
  const amount = (field: string): string => {
    const value = valueAt(row, field);
    return typeof value === 'number' ? grouped(value) : sanitizeLine(cellText(value));
  };
  const currency = sanitizeLine(textAt(row, 'currency'));
  const hasReward = Number(valueAt(row, 'base_reward_amount')) > 0;
  const reward = hasReward ? `, ${amount('base_reward_amount')} ${currency} for taking part` : '';
  const payouts = `payouts ${amount('min_payout_amount')} to ${amount('max_payout_amount')} ${currency}`;
  const terms = `${amount('cpm_amount')} per 1,000 views, ${payouts}${reward}`;
  return `The payouts and the currency are then fixed (${terms}).`;
}

/** What a campaign lacks to reach creators; empty if it lacks nothing. Lists do not contain briefs. @param subject `It` */
function gapsOf(row: Row, place: string, subject = 'It'): string {
  const { countries, brief, total_budget_amount: budget } = row as Readonly<Record<string, unknown>>;
  const hasNoBudget = budget === 0;
  const gaps = [
    ...(hasNoBudget ? ['no budget'] : []),
    ...(Array.isArray(countries) && countries.length === 0 ? ['no country'] : []),
    ...(brief === null || brief === '' ? ['no brief'] : []),
  ];
  if (gaps.length === 0) return '';
  const funding = `A budget is added on the website: mkt open campaigns ${textAt(row, 'id')}${place}`;
  return `${subject} has ${listOf(gaps)}.${hasNoBudget ? ` ${funding}` : ''}`;
}

const filters: readonly Flag[] = [
  byState(resource.states),
  byName('name'),
  byCountry('Only campaigns for a country'),
  notInCountry('Only campaigns that are not for a country'),
  {
    name: 'budget-used',
    kind: 'integer',
    value: 'PERCENT',
    description: 'Only campaigns that have used this part of their budget, such as 90',
    filter: { field: 'used_percent', match: 'atLeast' },
  },
  updatedSince,
  {
    name: 'ends-before',
    kind: 'text',
    value: 'DATE',
    description: 'Only active campaigns whose budget ends before this date at the pace of the last 7 days',
    filter: { field: 'unused_amount', match: 'recordedUntil', adds: { used_per_day: 'amount', ends_on: 'timestamp' } },
  },
  {
    name: 'no-submissions-for',
    kind: 'text',
    value: 'AGE',
    description: 'Only active campaigns without a new submission for this long, such as 7d',
    filter: { field: 'submissions_count', match: 'recordedSince' },
  },
  byCurrency('Only campaigns in a currency'),
  oneOf('platform', 'platform_ids', 'ID', 'Only campaigns on a platform', platforms),
];

export const listing: DraftListing = {
  resource,
  filters,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'name', header: 'NAME', priority: 0 },
    { field: 'status', header: 'STATUS', priority: 1 },
    { field: 'cpm_amount', header: 'CPM', priority: 5, align: 'right' },
    { field: 'total_budget_amount', header: 'BUDGET', priority: 2, align: 'right' },
    { field: 'currency', header: 'CUR', priority: 2 },
    { field: 'unused_amount', header: 'UNUSED', priority: 4, align: 'right' },
    { field: 'view_count', header: 'VIEWS', priority: 3, align: 'right' },
    { field: 'submissions_count', header: 'SUBMISSIONS', priority: 3, align: 'right' },
    { field: 'published_at', header: 'PUBLISHED', priority: 6, day: true },
    { field: 'used_percent', header: 'USED%', priority: 7, align: 'right' },
    { field: 'effective_cpm', header: 'ECPM', priority: 8, align: 'right' },
  ],
};

const next = draftNext(resource, 'publish', gapsOf);

export const campaigns: CommandGroup = {
  name: 'campaigns',
  aliases: resource.aliases,
  summary: 'Budgeted creator programs',
  mistaken: { submit: 'publish', unpause: 'resume' },
  elsewhere: [
    {
      words: ['fund', 'budget', 'total-budget', 'total-budget-amount', 'pay', 'top-up'],
      sentence: 'Budgets are added on the website.',
      command: 'mkt open campaigns',
    },
    {
      words: ['finish', 'end', 'close'],
      sentence: 'The marketplace ends campaigns; you can pause them.',
      command: 'mkt campaigns pause ID',
    },
  ],
  commands: () => [
    listCommand(listing, {
      summary: 'List campaigns',
      notes: [draftsNote],
      flags: [...filters, groupByFlag],
      examples: [
        { line: 'mkt campaigns list --org 5' },
        { line: 'mkt campaigns list --org 5 --status paused', about: 'Filtered' },
        { line: 'mkt campaigns list --org 5 --sort -view_count --limit 5', about: 'The five most viewed' },
        { line: 'mkt campaigns list --org 5 --all --format csv', about: 'For a spreadsheet' },
        { line: "mkt campaigns list --org 5 --all --jq '[.[].view_count] | add'", about: 'Computed with jq' },
      ],
    }),
    showCommand(listing, {
      summary: 'Show one campaign, including its brief',
      examples: [
        { line: 'mkt campaigns show 1 --org 5' },
        { line: 'mkt campaigns show 1 --org 5 --json --fields name,brief' },
      ],
    }),
    createCommand(listing, {
      summary: 'Create a draft campaign',
      notes: ['Amounts are integers in the unit of the service; mkt does not convert them.'],
      fields: { schema: 'campaignFields', wrapper: 'campaign', partial: false },
      examples: [
        { line: "mkt campaigns create --org 5 --name 'Autumn glow'" },
        {
          line: "mkt campaigns create --org 5 --name 'Autumn glow' --countries US,GB --platform-ids tiktok --cpm-amount 700",
        },
      ],
      send: ({ client, organization, options }, fields) => client.campaigns.create(organization, fields, options),
      next,
    }),
    updateCommand(listing, {
      summary: 'Change fields of a campaign',
      notes: ['After publication, the amounts and the currency cannot change.'],
      stateChanges: 'publish, pause and resume',
      fields: { schema: 'campaignChanges', wrapper: 'campaign', partial: true },
      examples: [
        { line: "mkt campaigns update 1 --org 5 --name 'Summer UGC, second wave'" },
        { line: 'mkt campaigns update 1 --org 5 --countries US,CA,GB --cpm-amount 650' },
      ],
    }),
    copyCommand(listing, next),
    editCommand(listing),
    deleteCommand(listing, {
      name: 'delete',
      args: [manyIds(resource, [resource.states.initial])],
      summary: 'Delete drafts that were never funded',
      examples: [
        { line: 'mkt campaigns delete 10 --org 5 --yes' },
        { line: 'mkt campaigns delete 20 30 --org 5 --yes', about: 'Several at once' },
      ],
    }),
    stateCommand(listing, {
      name: 'publish',
      isFinal: true,
      summary: 'Publish drafts: they become active',
      notes: ['A published campaign cannot become a draft again. Its amounts cannot change.'],
      consequence: fixedTerms,
      gaps: gapsOf,
      demoIds: ['1', '10 20'],
    }),
    stateCommand(listing, {
      name: 'pause',
      summary: 'Pause active campaigns',
      demoIds: ['3', '6 7'],
    }),
    stateCommand(listing, {
      name: 'resume',
      summary: 'Resume paused campaigns',
      demoIds: ['4', '14 24'],
    }),
    defineCommand({
      name: 'trend',
      summary: 'Show how views, or any other number, develop',
      notes: [
        'Draws what mkt watch and other readings of all campaigns have recorded. Without ids, all campaigns together, amounts by currency.',
      ],
      args: [manyIds(resource)],
      flags: [
        { name: 'field', kind: 'text', value: 'NAME', description: 'The field to draw; by default the views' },
        { name: 'since', kind: 'text', value: 'TIME', description: `Since ${PAST_TIMES} (default: 30d)` },
      ],
      examples: [
        { line: 'mkt campaigns trend --org 5' },
        { line: 'mkt campaigns trend --org 5 --field used_amount --since 7d --format csv' },
      ],
      run: async (context, invocation) => {
        const { trend } = await import('./trend.js');
        await inOrganizations(context, { done: 'Read the trends of' }, (each) => trend(each, invocation));
      },
    }),
  ],
};
