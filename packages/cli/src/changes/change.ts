import { hasKind } from '@mkt/sdk/contract/resources';
import { capital, past } from '../api/errors/explain.js';
import { fieldNames } from '../api/field-flags.js';
import type { Resource } from '../api/labels.js';
import { operationsOf } from '../api/operations.js';
import { organizationFor } from '../api/organization.js';
import type { FieldsOf, Invocation, SchemaName } from '../context/command.js';
import type { Context } from '../context/context.js';
import { type Flag, type FlagValues, placeFlags } from '../context/flags.js';
import { CliError, usageError } from '../errors/cli-error.js';
import { collectFields } from '../fields/collect.js';
import { flagsOf } from '../fields/flags-of.js';
import { remember } from '../lists/completion-cache.js';
import { Connection, connect, find, findId, labelOf, namedOrPicked, pick } from '../lists/connection.js';
import { type Api, changedView, type DraftListing, detailView, type Listing, shownFields } from '../lists/presenter.js';
import { didYouMean, nearest } from '../text/nearest.js';
import {
  cellText,
  idOf,
  type JsonObject,
  pick as pickFields,
  type Row,
  sanitizeLine,
  valueAt,
} from '../text/values.js';
import { confirm } from './confirm.js';
import { failureCode } from './outcomes.js';

/** What makes a new one, and what the user may do then. */
export interface Creation<Schema extends SchemaName, Flags extends readonly Flag[]> {
  readonly name?: 'create' | 'connect';
  readonly send: (api: Api, fields: FieldsOf<Schema>, flags: FlagValues<Flags>) => PromiseLike<Row>;
  /** What to do next, after the receipt; `place` is the flags for the same organization. */
  readonly next?: (row: Row, place: string, flags: FlagValues<Flags>) => string;
  /** What the service adds because of the flags, for a dry run. */
  readonly addition?: (flags: FlagValues<Flags>) => string | undefined;
}

/** Notes values that are not in the contract, such as a new platform. The service decides. */
async function noteUnknownValues(context: Context, { command, flags }: Invocation): Promise<void> {
  for (const { name, known } of await flagsOf(command)) {
    for (const value of known === undefined ? [] : [flags[name] ?? []].flat().map(String)) {
      if (known?.includes(value.toLowerCase())) continue;
      context.note(`--${name} ${sanitizeLine(value)} is not a known value.${didYouMean(nearest(value, known ?? []))}`);
    }
  }
}

/** Sends the given fields, and prints what the API created. */
export async function create<Schema extends SchemaName, Flags extends readonly Flag[]>(
  context: Context,
  invocation: Invocation<Flags, Schema>,
  listing: Listing,
  { name: action = 'create', send, next, addition }: Creation<Schema, Flags>,
): Promise<void> {
  const { resource } = listing;
  const connection = await connect(context, listing);
  const view = detailView(listing);
  await context.print.checkKnown(view);
  // Without any flag, a terminal asks for the name, also if the service has a default.
  const flagsGiven: Readonly<Record<string, unknown>> = invocation.flags;
  const isBare = context.interactive && Object.keys(invocation.flags).length === 0;
  const fields = await collectFields(context, invocation, { optional: isBare ? resource.title : undefined });
  await noteUnknownValues(context, invocation);
  const { schema } = invocation.command.fields ?? {};
  if (flagsGiven['dry-run'] === true && schema !== undefined) {
    const { showCreations } = await import('./creation-plan.js');
    return showCreations(connection, schema, [fields], { action, remark: addition?.(invocation.flags) });
  }
  const row = await connection.explained(action, undefined, () => send(connection.api, fields, invocation.flags));
  remember(connection, [row], {});
  await connection.receipt(capital(past(action)), row, fields);
  if (next !== undefined) context.note(next(row, placeFlags(context), invocation.flags));
  await context.print.changed(row, view);
}

type CopyInvocation = Invocation & {
  readonly flags: { readonly 'to-org'?: string; readonly each?: boolean; readonly 'dry-run'?: boolean };
};

/** The fields of each copy: the given ones, and those of the original; with `--each`, one copy for each country. */
function copiesOf(
  original: JsonObject,
  given: JsonObject,
  defaultName: string,
  isEach: boolean,
): readonly JsonObject[] {
  const { countries } = given;
  if (!isEach) return [{ ...original, name: defaultName, ...given }];
  if (!Array.isArray(countries) || countries.length === 0) {
    throw usageError('--each needs --countries.', 'Such as --countries DE,AT,CH --each');
  }
  const name = cellText(given.name ?? original.name);
  return countries.map((country) => ({ ...original, ...given, countries: [country], name: `${name} (${country})` }));
}

