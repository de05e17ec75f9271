import { members as resource } from '../../api/labels.js';
import { deleteCommand, dryRunFlag, updateCommand } from '../../changes/definitions.js';
import { type Argument, type CommandGroup, defineCommand } from '../../context/command.js';
import { byName, listCommand, oneOf } from '../../lists/definitions.js';
import type { Listing } from '../../lists/presenter.js';

export const listing: Listing = {
  resource,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'user.name', header: 'NAME', priority: 0 },
    { field: 'user.email', header: 'EMAIL', priority: 1 },
    { field: 'role', header: 'ROLE', priority: 0 },
    { field: 'is_owner', header: 'OWNER', priority: 2 },
    { field: 'created_at', header: 'JOINED', priority: 3, day: true },
  ],
};

const idOrEmail: Argument = {
  name: 'id|email',
  description: 'Id, e-mail address or unique name of the member; on a terminal you can choose one',
  completes: { listed: 'members', names: true },
};

export const members: CommandGroup = {
  name: 'members',
  aliases: resource.aliases,
  summary: 'Members of an organization and their roles',
  mistaken: { delete: 'remove' },
  elsewhere: [
    {
      words: ['invite', 'add', 'create'],
      sentence: 'Members are invited on the website.',
      command: 'mkt open members',
    },
  ],
  commands: () => [
    listCommand(listing, {
      summary: 'List members, admins first',
      flags: [oneOf('role', 'role', 'ROLE', 'Only admin or member', ['admin', 'member']), byName('user.name')],
      examples: [
        { line: 'mkt members list --org 5' },
        { line: 'mkt members list --org 5 --role admin --fields user.email --no-header' },
      ],
    }),
    updateCommand(listing, {
      summary: "Change a member's role",
      args: [idOrEmail],
      fields: { schema: 'membershipChanges', wrapper: 'membership', partial: false },
      examples: [
        { line: 'mkt members update cleo@acme.example --role admin --org 5' },
        { line: 'mkt members update mem_5_ben --role member --org 5' },
      ],
    }),
    deleteCommand(listing, {
      name: 'remove',
      summary: 'Remove a member from the organization',
      args: [idOrEmail],
      examples: [
        { line: 'mkt members remove cleo@acme.example --org 5 --yes' },
        { line: 'mkt members remove mem_5_cleo --org 5 --yes' },
      ],
    }),
    defineCommand({
      name: 'leave',
      summary: 'Leave the organization yourself',
      notes: ['The API does not say which user a token belongs to, so mkt needs your e-mail address.'],
      flags: [
        { name: 'email', kind: 'text', value: 'ME', description: 'Your own e-mail address', required: true },
        dryRunFlag,
      ],
      examples: [
        {
          line: 'mkt members leave --email cleo@acme.example --org 5',
          about: 'Prompts for confirmation; does nothing without a terminal',
          exit: 10,
        },
        { line: 'mkt members leave --email ada@acme.example --org 5 --yes', about: 'The owner cannot leave', exit: 5 },
      ],
      run: async (context, { flags }) => (await import('./run.js')).leave(context, listing, flags),
    }),
  ],
};
