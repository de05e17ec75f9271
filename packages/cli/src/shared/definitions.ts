import type { Resource } from '../api/resources.js';
import { type Argument, type Command, defineCommand } from '../context/command.js';
import type { Row } from '../text/row.js';
import type { BulkAction } from './bulk.js';
import type { Listing } from './presenter.js';

/** The handlers of all resource commands: one chunk, loaded when one of them runs. */
export const handlers = () => import('./crud.js');

/** `<id>`, completed from recent lists. */
export const oneId = ({ noun, command }: Resource) =>
  [
    { name: 'id', required: true, description: `Id of the ${noun}, as list shows it`, completes: { listed: command } },
  ] as const satisfies readonly Argument[];

/** `<id...>`. */
export const manyIds = ({ noun, command }: Resource) =>
  [
    {
      name: 'id',
      required: true,
      variadic: true,
      description: `Id of the ${noun}; several are possible`,
      completes: { listed: command },
    },
  ] as const satisfies readonly Argument[];

interface StateChange extends BulkAction<Row>, Pick<Command, 'summary' | 'notes'> {
  /** Ids in the demo data for the two examples: one, and several. */
  readonly demoIds: readonly [string, string];
}

/** A command that changes the state of one or several, such as `publish`. */
export const stateCommand = (
  listing: Listing,
  { summary, notes = [], demoIds: [one, several], ...action }: StateChange,
): Command =>
  defineCommand({
    name: action.verb,
    summary,
    notes,
    args: manyIds(listing.resource),
    prints: listing.resource.schema,
    examples: [
      { line: `mkt ${listing.resource.command} ${action.verb} ${one} --org 5` },
      { line: `mkt ${listing.resource.command} ${action.verb} ${several} --org 5 --yes`, about: 'Several at once' },
    ],
    run: async (context, invocation) => (await handlers()).changeState(context, invocation, listing, action),
  });
