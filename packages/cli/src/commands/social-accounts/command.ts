import { platforms, resources } from '@mkt/sdk/contract/resources';
import { socialAccounts as resource } from '../../api/labels.js';
import { createCommand, deleteCommand } from '../../changes/definitions.js';
import type { CommandGroup } from '../../context/command.js';
import { byState, listCommand, oneOf, showCommand } from '../../lists/definitions.js';
import type { Listing } from '../../lists/presenter.js';

export const listing: Listing = {
  resource,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'platform_id', header: 'PLATFORM', priority: 0 },
    { field: 'account_url', header: 'ACCOUNT', priority: 0 },
    { field: 'status', header: 'STATUS', priority: 1 },
    { field: 'subscriber_count', header: 'SUBSCRIBERS', priority: 2, align: 'right' },
    { field: 'view_count', header: 'VIEWS', priority: 3, align: 'right' },
    { field: 'engagement_rate', header: 'ENGAGEMENT', priority: 4, align: 'right' },
    { field: 'last_synced_at', header: 'SYNCED', priority: 5, day: true },
  ],
};

export const socialAccounts: CommandGroup = {
  name: 'social-accounts',
  aliases: resource.aliases,
  summary: 'Your accounts on social platforms',
  mistaken: { create: 'connect', delete: 'remove' },
  commands: () => [
    listCommand(listing, {
      summary: 'List your accounts',
      flags: [
        byState(resources.socialAccounts.states),
        oneOf('platform', 'platform_id', 'ID', 'Only accounts on a platform', platforms),
      ],
      examples: [{ line: 'mkt social-accounts list' }, { line: 'mkt social list --status pending --json' }],
    }),
    showCommand(listing, {
      summary: 'Show one account and its latest figures',
      examples: [{ line: 'mkt social-accounts show 1' }, { line: 'mkt social show 1 --jq .subscriber_count' }],
    }),
    createCommand(listing, {
      name: 'connect',
      summary: 'Connect an account',
      fields: {
        schema: 'socialAccountFields',
        wrapper: 'social_account',
        partial: false,
        flags: [
          {
            name: 'platform',
            kind: 'text',
            value: 'ID',
            field: 'platform_id',
            required: true,
            known: platforms,
            description: 'Platform: tiktok, youtube, instagram, twitter or another',
          },
          {
            name: 'url',
            kind: 'text',
            value: 'URL|@HANDLE',
            field: 'account_url',
            required: true,
            description: 'URL of the profile; for a platform named above, its handle is enough',
          },
        ],
      },
      examples: [
        { line: 'mkt social-accounts connect --platform instagram --url https://www.instagram.com/acme.beauty' },
        { line: 'mkt social connect --platform youtube --url https://www.youtube.com/@acmelabs --json' },
      ],
      send: async ({ client, options }, fields) => {
        const { accountUrl } = await import('@mkt/sdk/contract');
        const account_url = accountUrl(fields.platform_id, fields.account_url);
        return client.socialAccounts.create({ ...fields, account_url }, options);
      },
    }),
    deleteCommand(listing, {
      name: 'remove',
      summary: 'Remove an account from the service, but not from its platform',
      examples: [{ line: 'mkt social-accounts remove 3 --yes' }, { line: 'mkt social remove 2 --yes --json' }],
    }),
  ],
};
