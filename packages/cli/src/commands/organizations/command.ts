import type { Argument, Group } from '../../context/command.js';
import { shortNames } from '../../context/noun-of.js';
import { filterNote, listFlags } from '../../context/shared.js';

const runs = () => import('./run.js');

const which = (description: string): readonly Argument[] => [{ name: 'id', required: false, description }];

export const organizations: Group = {
  name: 'organizations',
  aliases: shortNames.organizations,
  summary: 'Your brands',
  leaves: [
    {
      name: 'list',
      summary: 'List the organizations you belong to',
      notes: [filterNote],
      flags: [
        {
          name: 'name',
          kind: 'text',
          value: 'TEXT',
          description: 'Only names that contain this',
          filter: { field: 'name', match: 'contains' },
        },
        {
          name: 'privacy',
          kind: 'list',
          value: 'SETTING',
          description: 'Only public, private or restricted',
          filter: { field: 'privacy_setting', match: 'equals' },
        },
        ...listFlags,
      ],
      prints: 'organization',
      examples: [{ line: 'mkt organizations list' }, { line: 'mkt orgs list --json --fields id,name' }],
      load: async () => (await runs()).list,
    },
    {
      name: 'show',
      summary: 'Show an organization',
      args: which('Id of the organization; by default the one you work in'),
      prints: 'organization',
      examples: [
        { line: 'mkt organizations show 5' },
        { line: 'mkt organizations show --org 5 --fields name,logo_url' },
      ],
      load: async () => (await runs()).show,
    },
    {
      name: 'create',
      summary: 'Create an organization, which you then own',
      notes: ['A private organization needs a logo.'],
      fields: { schema: 'organizationFields', partial: false, file: 'logo' },
      prints: 'organization',
      examples: [
        { line: "mkt organizations create --name 'Acme Outlet'" },
        {
          line: "mkt organizations create --name 'Acme Paris' --website https://paris.acme.example --privacy-setting restricted",
        },
      ],
      load: async () => (await runs()).create,
    },
    {
      name: 'update',
      summary: 'Change an organization: name, website, privacy, logo',
      args: which('Id of the organization; by default the one you work in'),
      fields: { schema: 'organizationChanges', partial: true, file: 'logo' },
      prints: 'organization',
      examples: [
        { line: 'mkt organizations update 5 --website https://www.acme.example' },
        { line: 'mkt organizations update 7 --privacy-setting public' },
      ],
      load: async () => (await runs()).update,
    },
    {
      name: 'delete',
      summary: 'Delete an organization and everything in it',
      notes: ['Only its owner may. On a terminal its name has to be typed.'],
      args: [{ name: 'id', required: true, description: 'Id of the organization' }],
      examples: [
        { line: 'mkt organizations delete 7 --yes' },
        { line: 'mkt organizations delete 7', about: 'Asks; without a terminal it does nothing', exit: 10 },
      ],
      load: async () => (await runs()).remove,
    },
    {
      name: 'use',
      summary: 'Choose the organization to work in from now on',
      args: [{ name: 'id|name', required: true, description: 'Id or exact name' }],
      prints: 'organization',
      examples: [{ line: 'mkt organizations use 5' }, { line: "mkt organizations use 'Acme Cosmetics'" }],
      load: async () => (await runs()).use,
    },
  ],
};
