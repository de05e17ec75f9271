import { capital, past, withErrorContext } from '../api/errors/explain.js';
import type { Argument, FieldsOf, Invocation, SchemaName } from '../context/command.js';
import type { Context } from '../context/context.js';
import type { Flag } from '../context/flags.js';
import { placeFlags } from '../context/next-command.js';
import { usageError } from '../errors/cli-error.js';
import type { Row } from '../text/row.js';
import { collectFields } from './fields/collect.js';
import { flagsOf } from './fields/flags-of.js';
import { type Api, connect, detailView, labelOf, type Presenter, placeOf } from './presenter.js';

type FieldsInvocation<Schema extends SchemaName> = Invocation<readonly Flag[], readonly Argument[], Schema>;
type Send<Schema extends SchemaName> = (api: Api, fields: FieldsOf<Schema>) => PromiseLike<Row>;

interface Shown {
  readonly id: string;
  readonly get: (api: Api, id: string) => PromiseLike<Row>;
  /** Whether to open its page instead. */
  readonly web: boolean | undefined;
}

/** Prints one resource with all its fields. */
export async function show(context: Context, presenter: Presenter, { id, get, web }: Shown): Promise<void> {
  const { resource } = presenter;
  if (web === true)
    return (await import('./browse.js')).openPage(context, resource, resource.hasPages ? id : undefined);
  const { api, organization } = await connect(context, resource);
  const view = await detailView(presenter, context.print.needsFields);
  await withErrorContext(context, { verb: 'show', resource, id, organization }, async () =>
    context.print.row(await get(api, id), view),
  );
}

interface Creation<Schema extends SchemaName> {
  readonly verb: 'create' | 'connect';
  readonly send: Send<Schema>;
  /** What to do next, after the receipt; `place` is the flags for the same organization. */
  readonly next: ((row: Row, place: string) => string) | undefined;
}

/** Sends the given fields, and prints what the API created. */
export async function create<Schema extends SchemaName>(
  context: Context,
  invocation: FieldsInvocation<Schema>,
  presenter: Presenter,
  { verb, send, next }: Creation<Schema>,
): Promise<void> {
  const { resource } = presenter;
  const { api, organization } = await connect(context, resource);
  const view = await detailView(presenter, true);
  context.print.checkKnown(view);
  const fields = await collectFields(context, invocation);
  const row = await withErrorContext(context, { verb, resource, organization }, () => send(api, fields));
  context.note(`${capital(past(verb))} ${labelOf(resource, row)}${await placeOf(organization)}`);
  if (next !== undefined) context.note(next(row, placeFlags(context)));
  await context.print.changed(row, view);
}

/** Sends only the given fields. */
export async function update<Schema extends SchemaName>(
  context: Context,
  invocation: FieldsInvocation<Schema>,
  presenter: Presenter,
  { id, send }: { readonly id: string; readonly send: Send<Schema> },
): Promise<void> {
  const { resource } = presenter;
  const fields = await collectFields(context, invocation);
  if (Object.keys(fields).length === 0) {
    const names = (await flagsOf(invocation.command)).flatMap(({ name, field }) => (field ? [`--${name}`] : []));
    throw usageError('Nothing to change: no fields were given.', `One or more of: ${names.join(' ')}`);
  }
  const { api, organization } = await connect(context, resource);
  const view = await detailView(presenter, true);
  context.print.checkKnown(view);
  const row = await withErrorContext(context, { verb: 'update', resource, id, organization }, () => send(api, fields));
  context.note(`Updated ${labelOf(resource, row)}${await placeOf(organization)}`);
  await context.print.changed(row, view);
}
