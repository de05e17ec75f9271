import type { States } from '@mkt/sdk/contract/resources';
import type { Flag } from '../context/command.js';

/** The flags of every list. */
export const listFlags = [
  { name: 'page', kind: 'integer', value: 'N', description: 'This page alone, in one request (default: page 1)' },
  { name: 'limit', kind: 'integer', value: 'N', description: 'At most N rows, from as many pages as that takes' },
  { name: 'all', kind: 'switch', description: 'All pages' },
  { name: 'sort', kind: 'text', value: 'FIELD', description: 'Sort by a field; -FIELD for the largest first' },
] as const satisfies readonly Flag[];

/** What filtering means for the number of requests; in the help of every list that filters. */
export const filterNote =
  'Filters and --sort are applied by mkt and not by the service, so they read all pages unless --page or --limit is given. With --sort, --limit keeps the first N of all rows.';

export const draftsNote = 'Members see no drafts; admins see all.';

export const byName = {
  name: 'name',
  kind: 'text',
  value: 'TEXT',
  description: 'Only names that contain this',
  filter: { field: 'name', match: 'contains' },
} as const satisfies Flag;

export const byCountry = {
  name: 'country',
  kind: 'list',
  value: 'CODE',
  description: 'Only those for a country',
  filter: { field: 'countries', match: 'equals' },
} as const satisfies Flag;

/** One of the states of the resource. */
export const byState = <const Field extends string>({ field, names }: States<Field>) =>
  ({
    name: field,
    kind: 'list',
    value: field.toUpperCase(),
    description: `Only ${names.slice(0, -1).join(', ')} or ${names.at(-1)}; several with commas`,
    filter: { field, match: 'equals' },
  }) as const satisfies Flag;
