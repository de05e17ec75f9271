import { organizations as resource } from '../../api/labels.js';
import { createCommand, dryRunFlag } from '../../changes/definitions.js';
import { type Argument, type CommandGroup, defineCommand } from '../../context/command.js';
import { byName, listCommand, oneOf, showAliases, webFlag } from '../../lists/definitions.js';
import type { Listing } from '../../lists/presenter.js';
import { textAt } from '../../text/values.js';

export const listing: Listing = {
  resource,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'name', header: 'NAME', priority: 0 },
    { field: 'privacy_setting', header: 'PRIVACY', priority: 1 },
    { field: 'website', header: 'WEBSITE', priority: 2 },
    { field: 'created_at', header: 'CREATED', priority: 3, day: true },
  ],
};

const completes = { listed: 'organizations' } as const;

const idOrCurrent: Argument = {
  name: 'id',
  description: 'Id or name of the organization; by default the one you work in',
  completes,
};

const deleteCommand = () =>
  defineCommand({
    name: 'delete',
    summary: 'Delete an organization and everything in it',
    notes: ['Only the owner can do this. On a terminal, you confirm by typing the name.'],
    args: [
      {
        name: 'id',
        description: 'Id or unique name of the organization; on a terminal you can choose one',
        completes,
      },
    ],
    flags: [dryRunFlag],
    examples: [
      { line: 'mkt organizations delete 7 --yes' },
      {
        line: 'mkt organizations delete 7',
        about: 'Prompts for confirmation; does nothing without a terminal',
        exit: 10,
      },
    ],
    run: async (context, invocation) =>
      (await import('./run.js')).deleteOrganization(context, invocation, listing, invocation.flags['dry-run'] === true),
  });

export const organizations: CommandGroup = {
  name: 'organizations',
  aliases: resource.aliases,
  summary: 'Your brands',
  commands: () => [
    listCommand(listing, {
      summary: 'List the organizations you belong to',
      flags: [
        byName('name'),
        oneOf('privacy', 'privacy_setting', 'SETTING', 'Only public, private or restricted', [
          'public',
          'private',
          'restricted',
        ]),
      ],
      examples: [{ line: 'mkt organizations list' }, { line: 'mkt orgs list --json --fields id,name' }],
    }),
    defineCommand({
      name: 'show',
      aliases: showAliases,
      summary: 'Show an organization',
      args: [idOrCurrent],
      flags: [webFlag],
      prints: 'organization',
      examples: [
        { line: 'mkt organizations show 5' },
        { line: 'mkt organizations show --org 5 --fields name,logo_url' },
      ],
      run: async (context, invocation) => {
        const { show } = await import('../../lists/show.js');
        const id = invocation.args[0] ?? (await context.organization()).id;
        await show(context, { ...invocation, args: [id] }, listing);
      },
    }),
    createCommand(listing, {
      summary: 'Create an organization, which you then own',
      notes: ['A private organization needs a logo.'],
      fields: { schema: 'organizationFields', wrapper: 'organization', partial: false, file: 'logo' },
      examples: [
        { line: "mkt organizations create --name 'Acme Outlet'" },
        {
          line: "mkt organizations create --name 'Acme Paris' --website https://paris.acme.example --privacy-setting restricted",
        },
      ],
      send: ({ client, options }, fields) => client.organizations.create(fields, options),
      next: (row) => `You own it. To work in it: mkt organizations use ${textAt(row, 'id')}`,
    }),
    defineCommand({
      name: 'update',
      summary: 'Change an organization: name, website, privacy, logo',
      args: [idOrCurrent],
      fields: { schema: 'organizationChanges', wrapper: 'organization', partial: true, file: 'logo' },
      flags: [dryRunFlag],
      prints: 'organization',
      examples: [
        { line: 'mkt organizations update 5 --website https://www.acme.example' },
        { line: 'mkt organizations update 7 --privacy-setting public' },
      ],
      run: async (context, invocation) => {
        const { update } = await import('../../changes/change.js');
        const id = invocation.args[0] ?? (await context.organization()).id;
        await update(context, { ...invocation, args: [id] }, listing);
      },
    }),
    deleteCommand(),
    defineCommand({
      name: 'use',
      summary: 'Choose the default organization',
      args: [
        {
          name: 'id|name',
          description: 'Id or name; on a terminal you can choose one',
          completes: { ...completes, names: true },
        },
      ],
      prints: 'organization',
      examples: [{ line: 'mkt organizations use 5' }, { line: "mkt organizations use 'Acme Cosmetics'" }],
      run: async (context, invocation) => (await import('./run.js')).useOrganization(context, invocation, listing),
    }),
  ],
};
