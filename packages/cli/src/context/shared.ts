import type { Argument, Flag, Leaf } from './command.js';

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

export const draftsNote = 'Members see no drafts; admins see all.';

export const byName: Flag = {
  name: 'name',
  kind: 'text',
  value: 'TEXT',
  description: 'Only names that contain this',
  filter: { field: 'name', match: 'contains' },
};

export const byCountry: Flag = {
  name: 'country',
  kind: 'list',
  value: 'CODE',
  description: 'Only those for a country',
  filter: { field: 'countries', match: 'equals' },
};

export const oneId = (noun: string): readonly Argument[] => [
  { name: 'id', required: true, description: `Id of the ${noun}, as list shows it` },
];

export const manyIds = (noun: string): readonly Argument[] => [
  { name: 'id', required: true, variadic: true, description: `Id of the ${noun}; several are possible` },
];

interface Action extends Pick<Leaf, 'name' | 'summary' | 'load'> {
  /** Ids of the demo data for the two examples: one, and several. */
  readonly ids: readonly [string, string];
}

/** A command that changes the state of one or several. */
export const actionOn = (noun: 'campaign' | 'collab', { name, summary, ids, load }: Action): Leaf => ({
  name,
  summary,
  args: manyIds(noun),
  prints: noun,
  examples: [
    { line: `mkt ${noun}s ${name} ${ids[0]} --org 5` },
    { line: `mkt ${noun}s ${name} ${ids[1]} --org 5 --yes`, about: 'Several at once' },
  ],
  load,
});
