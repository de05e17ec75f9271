import type { Resource } from './resource.js';

export const address: Resource = {
  noun: 'address',
  plural: 'addresses',
  command: 'address',
  schema: 'addressRepresentation',
  listSchema: 'addressRepresentation',
  title: 'address_one',
  inOrganization: false,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'address_one', header: 'ADDRESS', priority: 0 },
    { field: 'city', header: 'CITY', priority: 0 },
    { field: 'state', header: 'STATE', priority: 1 },
    { field: 'postal_code', header: 'POSTAL_CODE', priority: 1 },
    { field: 'country_code', header: 'COUNTRY', priority: 1 },
  ],
  verbs: (client, _organization, options) => ({
    get: () => client.address.get(options),
    update: (_id, fields) => client.address.update(fields, options),
    delete: () => client.address.delete(options),
  }),
};
