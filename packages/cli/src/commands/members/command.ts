import type { Argument, Group } from '../../context/command.js';
import { filterNote, listFlags } from '../../context/shared.js';

const runs = () => import('./run.js');

const who: readonly Argument[] = [
  { name: 'id|email', required: true, description: 'Id of the membership, or the e-mail address of the person' },
];

export const members: Group = {
  name: 'members',
  summary: 'The people of an organization and their roles',
  leaves: [
    {
      name: 'list',
      summary: 'List members, admins first',
      notes: [filterNote],
      flags: [
        {
          name: 'role',
          kind: 'list',
          value: 'ROLE',
          description: 'Only admin or member',
          filter: { field: 'role', match: 'equals' },
        },
        {
          name: 'name',
          kind: 'text',
          value: 'TEXT',
          description: 'Only names that contain this',
          filter: { field: 'user.name', match: 'contains' },
        },
        ...listFlags,
      ],
      prints: 'membership',
      examples: [
        { line: 'mkt members list --org 5' },
        { line: 'mkt members list --org 5 --role admin --fields user.email --no-header' },
      ],
      load: async () => (await runs()).list,
    },
    {
      name: 'update',
      summary: "Change a member's role",
      args: who,
      fields: { schema: 'membershipChanges', partial: false },
      prints: 'membership',
      examples: [
        { line: 'mkt members update cleo@acme.example --role admin --org 5' },
        { line: 'mkt members update mem_5_ben --role member --org 5' },
      ],
      load: async () => (await runs()).update,
    },
    {
      name: 'remove',
      summary: 'Remove a member from the organization',
      args: who,
      examples: [
        { line: 'mkt members remove cleo@acme.example --org 5 --yes' },
        { line: 'mkt members remove mem_5_cleo --org 5 --yes' },
      ],
      load: async () => (await runs()).remove,
    },
    {
      name: 'leave',
      summary: 'Leave the organization yourself',
      notes: ['The API does not tell who a token belongs to, so your e-mail address is needed.'],
      flags: [{ name: 'email', kind: 'text', value: 'ME', description: 'Your own e-mail address', required: true }],
      examples: [
        {
          line: 'mkt members leave --email ada@acme.example --org 5',
          about: 'Asks; without a terminal it does nothing',
          exit: 10,
        },
        { line: 'mkt members leave --email ada@acme.example --org 5 --yes', about: 'The owner cannot leave', exit: 5 },
      ],
      load: async () => (await runs()).leave,
    },
  ],
};
