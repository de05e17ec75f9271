import type { Resource } from './resource.js';

export const organizations: Resource = {
  noun: 'organization',
  plural: 'organizations',
  command: 'organizations',
  schema: 'organization',
  listSchema: 'organization',
  title: 'name',
  inOrganization: false,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'name', header: 'NAME', priority: 0 },
    { field: 'privacy_setting', header: 'PRIVACY', priority: 1 },
    { field: 'website', header: 'WEBSITE', priority: 2 },
    { field: 'created_at', header: 'CREATED', priority: 3, day: true },
  ],
  verbs: (client, _organization, options) => ({
    list: (page) => client.organizations.list({ ...options, page }),
    get: (id) => client.organizations.get(id, options),
    create: (fields) => client.organizations.create(fields as never, options),
    update: (id, fields) => client.organizations.update(id, fields, options),
    delete: (id) => client.organizations.delete(id, options),
  }),
};
