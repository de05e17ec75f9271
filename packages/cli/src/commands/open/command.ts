import { defineCommand } from '../../context/command.js';

/** Paths of the pages: those of the API without `.json`. */
const lists = {
  organizations: '/organizations',
  campaigns: '/organizations/:organization/campaigns',
  collabs: '/organizations/:organization/collabs',
  members: '/organizations/:organization/members',
  'social-accounts': '/me/social_accounts',
  tokens: '/me/access_tokens',
  address: '/me/address',
};
/** Resources with a page for each id. */
const withIds = ['organizations', 'campaigns', 'collabs', 'social-accounts'];
const names = Object.keys(lists);

export const open = defineCommand({
  name: 'open',
  summary: 'Open the service or one of its pages in the browser',
  notes: ['mkt prints the URL first. Without a terminal, it does nothing else.'],
  args: [
    { name: 'resource', required: false, description: `One of ${names.join(', ')}`, completes: { choices: names } },
    {
      name: 'id',
      required: false,
      description: 'Id to open; without it, mkt opens the list',
      completes: { listedOf: withIds },
    },
  ],
  prints: null,
  examples: [{ line: 'mkt open' }, { line: 'mkt open campaigns 1 --org 5' }, { line: 'mkt open tokens' }],
  run: async (context, { args: [resource, id] }) =>
    (await import('./run.js')).open(context, { paths: new Map(Object.entries(lists)), withIds }, resource, id),
});
