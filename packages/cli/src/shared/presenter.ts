import type { CallOptions, ListOptions, ListPromise, Marketplace } from '@mkt/sdk';
import { idOf } from '../api/organization.js';
import type { DraftResource, Resource } from '../api/resources.js';
import type { Context, Organization } from '../context/context.js';
import type { Flag } from '../context/flags.js';
import type { Column, View } from '../output/view.js';
import { cellText, type Row, valueAt } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';
import { cutTo } from '../text/width.js';

/** A resource and its columns in a table. */
export interface Presenter {
  readonly resource: Resource;
  readonly columns: readonly Column[];
}

/** What a command calls the SDK with. */
export interface Api {
  readonly client: Marketplace;
  /** Id of the organization; empty for resources of the user. */
  readonly organization: string;
  readonly options: CallOptions;
}

/** A resource that has a list. */
export interface Listing extends Presenter {
  /** The filters of the list that also choose what an action on several changes. */
  readonly filters?: readonly Flag[];
  readonly list: (api: Api & { readonly options: ListOptions }) => ListPromise<Row>;
  /** One with all fields. Lists leave out some, such as the brief. */
  readonly get?: (api: Api, id: string) => PromiseLike<Row>;
}

/** One of campaigns or collabs. */
export interface DraftListing extends Listing {
  readonly resource: DraftResource;
}

export interface Connection {
  readonly api: Api;
  readonly organization: Organization | undefined;
}

/** The client, and the organization to work in if the resource belongs to one. */
export async function connect(context: Context, { inOrganization }: Resource): Promise<Connection> {
  const client = await context.client();
  const organization = inOrganization ? await context.organization() : undefined;
  const options = { signal: context.io.interrupted };
  return { api: { client, organization: organization?.id ?? '', options }, organization };
}

/** ` in Acme Cosmetics`, or nothing for a resource of the user. */
export const placeOf = async (organization: Organization | undefined): Promise<string> =>
  organization === undefined ? '' : ` in ${await organization.name()}`;

/** `campaign 12 "Summer UGC"`, as receipts and questions name a resource. */
export function labelOf(resource: Resource, row: Row): string {
  const title = sanitizeLine(cellText(valueAt(row, resource.title)));
  const name = title === '' ? '' : ` "${cutTo(title, 50)}"`;
  return `${resource.singular} ${idOf(row)}${name}`;
}

const viewOf = async (columns: readonly Column[], schema: string, needsFields: boolean): Promise<View> => {
  // Loading the contract is a good part of a command's start-up time.
  const fields = needsFields ? (await import('../api/field-flags.js')).fieldNames(schema) : [];
  return { columns, fields };
};

export async function listView({ resource, columns }: Presenter, needsFields: boolean): Promise<View> {
  const { schema, listSchema, command } = resource;
  const view = await viewOf(columns, listSchema, needsFields);
  const { fields } = await viewOf(columns, schema, needsFields && schema !== listSchema);
  return { ...view, unlisted: { fields: fields.filter((field) => !view.fields.includes(field)), command } };
}

export const detailView = ({ resource, columns }: Presenter, needsFields: boolean): Promise<View> =>
  viewOf(columns, resource.schema, needsFields);

/** The same, with all changed fields that fit in a cell as columns. */
export function changedView({ columns, fields }: View, changed: readonly string[]): View {
  const shown = columns.map((column) => (changed.includes(column.field) ? { ...column, priority: 0 } : column));
  const others = changed.filter(
    (field) => fields.includes(field) && field !== 'brief' && !columns.some((column) => column.field === field),
  );
  return {
    columns: [...shown, ...others.map((field) => ({ field, header: field.toUpperCase(), priority: 0 }))],
    fields,
  };
}
