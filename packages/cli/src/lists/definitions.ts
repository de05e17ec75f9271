import type { States } from '@mkt/sdk/contract/resources';
import type { Resource } from '../api/labels.js';
import { type Argument, type Command, defineCommand } from '../context/command.js';
import type { Context } from '../context/context.js';
import type { Flag } from '../context/flags.js';
import { PAST_TIMES } from '../fields/past-time.js';
import type { Listing, NestedListing } from './presenter.js';
import type { EachOptions } from './several.js';

/** As in gh and kubectl. */
export const showAliases = ['view', 'get'] as const;

export const webFlag = {
  name: 'web',
  kind: 'switch',
  description: 'Open the page in the browser instead; without a terminal, print its URL',
} as const satisfies Flag;

const timeFlag = <const Name extends string>(name: Name, what: string, field: string, match: 'since' | 'before') =>
  ({ name, kind: 'text', value: 'TIME', description: `Only what ${what}`, filter: { field, match } }) as const;
/** How `mkt campaigns list` and reports group; groups.ts has the groups. */
export const groupByFlag = {
  name: 'group-by',
  kind: 'text',
  value: 'FIELD',
  choices: ['platform', 'country', 'status', 'currency'],
  description: 'Sums by platform, country, status or currency; a campaign on two platforms counts in both',
} as const;

export const sinceFlag = timeFlag('since', `was created since ${PAST_TIMES}`, 'created_at', 'since');
const asSince = 'a time, written as for --since';
export const createdBeforeFlag = timeFlag('created-before', `was created before ${asSince}`, 'created_at', 'before');
export const updatedSince = timeFlag('updated-since', `has changed since ${asSince}`, 'updated_at', 'since');

const listFlags = [
  sinceFlag,
  createdBeforeFlag,
  { name: 'page', kind: 'integer', value: 'N', description: 'Only this page, in one request (default: 1)' },
  { name: 'limit', kind: 'integer', value: 'N', description: 'At most N rows, from as many pages as needed' },
  { name: 'all', kind: 'switch', description: 'All pages' },
  {
    name: 'out',
    kind: 'path',
    value: 'FILE',
    description: 'Write the rows to this file; its ending sets the format, such as .xlsx or .csv',
  },
  { name: 'sort', kind: 'text', value: 'FIELD', description: 'Sort by a field; -FIELD for descending order' },
  webFlag,
] as const satisfies readonly Flag[];

/** A filter by one of several values. */
export const oneOf = <const Name extends string>(
  name: Name,
  field: string,
  value: string,
  description: string,
  known: readonly string[],
) => ({ name, kind: 'list', value, description, filter: { field, match: 'equals', known } }) as const satisfies Flag;

export const byCountry = (description: string) =>
  ({
    name: 'country',
    kind: 'list',
    value: 'CODE',
    description,
    codes: 'country',
    filter: { field: 'countries', match: 'equals' },
  }) as const satisfies Flag;

export const notInCountry = (description: string) =>
  ({
    ...byCountry(description),
    name: 'not-country',
    filter: { field: 'countries', match: 'excludes' },
  }) as const satisfies Flag;

export const byCurrency = (description: string) =>
  ({
    name: 'currency',
    kind: 'list',
    value: 'CODE',
    description,
    codes: 'currency',
    filter: { field: 'currency', match: 'equals' },
  }) as const satisfies Flag;

export const byName = (field: string) =>
  ({
    name: 'name',
    kind: 'text',
    value: 'TEXT',
    description: 'Only names that contain this',
    filter: { field, match: 'contains' },
  }) as const satisfies Flag;

/** One of the states of the resource. */
export const byState = <const Field extends string>({ field, names }: States<Field>) =>
  oneOf(
    field,
    field,
    field.toUpperCase(),
    `Only ${names.slice(0, -1).join(', ')} or ${names.at(-1)}; separate several with commas`,
    names,
  );

/** `[id]`: completed from recent lists, and chosen on a terminal if it is missing. */
export const oneId = ({ singular, command }: Resource): Argument => ({
  name: 'id',
  description: `Id, URL or unique name of the ${singular}; on a terminal you can choose one`,
  completes: { listed: command, names: 'typed' },
});

/** `[id...]`. */
export const manyIds = ({ singular, command }: Resource, states?: readonly string[]): Argument => ({
  name: 'id',
  variadic: true,
  description: `Id, URL or unique name of the ${singular}; you can give several, or - to read ids from a pipe`,
  completes: { listed: command, names: 'typed', states },
});

/** The fields of what a command prints. */
export const printed = ({ resource }: Listing, schema: 'schema' | 'listSchema' = 'schema') => ({
  prints: resource[schema],
  computed: Object.keys(resource.computed),
});

export type Texts = Pick<Command, 'summary' | 'notes' | 'examples'>;

/** Runs a command in each of the organizations that the command line names. */
export async function inOrganizations(
  context: Context,
  options: EachOptions,
  run: (context: Context) => Promise<void>,
): Promise<void> {
  if (!context.mayNameSeveral) return run(context);
  return (await import('./several.js')).inEachOrganization(context, options, run);
}

export const listCommand = (
  listing: Listing,
  { notes = [], flags, ...texts }: Texts & { readonly flags: readonly Flag[] },
): Command =>
  defineCommand({
    ...texts,
    name: 'list',
    aliases: ['ls'],
    notes: [
      'mkt applies filters and --sort itself, not the service, so it reads all pages unless you give --page or --limit. With --sort, --limit prints the first N of all rows; sorted by an amount, the first N of each currency.',
      ...notes,
    ],
    flags: [...flags, ...listFlags],
    ...printed(listing, 'listSchema'),
    run: async (context, invocation) => {
      const { withAdded } = await import('./presenter.js');
      const shown = withAdded(listing, invocation);
      return listing.resource.inOrganization && context.mayNameSeveral
        ? (await import('./several.js')).listSeveral(context, invocation, shown)
        : (await import('./list.js')).list(context, invocation, shown);
    },
  });

/**
 * A command that lists what is below one resource: `mkt campaigns submissions 3`. CONTRIBUTING's worked example uses it.
 * @public
 */
export const nestedListCommand = (listing: Listing, { summary, notes, examples, ...nested }: Texts & NestedListing) =>
  defineCommand({
    name: nested.name,
    summary,
    notes: notes ?? [],
    args: [oneId(listing.resource)],
    // Rows below an item may have no time.
    flags: nested.columns.some(({ field }) => field === 'created_at')
      ? listFlags
      : listFlags.filter((flag) => !('filter' in flag)),
    prints: nested.schema,
    examples,
    run: async (context, invocation) => (await import('./list.js')).listBelow(context, invocation, listing, nested),
  });

export const showCommand = (listing: Listing, texts: Texts): Command =>
  defineCommand({
    ...texts,
    name: 'show',
    aliases: showAliases,
    args: [oneId(listing.resource)],
    flags: [webFlag],
    ...printed(listing),
    run: async (context, invocation) => (await import('./show.js')).show(context, invocation, listing),
  });
