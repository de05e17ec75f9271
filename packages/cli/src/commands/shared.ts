import type { Argument, Flag } from './command.js';

/** The flags of every list. */
export const listFlags: readonly Flag[] = [
  { name: 'page', kind: 'integer', value: 'N', description: 'This page alone, in one request (default: page 1)' },
  { name: 'limit', kind: 'integer', value: 'N', description: 'At most N rows, from as many pages as that takes' },
  { name: 'all', kind: 'switch', description: 'All pages' },
  { name: 'sort', kind: 'text', value: 'FIELD', description: 'Sort by a field; -FIELD for the largest first' },
];

/** What filtering means for the number of requests: said once, in the help of every list that filters. */
export const filterNote =
  'Filters and --sort are applied by mkt and not by the service, so they read all pages unless --page or --limit is given. With --sort, --limit keeps the first N of all rows.';

export const oneId = (noun: string): readonly Argument[] => [
  { name: 'id', required: true, description: `Id of the ${noun}, as list shows it` },
];

export const manyIds = (noun: string): readonly Argument[] => [
  { name: 'id', required: true, variadic: true, description: `Id of the ${noun}; several are possible` },
];
