export const members = {
  name: 'members',
  singular: 'member',
  plural: 'members',
  heading: 'Members',
  about: 'The people of an organization and their roles, admins first.',
  title: 'user.name',
  exampleIds: { organization_id: 5, id: 'mem_5_cleo' },
  examples: { update: { fields: { role: 'admin' } } },
} as const;
