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
export interface BodyWrapper {
  readonly wrapper: string;
  /** Whether the wrapper may be left out altogether: never (`false`), always, or where the purge flag is sent instead. */
  readonly optional: boolean | 'with-purge';
  /** A write-only flag that is read inside the wrapper and next to it. */
  readonly purge: 'purge_logo' | 'purge_banner_image' | null;
  /** The field that takes a file in a multipart request. */
  readonly file: 'logo' | null;
}

export interface RequestBody<Fields = unknown> extends BodyWrapper {
  readonly fields: Schema<Fields>;
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
 * One line of the document's endpoint tables, as data, without the schema of its request: the client only sends it. The doc
 * comment of an entry becomes its description in OpenAPI and in the reference.
 */
export interface ClientEndpoint<Item = unknown, Body extends BodyWrapper | null = BodyWrapper | null> {
  /** Its name everywhere: `campaigns.list` is `mkt.campaigns.list()` and `mkt campaigns list`. */
  readonly operation: string;
  readonly method: Method;
  /** The path as the document writes it, `.json` included; `:name` is a path parameter. */
  readonly path: string;
  readonly scope: Scope;
  readonly role: Role;
  readonly request: Body;
  /** Query parameters beyond `page`. */
  readonly query: Readonly<Record<string, Schema>>;
  /** The representation in the response (of one item, for a list); `null` if the response has no body. */
  readonly response: Schema<Item> | null;
  /** The status of success. 303: a web action, which redirects and has no JSON form. */
  readonly status: 200 | 201 | 204 | 303;
  readonly paginated: boolean;
  /** Whether the response has an ETag and If-None-Match is supported. */
  readonly etag: boolean;
  /** Of a web action: the state change that it asks for. */
  readonly transition: Transition | null;
}

/** A whole endpoint. Client, server, mock, OpenAPI and CLI all follow from it. */
export interface Endpoint<Item = unknown, Fields = unknown> extends ClientEndpoint<Item, RequestBody<Fields> | null> {}

type Entry<Item, Body extends BodyWrapper | null, M> = Pick<Endpoint, 'operation' | 'path'> &
  Partial<ClientEndpoint<Item, Body>> & { readonly method: M };

/** Completes an entry of the table: a GET takes any token, every other method a write token, and so on. */
export function endpoint<Item = never, Body extends BodyWrapper | null = null, const M extends Method = Method>(
  entry: Entry<Item, Body, M>,
): ClientEndpoint<Item, Body> & { readonly method: M } {
  return {
    scope: entry.method === 'GET' ? 'read' : 'write',
    role: 'none',
    request: null as Body,
    query: {},
    response: null,
    status: 200,
    paginated: false,
    etag: false,
    transition: null,
    ...entry,
  };
}

type BodyOptions = Partial<Omit<BodyWrapper, 'wrapper'>>;
/** A request body under `wrapper`; the wrapper is required and contains only the fields unless `more` says otherwise. */
export function wrappedIn(wrapper: string, more?: BodyOptions): BodyWrapper {
  return { wrapper, optional: false, purge: null, file: null, ...more };
}

/** The same with the schema of its fields. */
export function body<Fields>(wrapper: string, fields: Schema<Fields>, more?: BodyOptions): RequestBody<Fields> {
  return { ...wrappedIn(wrapper, more), fields };
}

/** Makes the endpoints of a resource. @param many the path of its list @param one the path of an item */
export const endpointsOf = <State extends string = never>(resource: string, many: string, one: string) => {
  const usual =
    <const M extends Method>(name: string, method: M, path: string, more?: Partial<ClientEndpoint<never, null>>) =>
    <Item = never, Body extends BodyWrapper | null = null>(given?: Partial<ClientEndpoint<Item, Body>>) =>
      endpoint<Item, Body, M>({ operation: `${resource}.${name}`, method, path, ...more, ...given } as Entry<
        Item,
        Body,
        M
      >);
  return {
    list: usual('list', 'GET', many, { paginated: true }),
    get: usual('get', 'GET', one, { etag: true }),
    create: usual('create', 'POST', many, { status: 201 }),
    update: usual('update', 'PATCH', one),
    remove: usual('delete', 'DELETE', one, { status: 204 }),
    /** A web action: it redirects to the page of the item that it was asked to change. */
    action: (name: string, transition: Transition<State>) => ({
      ...usual(name, 'POST', one.replace('.json', `/${name}`))({ role: 'admin', status: 303 }),
      transition,
    }),
  };
};