/** Creates a draft with the fields of another one, in the same organization or in another; with `--each`, several. */
export async function copy(
  context: Context,
  invocation: CopyInvocation,
  listing: DraftListing,
  next: (row: Row, place: string) => string,
): Promise<void> {
  const { resource } = listing;
  const { 'to-org': to, each: isEach = false, 'dry-run': isDryRun = false } = invocation.flags;
  const given: JsonObject = { ...(await collectFields(context, invocation)) };
  if (given.name !== undefined && cellText(given.name).trim() === '') throw usageError('--name is empty.');
  // Rejects --each without countries before anything is read.
  copiesOf({}, given, '', isEach);
  const word = await namedOrPicked(context, listing, invocation);
  const connection = await connect(context, listing);
  const { client, options } = connection.api;
  const view = detailView(listing);
  await context.print.checkKnown(view);
  const source = await find(connection, word);
  const here = await context.organization();
  const organization = to === undefined ? here : await organizationFor(context, { value: to, origin: '--to-org' });
  const original: JsonObject = { ...pickFields(source, fieldNames(resource.creation)) };
  const defaultName = `${cellText(original.name)}${organization.id === here.id ? ' (copy)' : ''}`;
  const copies = copiesOf(original, given, defaultName, isEach);
  const there = new Connection(context, listing, connection.api, organization);
  if (isDryRun) {
    const { showCreations } = await import('./creation-plan.js');
    return showCreations(there, resource.creation, copies);
  }
  const { create: send } = operationsOf(resource, client, organization.id, options);
  const place = placeFlags({ options: { ...context.options, ...(to !== undefined && { org: to }) } });
  const created: Row[] = [];
  try {
    for (const fields of copies) {
      const row = await there.explained('create', undefined, () => send(fields));
      created.push(row);
      remember(there, [row], {});
      await there.receipt('Created', row, fields);
      context.note(next(row, place));
    }
  } catch (error) {
    if (!(error instanceof CliError) || created.length === 0) throw error;
    throw new CliError({
      ...error.details,
      ...failureCode([error], true),
      message: `Created ${created.length} of ${copies.length} ${resource.plural}. ${error.message}`,
      lines: [
        `Not created: ${copies
          .slice(created.length)
          .map(({ name }) => sanitizeLine(cellText(name)))
          .join(', ')}.`,
      ],
    });
  }
  if (valueAt(source, 'banner_image_url'))
    context.note('The banner image is not copied, because the API takes no banners.');
  const [only] = created;
  if (isEach) await context.print.rows([created], view);
  else if (only !== undefined) await context.print.changed(only, view);
}

/** `countries: US -> DE,AT`, for each field; the text of a brief is too long for a plan. */
function changesText({ fields: kinds }: Resource, row: Row, fields: Row): string {
  const shown = (value: unknown): string => sanitizeLine(cellText(value)) || 'none';
  const texts = Object.entries(shownFields(fields)).map(([field, to]) =>
    hasKind(kinds, field, 'richText')
      ? `${field}: changes`
      : `${field.replaceAll('_', ' ')}: ${shown(valueAt(row, field))} -> ${shown(to)}`,
  );
  return `${texts.join(', ')}.`;
}

/** Sends only the given fields. */
export async function update(context: Context, invocation: Invocation, listing: Listing): Promise<void> {
  const { args, flags, command } = invocation;
  const isBulk =
    args.length > 1 ||
    args.includes('-') ||
    flags['dry-run'] === true ||
    (command.flags ?? []).some(({ name, filter }) => filter !== undefined && flags[name] !== undefined);
  const state = listing.resource.states?.field ?? '';
  const other = command.insteadOf?.[state];
  if (args.length > 0 && flags[state] !== undefined && other !== undefined)
    throw usageError(`--${state} chooses ${listing.resource.plural}, so it cannot be used with ids.`, other);
  const picked = args.length === 0 && !isBulk ? await pick(context, listing, invocation) : undefined;
  const word = picked === undefined ? (args[0] ?? '') : idOf(picked);
  const fields = await collectFields(context, invocation);
  if (Object.keys(fields).length === 0) {
    const names = (await flagsOf(invocation.command)).flatMap(({ name, field }) => (field ? [`--${name}`] : []));
    throw usageError('Nothing to change: no fields were given.', `One or more of: ${names.join(' ')}`);
  }
  const connection = await connect(context, listing);
  const view = detailView(listing);
  await context.print.checkKnown(view);
  await noteUnknownValues(context, invocation);
  if (isBulk) {
    const { changeFields } = await import('./bulk.js');
    return changeFields(context, invocation, listing, fields, {
      name: 'update',
      consequence: (row) => changesText(listing.resource, row, fields),
    });
  }
  if (picked !== undefined) await confirm(context, `Really update ${labelOf(listing.resource, picked)}`);
  const id = await findId(connection, word);
  const row = await connection.explained('update', id, () => connection.operation('update')(id, { ...fields }));
  await connection.receipt('Updated', row, fields);
  await context.print.changed(row, changedView(view, Object.keys(fields), row));
}
