import { address as resource } from '../../api/labels.js';
import { dryRunFlag } from '../../changes/definitions.js';
import { type CommandGroup, defineCommand } from '../../context/command.js';
import { showAliases, webFlag } from '../../lists/definitions.js';
import type { Listing } from '../../lists/presenter.js';

const presenter: Listing = {
  resource,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'address_one', header: 'ADDRESS', priority: 0 },
    { field: 'city', header: 'CITY', priority: 0 },
    { field: 'state', header: 'STATE', priority: 1 },
    { field: 'postal_code', header: 'POSTAL_CODE', priority: 1 },
    { field: 'country_code', header: 'COUNTRY', priority: 1 },
  ],
};

export const address: CommandGroup = {
  name: 'address',
  summary: 'Your shipping address, for product samples',
  commands: () => [
    defineCommand({
      name: 'show',
      aliases: showAliases,
      summary: 'Show your address',
      flags: [webFlag],
      prints: 'addressRepresentation',
      examples: [{ line: 'mkt address show' }, { line: 'mkt address show --json --fields city,country_code' }],
      run: async (context, { flags: { web } }) =>
        (await import('./run.js')).showAddress(context, presenter, web === true),
    }),
    defineCommand({
      name: 'set',
      summary: 'Set your address, or change parts of it',
      notes: [
        'The first time, street, city, state, postal code and country are required.',
        'A new place clears the coordinates of the earlier one, unless you give new ones.',
      ],
      flags: [dryRunFlag],
      fields: { schema: 'addressFields', wrapper: 'address', partial: true },
      prints: 'addressRepresentation',
      examples: [
        { line: "mkt address set --address-two 'Floor 3'" },
        {
          line: "mkt address set --address-one '1 Infinite Loop' --city Cupertino --state CA --postal-code 95014 --country-code US",
        },
      ],
      run: async (context, invocation) => (await import('./run.js')).setAddress(context, invocation, presenter),
    }),
    defineCommand({
      name: 'delete',
      summary: 'Delete your address',
      flags: [dryRunFlag],
      examples: [
        { line: 'mkt address delete --yes' },
        { line: 'mkt address delete', about: 'Prompts for confirmation; does nothing without a terminal', exit: 10 },
      ],
      run: async (context, { flags }) =>
        (await import('./run.js')).deleteAddress(context, presenter, flags['dry-run'] === true),
    }),
  ],
};
