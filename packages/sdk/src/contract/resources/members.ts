export const members = {
  name: 'members',
  singular: 'member',
  plural: 'members',
  heading: 'Members',
  about: 'The people of an organization and their roles, admins first.',
  title: 'user.name',
} as const;
