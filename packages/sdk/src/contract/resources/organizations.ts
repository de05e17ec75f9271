export const organizations = {
  name: 'organizations',
  singular: 'organization',
  plural: 'organizations',
  heading: 'Organizations',
  about: 'Brands. Who is not a member of one gets 404 for it and for all that it holds.',
  title: 'name',
} as const;
