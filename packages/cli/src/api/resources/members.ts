import type { Resource } from './resource.js';

export const members: Resource = {
  noun: 'member',
  plural: 'members',
  command: 'members',
  schema: 'membership',
  listSchema: 'membership',
  title: 'user.name',
  inOrganization: true,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'user.name', header: 'NAME', priority: 0 },
    { field: 'user.email', header: 'EMAIL', priority: 1 },
    { field: 'role', header: 'ROLE', priority: 0 },
    { field: 'is_owner', header: 'OWNER', priority: 2 },
    { field: 'created_at', header: 'JOINED', priority: 3, day: true },
  ],
  verbs: (client, organization, options) => ({
    list: (page) => client.members.list(organization, { ...options, page }),
    update: (id, fields) => client.members.update(organization, id, fields as never, options),
    delete: (id) => client.members.remove(organization, id, options),
  }),
};
