export const organizations = {
  name: 'organizations',
  singular: 'organization',
  plural: 'organizations',
  heading: 'Organizations',
  about: 'Brands. Who is not a member of one gets 404 for it and for all that it holds.',
  title: 'name',
  exampleIds: { id: 5 },
  examples: {
    create: { fields: { name: 'Umbra Skincare', website: 'https://umbra.example' } },
    update: { fields: { website: 'https://shop.acme.example' } },
    delete: { ids: { id: 7 } },
  },
} as const;
