import type { DraftResource } from '../api/labels.js';
import {
  type Argument,
  type Command,
  type CommandData,
  defineCommand,
  type FieldFlags,
  type Invocation,
  type SchemaName,
} from '../context/command.js';
import type { Context } from '../context/context.js';
import type { Flag } from '../context/flags.js';
import {
  createdBeforeFlag,
  inOrganizations,
  manyIds,
  oneId,
  printed,
  sinceFlag,
  type Texts,
} from '../lists/definitions.js';
import type { DraftListing, Listing } from '../lists/presenter.js';
import { type Row, textAt } from '../text/values.js';
import type { Creation } from './change.js';
import type { BulkAction } from './targets.js';

export const dryRunFlag = {
  name: 'dry-run',
  kind: 'switch',
  description: 'Show what would be done, and change nothing',
} as const satisfies Flag;

/** Flags that choose all that match instead of ids, for resources that have such filters. */
const bulkFlags = ({ filters = [] }: Listing): readonly Flag[] =>
  filters.length === 0 ? [dryRunFlag] : [...filters, sinceFlag, createdBeforeFlag, dryRunFlag];

/** Runs a dry run without ids in each of the organizations that the command line names. All else changes one. */
const inEachDryRun = (
  context: Context,
  { args, flags }: Omit<Invocation, 'flags'> & { readonly flags: { readonly 'dry-run'?: unknown } },
  run: (context: Context) => Promise<void>,
): Promise<void> =>
  flags['dry-run'] === true && args.length === 0
    ? inOrganizations(context, { done: 'Planned the changes of' }, run)
    : run(context);

interface CreateDefinition<Schema extends SchemaName, Flags extends readonly Flag[]>
  extends Texts,
    Creation<Schema, Flags>,
    Pick<CommandData<Flags, Schema>, 'flags'> {
  readonly fields: FieldFlags<Schema>;
}

export const createCommand = <const Schema extends SchemaName, const Flags extends readonly Flag[] = readonly []>(
  listing: Listing,
  definition: CreateDefinition<Schema, Flags>,
): Command =>
  defineCommand({
    name: 'create',
    ...definition,
    flags: [...(definition.flags ?? []), dryRunFlag] as readonly Flag[],
    ...printed(listing),
    run: async (context, invocation) => {
      const { create } = await import('./change.js');
      // The parser returns values of the types that the definition names.
      await create(context, invocation as Invocation<Flags, Schema>, listing, definition);
    },
  });

/** The next step for a resource that starts as a draft. */
export const draftNext =
  ({ name, states }: DraftResource, action: string, gaps: (row: Row, place: string) => string = () => '') =>
  (row: Row, place: string): string => {
    const state = textAt(row, states.field);
    if (state !== states.initial) return `It is ${state}.`;
    const next = `It is a draft. Next: mkt ${name} ${action} ${textAt(row, 'id')}${place}`;
    return [next, gaps(row, place)].filter((line) => line !== '').join('\n');
  };

interface UpdateDefinition extends Texts {
  /** What changes the state: `publish, pause and resume`. */
  readonly stateChanges?: string;
  readonly args?: readonly Argument[];
  readonly fields: FieldFlags;
}

export const updateCommand = (
  listing: Listing,
  { args, stateChanges, notes = [], ...definition }: UpdateDefinition,
): Command => {
  const state = listing.resource.states?.field;
  const insteadOf: Record<string, string> =
    state === undefined || stateChanges === undefined
      ? {}
      : { [state]: `To change the ${state}, use ${stateChanges}.` };
  return defineCommand({
    ...definition,
    notes: [...notes, ...Object.values(insteadOf)],
    insteadOf,
    name: 'update',
    args: args ?? [manyIds(listing.resource)],
    // A filter named as a field that can be set would be the flag that sets it.
    flags:
      args === undefined
        ? bulkFlags(listing).filter(({ name, filter }) => filter?.field !== name || name === state)
        : [dryRunFlag],
    ...printed(listing),
    run: (context, invocation) =>
      inEachDryRun(context, invocation, async (each) =>
        (await import('./change.js')).update(each, invocation, listing),
      ),
  });
};

