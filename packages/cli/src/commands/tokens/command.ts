import { tokens as resource } from '../../api/labels.js';
import { createCommand, deleteCommand } from '../../changes/definitions.js';
import type { CommandGroup } from '../../context/command.js';
import { listCommand, oneOf } from '../../lists/definitions.js';
import type { Listing } from '../../lists/presenter.js';
import { valueAt } from '../../text/values.js';

export const listing: Listing = {
  resource,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'description', header: 'DESCRIPTION', priority: 0 },
    { field: 'permission', header: 'PERMISSION', priority: 0 },
    { field: 'created_at', header: 'CREATED', priority: 1, day: true },
  ],
  unknown: 'The API does not say when a token was last used.',
};

/** The response to a creation contains the secret, which lists do not. */
const withSecret: Listing = {
  ...listing,
  columns: [...listing.columns.slice(0, 3), { field: 'token', header: 'TOKEN', priority: 0, whole: true }],
};

export const tokens: CommandGroup = {
  name: 'tokens',
  aliases: resource.aliases,
  summary: 'Your personal access tokens',
  mistaken: { delete: 'revoke', remove: 'revoke' },
  commands: () => [
    listCommand(listing, {
      summary: 'List your tokens, without their secrets',
      flags: [oneOf('permission', 'permission', 'PERMISSION', 'Only read or write', ['read', 'write'])],
      examples: [{ line: 'mkt tokens list' }, { line: 'mkt tokens list --permission read --json' }],
    }),
    createCommand(withSecret, {
      summary: 'Create a token and print its secret, once',
      fields: { schema: 'accessTokenFields', wrapper: 'access_token', partial: false },
      examples: [
        { line: "mkt tokens create --description 'Nightly export' --permission read" },
        {
          line: 'mkt tokens create --description CI --permission write --fields token --no-header',
          about: 'Only the secret, for another program',
        },
      ],
      send: ({ client, options }, fields) => client.accessTokens.create(fields, options),
      next: () => 'Copy the secret now. It will not be shown again.',
    }),
    deleteCommand(listing, {
      name: 'revoke',
      summary: 'Revoke a token, which stops working immediately',
      examples: [
        { line: 'mkt tokens revoke 2 --yes' },
        { line: 'mkt tokens revoke 2', about: 'Prompts for confirmation; does nothing without a terminal', exit: 10 },
      ],
      consequence: async (row, { client, options }) => {
        // The API does not say which token is in use. A read-only one cannot revoke any.
        if (valueAt(row, 'permission') === 'read') return 'It is read-only.';
        const others = await client.accessTokens.list(options).all();
        const only = others.filter(({ permission }) => permission !== 'read').length === 1;
        return only
          ? 'It is the token that you use now. Afterwards, you have to sign in again.'
          : 'Check that it is not the token that you use now: then you would have to sign in again.';
      },
    }),
  ],
};
