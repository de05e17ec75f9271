import type { Resource } from './resource.js';

export const collabs: Resource = {
  noun: 'collab',
  plural: 'collabs',
  command: 'collabs',
  schema: 'collab',
  listSchema: 'collabListItem',
  title: 'name',
  inOrganization: true,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'name', header: 'NAME', priority: 0 },
    { field: 'state', header: 'STATE', priority: 1 },
    { field: 'countries', header: 'COUNTRIES', priority: 4 },
    { field: 'submissions_count', header: 'SUBMISSIONS', priority: 2, align: 'right' },
    { field: 'completed_count', header: 'COMPLETED', priority: 3, align: 'right' },
    { field: 'published_at', header: 'PUBLISHED', priority: 5, day: true },
  ],
  verbs: (client, organization, options) => ({
    list: (page) => client.collabs.list(organization, { ...options, page }),
    get: (id) => client.collabs.get(organization, id, options),
    create: (fields, query) => client.collabs.create(organization, fields, { ...options, ...query }),
    update: (id, fields) => client.collabs.update(organization, id, fields, options),
    delete: (id) => client.collabs.delete(organization, id, options),
    actions: {
      submit: (id) => client.collabs.submit(organization, id, options),
      pause: (id) => client.collabs.pause(organization, id, options),
      unpause: (id) => client.collabs.unpause(organization, id, options),
    },
  }),
};
