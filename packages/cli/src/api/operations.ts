import {
  type ApiPromise,
  type ListOptions,
  type ListPromise,
  type Marketplace,
  NotFoundError,
  type WriteOptions,
} from '@mkt/sdk';
import type { ResourceName } from '@mkt/sdk/contract/resources';
import { cellText, idOf, type Row, textAt } from '../text/values.js';
import type { DraftResource, Resource } from './labels.js';

type Fields = Readonly<Record<string, unknown>>;
type Options = Omit<WriteOptions, 'ifMatch'>;

/** A resource as it is now, with the ETag that makes a change of it conditional. */
export interface Read {
  readonly row: Row;
  readonly etag: string | undefined;
}

/** What can be done with the resources of one kind, for commands that work on any. The caller has checked the fields. */
export interface Operations {
  /** Undefined for the address, which is not in a list. */
  readonly list?: (options?: ListOptions) => ListPromise<Row>;
  /** One with all fields, also those that lists leave out; undefined if the API has only the list. */
  readonly get?: (id: string) => ApiPromise<Row>;
  /** Undefined if there is none. */
  readonly read: (id: string) => Promise<Read | undefined>;
  readonly create?: (fields: Fields) => PromiseLike<Row>;
  /** With the ETag of the row that it is based on, only if the row has not changed since. */
  readonly update?: (id: string, fields: Fields, ifMatch?: string) => PromiseLike<Row>;
  readonly delete?: (id: string, ifMatch?: string) => PromiseLike<unknown>;
  /** The state changes, by name. */
  readonly actions?: Readonly<Record<string, (id: string) => PromiseLike<Row>>>;
}

/** What can be done with campaigns and collabs. */
export type DraftOperations = Required<Operations>;

const readWith =
  (get: (id: string) => ApiPromise<Row>): Operations['read'] =>
  async (id) => {
    try {
      const { data: row, meta } = await get(id).withResponse();
      return { row, etag: meta.etag ?? undefined };
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  };

/** For resources that the API returns only in their list. */
const readInList =
  (list: () => ListPromise<Row>, otherId?: (row: Row) => string): Operations['read'] =>
  async (id) => {
    const rows: readonly Row[] = await list().all();
    const row = rows.find((each) => idOf(each) === id) ?? rows.find((each) => otherId?.(each) === id.toLowerCase());
    return row && { row, etag: undefined };
  };

/** What campaigns and collabs have in common. */
function commonOperations(api: Marketplace[DraftResource['name']], organization: string, options: Options) {
  const get = (id: string): ApiPromise<Row> => api.get(organization, id, options);
  return {
    list: (own?: ListOptions): ListPromise<Row> => api.list(organization, { ...options, ...own }),
    get,
    read: readWith(get),
    update: (id: string, fields: Fields, ifMatch = 'any') =>
      api.update(organization, id, fields, { ...options, ifMatch }),
    delete: (id: string, ifMatch = 'any') => api.delete(organization, id, { ...options, ifMatch }),
  };
}

type Table = {
  readonly [Name in ResourceName]: (
    client: Marketplace,
    organization: string,
    options: Options,
  ) => Name extends DraftResource['name'] ? DraftOperations : Operations;
};

const table: Table = {
  campaigns: ({ campaigns }, organization, options) => ({
    ...commonOperations(campaigns, organization, options),
    create: (fields) => campaigns.create(organization, { ...fields, name: cellText(fields.name) }, options),
    actions: {
      publish: (id) => campaigns.publish(organization, id, options),
      pause: (id) => campaigns.pause(organization, id, options),
      resume: (id) => campaigns.resume(organization, id, options),
    },
  }),
  collabs: ({ collabs }, organization, options) => ({
    ...commonOperations(collabs, organization, options),
    create: (fields) => collabs.create(organization, fields, options),
    actions: {
      submit: (id) => collabs.submit(organization, id, options),
      pause: (id) => collabs.pause(organization, id, options),
      unpause: (id) => collabs.unpause(organization, id, options),
    },
  }),
  members: ({ members }, organization, options) => {
    const list = (own?: ListOptions) => members.list(organization, { ...options, ...own });
    return {
      list,
      read: readInList(list, (row) => textAt(row, 'user.email').toLowerCase()),
      update: (id, { role }) => members.update(organization, id, { role: role === 'admin' ? role : 'member' }, options),
      delete: (id) => members.remove(organization, id, options),
    };
  },
  organizations: ({ organizations }, _organization, options) => {
    const get = (id: string): ApiPromise<Row> => organizations.get(id, options);
    return {
      list: (own) => organizations.list({ ...options, ...own }),
      get,
      read: readWith(get),
      update: (id, fields, ifMatch = 'any') => organizations.update(id, fields, { ...options, ifMatch }),
    };
  },
  socialAccounts: ({ socialAccounts }, _organization, options) => {
    const list = (own?: ListOptions) => socialAccounts.list({ ...options, ...own });
    return {
      list,
      get: (id) => socialAccounts.get(id, options),
      read: readInList(list),
      create: ({ platform_id, account_url }) =>
        socialAccounts.create({ platform_id: cellText(platform_id), account_url: cellText(account_url) }, options),
      delete: (id) => socialAccounts.delete(id, options),
    };
  },
  // The user's one address: an update creates it.
  address: ({ address }, _organization, options) => ({
    read: readWith(() => address.get(options)),
    create: (fields) => address.update(fields, options),
    update: (_id, fields) => address.update(fields, options),
    delete: () => address.delete(options),
  }),
  accessTokens: ({ accessTokens }, _organization, options) => {
    const list = (own?: ListOptions) => accessTokens.list({ ...options, ...own });
    return { list, read: readInList(list), delete: (id) => accessTokens.delete(id, options) };
  },
};

/** The operations on a resource, in one organization if it belongs to one. */
export const operationsOf = <Name extends ResourceName>(
  { name }: Pick<Resource, 'name'> & { readonly name: Name },
  client: Marketplace,
  organization: string,
  options: Options,
): ReturnType<Table[Name]> => table[name](client, organization, options) as ReturnType<Table[Name]>;
