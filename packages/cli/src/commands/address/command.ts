import type { Group } from '../../context/command.js';

const runs = () => import('./run.js');

export const address: Group = {
  name: 'address',
  summary: 'Your shipping address, for product samples',
  leaves: [
    {
      name: 'show',
      summary: 'Show your address',
      prints: 'addressRepresentation',
      examples: [{ line: 'mkt address show' }, { line: 'mkt address show --json --fields city,country_code' }],
      load: async () => (await runs()).show,
    },
    {
      name: 'set',
      summary: 'Set your address, or change parts of it',
      notes: ['The first time, street, city, state, postal code and country are needed.'],
      fields: { schema: 'addressFields', partial: true },
      prints: 'addressRepresentation',
      examples: [
        { line: "mkt address set --address-two 'Floor 3'" },
        {
          line: "mkt address set --address-one '1 Infinite Loop' --city Cupertino --state CA --postal-code 95014 --country-code US",
        },
      ],
      load: async () => (await runs()).set,
    },
    {
      name: 'delete',
      summary: 'Delete your address',
      examples: [
        { line: 'mkt address delete --yes' },
        { line: 'mkt address delete', about: 'Asks; without a terminal it does nothing', exit: 10 },
      ],
      load: async () => (await runs()).remove,
    },
  ],
};
