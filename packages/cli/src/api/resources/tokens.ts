import type { Resource } from './resource.js';

export const tokens: Resource = {
  noun: 'token',
  plural: 'tokens',
  command: 'tokens',
  schema: 'accessToken',
  listSchema: 'accessToken',
  title: 'description',
  inOrganization: false,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'description', header: 'DESCRIPTION', priority: 0 },
    { field: 'permission', header: 'PERMISSION', priority: 0 },
    { field: 'created_at', header: 'CREATED', priority: 1, day: true },
  ],
  verbs: (client, _organization, options) => ({
    list: (page) => client.accessTokens.list({ ...options, page }),
    create: (fields) => client.accessTokens.create(fields as never, options),
    delete: (id) => client.accessTokens.delete(id, options),
  }),
};
