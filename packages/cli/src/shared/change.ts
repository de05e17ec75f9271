import { capital, past, withErrorContext } from '../api/errors/explain.js';
import { fieldNames } from '../api/field-flags.js';
import { organizationFor } from '../api/organization.js';
import type { Argument, FieldsOf, Invocation, SchemaName } from '../context/command.js';
import type { Context } from '../context/context.js';
import type { Flag, FlagValues } from '../context/flags.js';
import { placeFlags } from '../context/next-command.js';
import { usageError } from '../errors/cli-error.js';
import { cellText, pick as pickFields, type Row, valueAt } from '../text/row.js';
import { collectFields } from './fields/collect.js';
import { flagsOf } from './fields/flags-of.js';
import { find, findId, isNumber, pick } from './find.js';
import { operationsOf } from './operations.js';
import {
  type Api,
  changedView,
  connect,
  type DraftListing,
  detailView,
  type Listing,
  labelOf,
  type Presenter,
  placeOf,
} from './presenter.js';

type FieldsInvocation<Schema extends SchemaName> = Invocation<readonly Flag[], readonly Argument[], Schema>;

/** Prints one resource with all its fields. */
export async function show(
  context: Context,
  invocation: Invocation & { readonly flags: { readonly web?: boolean } },
  listing: Listing,
): Promise<void> {
  const { resource } = listing;
  const word = invocation.args[0] ?? (await pick(context, listing, invocation));
  if (invocation.flags.web === true) {
    const found =
      isNumber(word) || !resource.hasPages
        ? word
        : await findId(context, listing, await connect(context, resource), word);
    return (await import('./browse.js')).openPage(context, resource, resource.hasPages ? found : undefined);
  }
  const connection = await connect(context, resource);
  const view = await detailView(listing, context.print.needsFields);
  await context.print.row(await find(context, listing, connection, word), view);
}

/** What makes a new one, and what the user may do then. */
export interface Creation<Schema extends SchemaName, Flags extends readonly Flag[]> {
  readonly name?: 'create' | 'connect';
  readonly send: (api: Api, fields: FieldsOf<Schema>, flags: FlagValues<Flags>) => PromiseLike<Row>;
  /** What to do next, after the receipt; `place` is the flags for the same organization. */
  readonly next?: (row: Row, place: string) => string;
}

/** Sends the given fields, and prints what the API created. */
export async function create<Schema extends SchemaName, Flags extends readonly Flag[]>(
  context: Context,
  invocation: Invocation<Flags, readonly Argument[], Schema>,
  presenter: Presenter,
  { name: action = 'create', send, next }: Creation<Schema, Flags>,
): Promise<void> {
  const { resource } = presenter;
  const { api, organization } = await connect(context, resource);
  const view = await detailView(presenter, true);
  context.print.checkKnown(view);
  // Without any flag, a terminal asks for the name, also if the service has a default.
  const isBare = context.interactive && Object.keys(invocation.flags).length === 0;
  const fields = await collectFields(context, invocation, { optional: isBare ? resource.title : undefined });
  const row = await withErrorContext(context, { action, resource, organization }, () =>
    send(api, fields, invocation.flags),
  );
  context.note(`${capital(past(action))} ${labelOf(resource, row)}${await placeOf(organization)}`);
  if (next !== undefined) context.note(next(row, placeFlags(context)));
  await context.print.changed(row, view);
}

type CopyInvocation = Invocation & { readonly flags: { readonly 'to-org'?: string; readonly name?: string } };

/** Creates a draft with the fields of another one, in the same organization or in another. */
export async function copy(
  context: Context,
  invocation: CopyInvocation,
  listing: DraftListing,
  next: (row: Row, place: string) => string,
): Promise<void> {
  const { resource } = listing;
  const { 'to-org': to, name } = invocation.flags;
  const word = invocation.args[0] ?? (await pick(context, listing, invocation));
  const connection = await connect(context, resource);
  const { client, options } = connection.api;
  const view = await detailView(listing, true);
  context.print.checkKnown(view);
  const source = await find(context, listing, connection, word);
  const here = await context.organization();
  const organization = to === undefined ? here : await organizationFor(context, { value: to, origin: '--to-org' });
  const defaultName = `${cellText(valueAt(source, 'name'))}${organization.id === here.id ? ' (copy)' : ''}`;
  const fields = { ...pickFields(source, fieldNames(resource.creation)), name: name ?? defaultName };
  const row = await withErrorContext(context, { action: 'create', resource, organization }, () =>
    operationsOf(resource, client, organization.id, options).create(fields),
  );
  context.note(`Created ${labelOf(resource, row)}${await placeOf(organization)}`);
  context.note(next(row, placeFlags({ options: { ...context.options, ...(to !== undefined && { org: to }) } })));
  if (valueAt(source, 'banner_image_url'))
    context.note('The banner image is not copied, because the API takes no banners.');
  await context.print.changed(row, view);
}

/** Sends only the given fields. */
export async function update<Schema extends SchemaName>(
  context: Context,
  invocation: FieldsInvocation<Schema>,
  listing: Listing,
  send: (api: Api, id: string, fields: FieldsOf<Schema>) => PromiseLike<Row>,
): Promise<void> {
  const { resource } = listing;
  const word = invocation.args[0] ?? (await pick(context, listing, invocation));
  const fields = await collectFields(context, invocation);
  if (Object.keys(fields).length === 0) {
    const names = (await flagsOf(invocation.command)).flatMap(({ name, field }) => (field ? [`--${name}`] : []));
    throw usageError('Nothing to change: no fields were given.', `One or more of: ${names.join(' ')}`);
  }
  const connection = await connect(context, resource);
  const { api, organization } = connection;
  const view = await detailView(listing, true);
  context.print.checkKnown(view);
  const id = await findId(context, listing, connection, word);
  const row = await withErrorContext(context, { action: 'update', resource, id, organization }, () =>
    send(api, id, fields),
  );
  context.note(`Updated ${labelOf(resource, row)}${await placeOf(organization)}`);
  await context.print.changed(row, changedView(view, Object.keys(fields)));
}