/** A command that creates a draft with the fields of another one. */
export const copyCommand = (listing: DraftListing, next: (row: Row, place: string) => string): Command =>
  defineCommand({
    name: 'copy',
    summary: `Create a draft ${listing.resource.singular} with the fields and the brief of another one`,
    args: [oneId(listing.resource)],
    flags: [
      {
        name: 'to-org',
        kind: 'text',
        value: 'ID|NAME',
        description: 'Organization to create it in; by default the same one',
        completes: { listed: 'organizations', names: true },
      },
      {
        name: 'each',
        kind: 'switch',
        description: 'One draft for each of --countries, with the country in its name',
      },
      dryRunFlag,
    ],
    notes: [
      'Fields that you give replace those of the original. By default, the name of a copy in the same organization ends with "(copy)".',
    ],
    fields: { schema: listing.resource.creation, wrapper: listing.resource.singular, partial: true },
    ...printed(listing),
    examples: [
      { line: `mkt ${listing.resource.name} copy 3 --org 5 --name 'Second wave'` },
      {
        line: `mkt ${listing.resource.name} copy 3 --org 5 --countries DE,AT,CH --each`,
        about: 'One for each country',
      },
      { line: `mkt ${listing.resource.name} copy 3 --org 5 --to-org 7`, about: 'For another brand' },
    ],
    run: async (context, invocation) => (await import('./change.js')).copy(context, invocation, listing, next),
  });

/** A command that opens one in the editor. */
export const editCommand = (listing: DraftListing): Command =>
  defineCommand({
    name: 'edit',
    summary: `Change a ${listing.resource.singular} in your editor (VISUAL or EDITOR)`,
    args: [oneId(listing.resource)],
    prints: listing.resource.schema,
    examples: [
      { line: `mkt ${listing.resource.name} edit 3 --org 5`, exit: 2 },
      { line: `mkt ${listing.resource.name} edit 3 --org 5 --json`, exit: 2 },
    ],
    run: async (context, invocation) => (await import('./edit.js')).edit(context, invocation, listing),
  });

/** A command that deletes one or several, each named by its id. */
export const deleteCommand = (
  listing: Listing,
  { summary, examples, args = [oneId(listing.resource)], ...action }: Texts & BulkAction & Pick<Command, 'args'>,
): Command =>
  defineCommand({
    name: action.name,
    summary,
    args,
    flags: bulkFlags(listing),
    examples,
    run: (context, invocation) =>
      inEachDryRun(context, invocation, async (each) =>
        (await import('./bulk.js')).destroy(each, invocation, listing, action),
      ),
  });

interface StateChange extends BulkAction, Pick<Command, 'summary' | 'notes'> {
  /** Ids in the demo data for the two examples: one, and several. */
  readonly demoIds: readonly [string, string];
}

/** A command that changes the state of one or several, such as `publish`. */
export const stateCommand = (
  listing: Listing,
  { summary, notes = [], demoIds: [one, several], ...action }: StateChange,
): Command =>
  defineCommand({
    name: action.name,
    summary,
    notes,
    args: [manyIds(listing.resource)],
    flags: bulkFlags(listing),
    ...printed(listing),
    examples: [
      { line: `mkt ${listing.resource.command} ${action.name} ${one} --org 5${action.isFinal ? ' --yes' : ''}` },
      { line: `mkt ${listing.resource.command} ${action.name} ${several} --org 5 --yes`, about: 'Several at once' },
      {
        line: `mkt ${listing.resource.command} ${action.name} --name glow --org 5 --dry-run`,
        about: 'All that match and can change',
      },
    ],
    run: (context, invocation) =>
      inEachDryRun(context, invocation, async (each) =>
        (await import('./bulk.js')).changeState(each, invocation, listing, action),
      ),
  });
