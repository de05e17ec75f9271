import type * as z from 'zod/mini';
import type { Method } from './types.js';

/** Which token may call: any token (`read`) or one with the `write` permission. */
export type Scope = 'read' | 'write';

/**
 * What the caller must be, on top of the scope: `none` for the user's own resources,
 * else the place in the organization that the path names (`:organization_id`, or `:id` of an organization itself).
 * `admin-or-self`: an admin, or the member that the path names.
 */
export type Role = 'none' | 'member' | 'admin' | 'owner' | 'admin-or-self';

export type Schema<Output = unknown> = z.ZodMiniType<Output>;

/** A request body: one JSON object that holds the fields under one name, `{"campaign": {...}}`. */
export interface RequestBody<Fields = unknown> {
  readonly wrapper: string;
  readonly fields: Schema<Fields>;
  /** Whether the wrapper may be left out altogether: never (`false`), always, or where the purge flag is sent instead. */
  readonly optional: boolean | 'with-purge';
  /** A write-only flag that is read inside the wrapper and next to it. */
  readonly purge: 'purge_logo' | 'purge_banner_image' | null;
  /** The field that takes a file in a multipart request. */
  readonly file: 'logo' | null;
}

/** How an action changes the state of a resource. */
export interface Transition<State extends string = string> {
  readonly from: readonly State[];
  readonly to: State;
  /** The past participle, as messages say it: `published`. */
  readonly done: string;
  /** As a button says it, where the operation's name is not enough: `Submit for review`. */
  readonly label?: string;
}

/**
 * One line of the document's endpoint tables, as data. Client, server, mock, OpenAPI and CLI all follow from it. The doc
 * comment of an entry becomes its description in OpenAPI and in the reference.
 */
export interface Endpoint<Item = unknown, Fields = unknown> {
  /** Its name everywhere: `campaigns.list` is `mkt.campaigns.list()` and `mkt campaigns list`. */
  readonly operation: string;
  readonly method: Method;
  /** The path as the document writes it, `.json` included; `:name` is a path parameter. */
  readonly path: string;
  readonly scope: Scope;
  readonly role: Role;
  readonly request: RequestBody<Fields> | null;
  /** Query parameters beyond `page`. */
  readonly query: Readonly<Record<string, Schema>>;
  /** The representation in the response (of one item, for a list); `null` if the response has no body. */
  readonly response: Schema<Item> | null;
  /** The status of success. 303: a web action, which redirects and has no JSON form. */
  readonly status: 200 | 201 | 204 | 303;
  readonly paginated: boolean;
  /** Whether the response has an ETag and If-None-Match is supported. */
  readonly etag: boolean;
  readonly multipart: boolean;
  /** Of a web action: the state change that it asks for. */
  readonly transition: Transition | null;
}

type Entry<Item, Fields, M> = Pick<Endpoint, 'operation' | 'path'> &
  Partial<Endpoint<Item, Fields>> & { readonly method: M };

/** Completes an entry of the table: a GET takes any token, every other method a write token, and so on. */
export function endpoint<Item = never, Fields = never, const M extends Method = Method>(
  entry: Entry<Item, Fields, M>,
): Endpoint<Item, Fields> & { readonly method: M } {
  return {
    scope: entry.method === 'GET' ? 'read' : 'write',
    role: 'none',
    request: null,
    query: {},
    response: null,
    status: 200,
    paginated: false,
    etag: false,
    multipart: false,
    transition: null,
    ...entry,
  };
}

/** A request body under `wrapper`; the wrapper is required and contains only the fields unless `more` says otherwise. */
export function body<Fields>(
  wrapper: string,
  fields: Schema<Fields>,
  more: Partial<Pick<RequestBody, 'optional' | 'purge' | 'file'>> = {},
): RequestBody<Fields> {
  return { wrapper, fields, optional: false, purge: null, file: null, ...more };
}

/** What the usual endpoints of a resource leave open. */
type Given<Item, Fields> = Partial<
  Pick<Endpoint<Item, Fields>, 'operation' | 'path' | 'role' | 'request' | 'query' | 'response' | 'multipart'>
>;

/** Makes the endpoints of a resource. @param many the path of its list @param one the path of an item */
export const endpointsOf = <State extends string = never>(resource: string, many: string, one: string) => ({
  list: <Item>(given: Given<Item, never>) =>
    endpoint<Item, never, 'GET'>({
      operation: `${resource}.list`,
      method: 'GET',
      path: many,
      paginated: true,
      ...given,
    }),
  get: <Item>(given: Given<Item, never>) =>
    endpoint<Item, never, 'GET'>({ operation: `${resource}.get`, method: 'GET', path: one, etag: true, ...given }),
  create: <Item, Fields>(given: Given<Item, Fields>) =>
    endpoint<Item, Fields, 'POST'>({
      operation: `${resource}.create`,
      method: 'POST',
      path: many,
      status: 201,
      ...given,
    }),
  update: <Item, Fields>(given: Given<Item, Fields>) =>
    endpoint<Item, Fields, 'PATCH'>({ operation: `${resource}.update`, method: 'PATCH', path: one, ...given }),
  remove: (given?: Given<never, never>) =>
    endpoint<never, never, 'DELETE'>({
      operation: `${resource}.delete`,
      method: 'DELETE',
      path: one,
      status: 204,
      ...given,
    }),
  /** A web action: it redirects to the page of the item that it was asked to change. */
  action: (name: string, transition: Transition<State>) => ({
    ...endpoint({
      operation: `${resource}.${name}`,
      method: 'POST',
      path: one.replace('.json', `/${name}`),
      role: 'admin',
      status: 303,
    }),
    transition,
  }),
});
