import type { Resource } from './resource.js';

export const socialAccounts: Resource = {
  noun: 'social account',
  plural: 'social accounts',
  command: 'social-accounts',
  schema: 'socialAccount',
  listSchema: 'socialAccount',
  title: 'account_url',
  inOrganization: false,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'platform_id', header: 'PLATFORM', priority: 0 },
    { field: 'account_url', header: 'ACCOUNT', priority: 0 },
    { field: 'status', header: 'STATUS', priority: 1 },
    { field: 'subscriber_count', header: 'SUBSCRIBERS', priority: 2, align: 'right' },
    { field: 'view_count', header: 'VIEWS', priority: 3, align: 'right' },
    { field: 'engagement_rate', header: 'ENGAGEMENT', priority: 4, align: 'right' },
    { field: 'last_synced_at', header: 'SYNCED', priority: 5, day: true },
  ],
  verbs: (client, _organization, options) => ({
    list: (page) => client.socialAccounts.list({ ...options, page }),
    get: (id) => client.socialAccounts.get(id, options),
    create: (fields) => client.socialAccounts.create(fields as never, options),
    delete: (id) => client.socialAccounts.delete(id, options),
  }),
};
