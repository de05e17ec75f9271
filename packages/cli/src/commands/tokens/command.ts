import { tokens as resource } from '../../api/resources.js';
import { type CommandGroup, defineCommand } from '../../context/command.js';
import { handlers, oneId } from '../../shared/definitions.js';
import { filterNote, listFlags } from '../../shared/list-flags.js';
import type { Listing, Presenter } from '../../shared/presenter.js';

export const listing: Listing = {
  resource,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'description', header: 'DESCRIPTION', priority: 0 },
    { field: 'permission', header: 'PERMISSION', priority: 0 },
    { field: 'created_at', header: 'CREATED', priority: 1, day: true },
  ],
  list: ({ client, options }) => client.accessTokens.list(options),
};

/** The response to a creation has the secret, which no list shows. */
const withSecret: Presenter = {
  resource,
  columns: [...listing.columns.slice(0, 3), { field: 'token', header: 'TOKEN', priority: 0, whole: true }],
};

export const tokens: CommandGroup = {
  name: 'tokens',
  summary: 'Your personal access tokens',
  commands: [
    defineCommand({
      name: 'list',
      summary: 'List your tokens; the secrets are never shown again',
      notes: [filterNote],
      flags: [
        {
          name: 'permission',
          kind: 'list',
          value: 'PERMISSION',
          description: 'Only read or write',
          filter: { field: 'permission', match: 'equals' },
        },
        ...listFlags,
      ],
      prints: 'accessToken',
      examples: [{ line: 'mkt tokens list' }, { line: 'mkt tokens list --permission read --json' }],
      run: async (context, invocation) => (await handlers()).list(context, invocation, listing),
    }),
    defineCommand({
      name: 'create',
      summary: 'Create a token and print its secret, once',
      fields: { schema: 'accessTokenFields', wrapper: 'access_token', partial: false },
      prints: 'accessToken',
      examples: [
        { line: "mkt tokens create --description 'Nightly export' --permission read" },
        {
          line: 'mkt tokens create --description CI --permission write --fields token --no-header',
          about: 'The secret alone, for another program',
        },
      ],
      run: async (context, invocation) => {
        const { create } = await handlers();
        await create(context, invocation, withSecret, {
          verb: 'create',
          done: 'Created',
          send: ({ client, options }, fields) => client.accessTokens.create(fields, options),
          next: () => 'Copy the secret now: it is shown only this once.',
        });
      },
    }),
    defineCommand({
      name: 'revoke',
      summary: 'Revoke a token: it stops working at once',
      args: oneId(resource),
      examples: [
        { line: 'mkt tokens revoke 2 --yes' },
        { line: 'mkt tokens revoke 2', about: 'Asks; without a terminal it does nothing', exit: 10 },
      ],
      run: async (context, invocation) => {
        const { destroy } = await handlers();
        await destroy(context, invocation, listing, {
          verb: 'revoke',
          done: 'Revoked',
          send: ({ client, options }, id) => client.accessTokens.delete(id, options),
        });
      },
    }),
  ],
};
