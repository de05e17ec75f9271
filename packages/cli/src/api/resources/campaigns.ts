import type { Resource } from './resource.js';

export const campaigns: Resource = {
  noun: 'campaign',
  plural: 'campaigns',
  command: 'campaigns',
  schema: 'campaign',
  listSchema: 'campaignListItem',
  title: 'name',
  inOrganization: true,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'name', header: 'NAME', priority: 0 },
    { field: 'status', header: 'STATUS', priority: 1 },
    { field: 'cpm_amount', header: 'CPM', priority: 5, align: 'right' },
    { field: 'total_budget_amount', header: 'BUDGET', priority: 2, align: 'right' },
    { field: 'unused_amount', header: 'UNUSED', priority: 4, align: 'right' },
    { field: 'view_count', header: 'VIEWS', priority: 3, align: 'right' },
    { field: 'submissions_count', header: 'SUBMISSIONS', priority: 3, align: 'right' },
    { field: 'published_at', header: 'PUBLISHED', priority: 6, day: true },
  ],
  verbs: (client, organization, options) => ({
    list: (page) => client.campaigns.list(organization, { ...options, page }),
    get: (id) => client.campaigns.get(organization, id, options),
    create: (fields) => client.campaigns.create(organization, fields as never, options),
    update: (id, fields) => client.campaigns.update(organization, id, fields, options),
    delete: (id) => client.campaigns.delete(organization, id, options),
    actions: {
      publish: (id) => client.campaigns.publish(organization, id, options),
      pause: (id) => client.campaigns.pause(organization, id, options),
      resume: (id) => client.campaigns.resume(organization, id, options),
    },
  }),
};
