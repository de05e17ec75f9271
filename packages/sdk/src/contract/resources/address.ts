export const address = {
  name: 'address',
  singular: 'address',
  plural: 'addresses',
  heading: 'Address',
  about: "The caller's one shipping address.",
  title: 'address_one',
  exampleIds: {},
  examples: { update: { fields: { city: 'Oakland', state: 'CA', postal_code: '94607' } } },
} as const;
