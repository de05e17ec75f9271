import type { Group } from '../../context/command.js';
import { filterNote, listFlags, oneId } from '../../context/shared.js';

const runs = () => import('./run.js');

export const tokens: Group = {
  name: 'tokens',
  summary: 'Your personal access tokens',
  leaves: [
    {
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
      load: async () => (await runs()).list,
    },
    {
      name: 'create',
      summary: 'Create a token and print its secret, once',
      fields: { schema: 'accessTokenFields', partial: false },
      prints: 'accessToken',
      examples: [
        { line: "mkt tokens create --description 'Nightly export' --permission read" },
        {
          line: 'mkt tokens create --description CI --permission write --fields token --no-header',
          about: 'The secret alone, for another program',
        },
      ],
      load: async () => (await runs()).create,
    },
    {
      name: 'revoke',
      summary: 'Revoke a token: it stops working at once',
      args: oneId('token'),
      examples: [
        { line: 'mkt tokens revoke 2 --yes' },
        { line: 'mkt tokens revoke 2', about: 'Asks; without a terminal it does nothing', exit: 10 },
      ],
      load: async () => (await runs()).revoke,
    },
  ],
};
