import type { Group } from '../../context/command.js';
import { shortNames } from '../../context/noun-of.js';
import { filterNote, listFlags, oneId } from '../../context/shared.js';

const runs = () => import('./run.js');

export const socialAccounts: Group = {
  name: 'social-accounts',
  aliases: shortNames['social-accounts'],
  summary: 'Your own accounts on platforms',
  leaves: [
    {
      name: 'list',
      summary: 'List your accounts',
      notes: [filterNote],
      flags: [
        {
          name: 'status',
          kind: 'list',
          value: 'STATUS',
          description: 'Only pending, verified or failed',
          filter: { field: 'status', match: 'equals' },
        },
        {
          name: 'platform',
          kind: 'list',
          value: 'ID',
          description: 'Only those on a platform',
          filter: { field: 'platform_id', match: 'equals' },
        },
        ...listFlags,
      ],
      prints: 'socialAccount',
      examples: [{ line: 'mkt social-accounts list' }, { line: 'mkt social list --status pending --json' }],
      load: async () => (await runs()).list,
    },
    {
      name: 'show',
      summary: 'Show one account and its latest figures',
      args: oneId('account'),
      prints: 'socialAccount',
      examples: [{ line: 'mkt social-accounts show 1' }, { line: 'mkt social show 1 --jq .subscriber_count' }],
      load: async () => (await runs()).show,
    },
    {
      name: 'connect',
      summary: 'Connect an account',
      flags: [
        {
          name: 'platform',
          kind: 'text',
          value: 'ID',
          field: 'platform_id',
          required: true,
          description: 'Platform: tiktok, youtube, instagram, twitter or another',
        },
        {
          name: 'url',
          kind: 'text',
          value: 'URL',
          field: 'account_url',
          required: true,
          description: 'Address of the account',
        },
      ],
      prints: 'socialAccount',
      examples: [
        { line: 'mkt social-accounts connect --platform instagram --url https://www.instagram.com/acme.beauty' },
        { line: 'mkt social connect --platform youtube --url https://www.youtube.com/@acmelabs --json' },
      ],
      load: async () => (await runs()).connect,
    },
    {
      name: 'remove',
      summary: 'Remove an account from the service; on its platform it stays',
      args: oneId('account'),
      examples: [{ line: 'mkt social-accounts remove 3 --yes' }, { line: 'mkt social remove 2 --yes --json' }],
      load: async () => (await runs()).remove,
    },
  ],
};
