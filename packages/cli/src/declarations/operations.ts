import { type ListPromise, type Marketplace, NotFoundError, type WriteOptions } from '@mkt/sdk';
import { drafts } from '../api/labels.js';
import { operationsOf } from '../api/operations.js';
import { idOf } from '../api/organization.js';
import { cellText, type Row, valueAt } from '../text/row.js';
import type { Kind } from './kinds.js';

type Fields = Readonly<Record<string, unknown>>;

/** A resource as it is now, with the ETag that makes a change of it conditional. */
export interface Read {
  readonly row: Row;
  readonly etag: string | undefined;
}

/** What a declaration does with the resources of one kind. */
export interface KindOperations {
  /** Undefined for the address, which is not in a list. */
  readonly list?: () => ListPromise<Row>;
  /** Undefined if there is none. */
  readonly read: (id: string) => Promise<Read | undefined>;
  /** The caller has checked the fields with the contract. */
  readonly create?: (fields: Fields) => PromiseLike<Row>;
  readonly update: (id: string, fields: Fields, ifMatch: string | undefined) => PromiseLike<Row>;
  readonly delete?: (id: string, ifMatch: string | undefined) => PromiseLike<unknown>;
  /** The state changes, by name. */
  readonly actions: Readonly<Record<string, (id: string) => PromiseLike<Row>>>;
}

type Options = Omit<WriteOptions, 'ifMatch'>;

/** Undefined instead of an error for what does not exist. */
async function unlessMissing(read: () => Promise<Read>): Promise<Read | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function membersOf({ members }: Marketplace, organization: string, options: Options): KindOperations {
  const list = () => members.list(organization, options);
  return {
    list,
    // The API has no single members.
    read: async (id) => {
      const rows: readonly Row[] = await list().all();
      const email = (row: Row) => cellText(valueAt(row, 'user.email')).toLowerCase();
      const row = rows.find((each) => idOf(each) === id) ?? rows.find((each) => email(each) === id.toLowerCase());
      return row && { row, etag: undefined };
    },
    update: (id, { role }) => members.update(organization, id, { role: role === 'admin' ? role : 'member' }, options),
    actions: {},
  };
}

/** The user's one address: an update creates it. */
function addressOf({ address }: Marketplace, options: Options): KindOperations {
  const set = (fields: Fields) => address.update(fields, options);
  return {
    read: () => unlessMissing(async () => ({ row: await address.get(options), etag: undefined })),
    create: set,
    update: (_id, fields) => set(fields),
    actions: {},
  };
}

/** The operations of a kind of resource in one organization. */
export function kindOperations(
  { name }: Pick<Kind, 'name'>,
  client: Marketplace,
  organization: string,
  options: Options,
): KindOperations {
  if (name === 'members') return membersOf(client, organization, options);
  if (name === 'address') return addressOf(client, options);
  const { get, ...operations } = operationsOf(drafts[name], client, organization, options);
  return {
    ...operations,
    read: (id) =>
      unlessMissing(async () => {
        const { data: row, meta } = await get(id).withResponse();
        return { row, etag: meta.etag ?? undefined };
      }),
    delete: (id, ifMatch) => client[name].delete(organization, id, { ...options, ifMatch }),
  };
}
