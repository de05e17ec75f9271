import type { CallOptions, ListOptions, ListPromise, Marketplace } from '@mkt/sdk';
import type { FieldKinds } from '@mkt/sdk/contract';
import { computedValue, hasKind } from '@mkt/sdk/contract/resources';
import type { DraftResource, Resource } from '../api/labels.js';
import type { Invocation, SchemaName } from '../context/command.js';
import type { Flag } from '../context/flags.js';
import { type Column, columnOf, type View } from '../output/view.js';
import { type Row, valueAt } from '../text/values.js';

/** A resource and its columns in a table. */
export interface Listing {
  readonly resource: Resource;
  readonly columns: readonly Column[];
  /** The filters of its list that also choose what an action on several changes. */
  readonly filters?: readonly Flag[];
  /** Whether its rows are those of a list below an item. */
  readonly isBelow?: boolean;
  /** What the history adds to the fields of the resource. */
  readonly adds?: FieldKinds;
  /** Its fields, if they are not those of the contract. */
  readonly fields?: readonly string[];
  /** What users look for in the rows, and the API does not say. */
  readonly unknown?: string;
}

/** The computed numbers of a row. */
export const computedIn = (
  { computed }: Pick<Resource, 'computed'>,
  row: Row,
): Readonly<Record<string, number | null>> =>
  Object.fromEntries(Object.entries(computed).map(([name, field]) => [name, computedValue(field, row)]));

/** The row with the computed fields that it does not have, which listing its fields leaves out. */
export function withComputed(resource: Pick<Resource, 'computed'>, row: Row): Row {
  const missing = Object.entries(resource.computed).filter(([name]) => !Object.hasOwn(row, name));
  if (missing.length === 0) return row;
  const properties = missing.map(([name, field]) => [name, { value: computedValue(field, row) }] as const);
  return Object.defineProperties(row, Object.fromEntries(properties));
}

/** What a command calls the SDK with. */
export interface Api {
  readonly client: Marketplace;
  /** Id of the organization; empty for resources of the user. */
  readonly organization: string;
  readonly options: CallOptions;
}

/** A list below an item: the submissions of a campaign. */
export interface NestedListing {
  /** As the command and the last part of its path. */
  readonly name: string;
  /** The contract's schema of its rows. */
  readonly schema: SchemaName;
  readonly columns: readonly Column[];
  readonly list: (api: Api & { readonly options: ListOptions }, id: string) => ListPromise<Row>;
}

/** One of campaigns or collabs. */
export interface DraftListing extends Listing {
  readonly resource: DraftResource;
}

/** The fields of a request as people read them: of a file, its name. */
export const shownFields = (fields: Row): Row =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      valueAt(value, 'data') instanceof Uint8Array ? valueAt(value, 'name') : value,
    ]),
  );

const fieldsOf =
  (schema: string, { adds = {} }: Listing) =>
  async () => [...(await import('../api/field-flags.js')).fieldNames(schema), ...Object.keys(adds)];

/** Computed fields are known to `--fields`, but not printed without it. */
const completing = ({ resource }: Listing): Pick<View, 'computed' | 'complete'> => ({
  computed: Object.keys(resource.computed),
  complete: (row) => withComputed(resource, row),
});

export const listView = (presenter: Listing): View => ({
  ...completing(presenter),
  kinds: presenter.resource.fields,
  columns: presenter.columns,
  fields: presenter.fields ?? fieldsOf(presenter.resource.listSchema, presenter),
  unlisted: { fields: fieldsOf(presenter.resource.schema, presenter), command: presenter.resource.command },
});

/** The data about a resource that no longer exists. */
export const goneView: View = { columns: [], fields: ['id', 'ok', 'result'] };

export const detailView = (presenter: Listing): View => ({
  ...completing(presenter),
  kinds: presenter.resource.fields,
  columns: presenter.columns,
  fields: fieldsOf(presenter.resource.schema, presenter),
});

/** The resource with the fields that the history adds because of the flags that are given. */
export function withAdded(listing: Listing, { command, flags }: Invocation): Listing {
  const given = (command.flags ?? []).filter(({ name }) => flags[name] !== undefined);
  const adds: FieldKinds = Object.assign({}, ...given.map(({ filter }) => filter?.adds ?? {}));
  if (Object.keys(adds).length === 0) return listing;
  const { resource, columns } = listing;
  return {
    ...listing,
    adds,
    resource: { ...resource, fields: { ...resource.fields, ...adds } },
    columns: [...columns, ...Object.keys(adds).map(columnOf)],
  };
}

/** The same, with all changed fields that fit in a cell as columns. */
export const changedView = (view: View, changed: readonly string[], row: Row): View =>
  withColumns(
    view,
    changed.filter((field) => valueAt(row, field) !== undefined && !hasKind(view.kinds ?? {}, field, 'richText')),
  );

/** The same, with columns for these fields that are never dropped. */
export function withColumns({ columns, ...view }: View, fields: readonly string[]): View {
  const shown = columns.map((column) => (fields.includes(column.field) ? { ...column, priority: 0 } : column));
  const others = fields.filter((field) => !columns.some((column) => column.field === field));
  return {
    columns: [...shown, ...others.map(columnOf)],
    ...view,
  };
}
