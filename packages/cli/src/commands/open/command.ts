import { defineCommand } from '../../context/command.js';

/** Paths of the pages by noun, as the API has them without `.json` (api.md, General rule 1). */
const lists = {
  organizations: '/organizations',
  campaigns: '/organizations/:organization/campaigns',
  collabs: '/organizations/:organization/collabs',
  members: '/organizations/:organization/members',
  'social-accounts': '/me/social_accounts',
  tokens: '/me/access_tokens',
  address: '/me/address',
};
/** Those of which one has a page too: what the API does not show has none. */
const ofOne = ['organizations', 'campaigns', 'collabs', 'social-accounts'];
const names = Object.keys(lists);

export const open = defineCommand({
  name: 'open',
  summary: 'Open the service, or something in it, in the browser',
  notes: ['The address is printed first; without a terminal that is all that happens.'],
  args: [
    { name: 'noun', required: false, description: `One of ${names.join(', ')}`, completes: { choices: names } },
    {
      name: 'id',
      required: false,
      description: 'Id of one; without it the list is opened',
      completes: { listedOf: ofOne },
    },
  ],
  prints: null,
  examples: [{ line: 'mkt open' }, { line: 'mkt open campaigns 1 --org 5' }, { line: 'mkt open tokens' }],
  run: async (context, { args: [noun, id] }) =>
    (await import('./run.js')).open(context, { paths: new Map(Object.entries(lists)), ofOne }, noun, id),
});
