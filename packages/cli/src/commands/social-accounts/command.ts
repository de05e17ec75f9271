import { resources } from '@mkt/sdk/contract/resources';
import { socialAccounts as resource } from '../../api/resources.js';
import { type CommandGroup, defineCommand } from '../../context/command.js';
import { shortNames } from '../../context/noun-of.js';
import { handlers, oneId } from '../../shared/definitions.js';
import { byState, filterNote, listFlags } from '../../shared/list-flags.js';
import type { Api, Listing } from '../../shared/presenter.js';

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
  list: ({ client, options }) => client.socialAccounts.list(options),
};

const get = ({ client, options }: Api, id: string) => client.socialAccounts.get(id, options);

export const socialAccounts: CommandGroup = {
  name: 'social-accounts',
  aliases: shortNames['social-accounts'],
  summary: 'Your own accounts on platforms',
  commands: [
    defineCommand({
      name: 'list',
      summary: 'List your accounts',
      notes: [filterNote],
      flags: [
        byState(resources.socialAccounts.states),
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
      run: async (context, invocation) => (await handlers()).list(context, invocation, listing),
    }),
    defineCommand({
      name: 'show',
      summary: 'Show one account and its latest figures',
      args: oneId({ ...resource, noun: 'account' }),
      prints: 'socialAccount',
      examples: [{ line: 'mkt social-accounts show 1' }, { line: 'mkt social show 1 --jq .subscriber_count' }],
      run: async (context, { args: [id] }) => (await handlers()).show(context, listing, { id, get }),
    }),
    defineCommand({
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
      },
      prints: 'socialAccount',
      examples: [
        { line: 'mkt social-accounts connect --platform instagram --url https://www.instagram.com/acme.beauty' },
        { line: 'mkt social connect --platform youtube --url https://www.youtube.com/@acmelabs --json' },
      ],
      run: async (context, invocation) => {
        const { create } = await handlers();
        await create(context, invocation, listing, {
          verb: 'connect',
          done: 'Connected',
          send: ({ client, options }, fields) => client.socialAccounts.create(fields, options),
        });
      },
    }),
    defineCommand({
      name: 'remove',
      summary: 'Remove an account from the service; on its platform it stays',
      args: oneId({ ...resource, noun: 'account' }),
      examples: [{ line: 'mkt social-accounts remove 3 --yes' }, { line: 'mkt social remove 2 --yes --json' }],
      run: async (context, invocation) => {
        const { destroy } = await handlers();
        await destroy(context, invocation, listing, {
          verb: 'remove',
          done: 'Removed',
          get,
          send: ({ client, options }, id) => client.socialAccounts.delete(id, options),
        });
      },
    }),
  ],
};
