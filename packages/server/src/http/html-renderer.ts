import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Caller, PageRequest, Select } from '../rules/context.js';
import type { Reader } from '../store/store.js';
import type { Parameters } from './authorizer.js';
import type { Exchange } from './exchange.js';
import type { Services, Write } from './pipeline.js';
import type { Problem } from './problems.js';
import type { View } from './view.js';
import type { ConvertFields } from './wrapper.js';

/** The type of `c.env` in route handlers. */
export interface AppEnv {
  Bindings: { exchange: Exchange };
}

/** An endpoint, for the caller of an exchange. */
export interface Operation {
  /** Runs it. @throws its error */
  readonly view: (exchange: Exchange, parameters: Parameters, part?: Partial<PageRequest>) => Promise<View>;
  /** The representation of the resource that it changes; null if there is none. @throws if the caller may not call it */
  readonly representation: (exchange: Exchange, parameters: Parameters) => Promise<object | null>;
  /** For many items at once. Null for reads. */
  readonly write: Write | null;
}

/** Services for pages that are not endpoints of the contract. */
export interface AppServices extends Pick<Services, 'store' | 'now' | 'sha256' | 'random' | 'readPage'> {
  /** The public base URL of this server for the client of the exchange. */
  readonly base: (exchange: Exchange) => string;
  /** All endpoints of the app. */
  readonly endpoints: readonly Endpoint[];
  /** For an error after the beginning of a response was sent. */
  readonly endedEarly: (exchange: Exchange, error: unknown) => void;
  /** @throws if there is no operation of this name */
  readonly operation: (name: string) => Operation;
}

/** Renders responses to requests without `Accept: application/json`, such as HTML pages. */
export interface HtmlRenderer {
  /** Responds to a request for an endpoint. `view` runs it, from authentication to its result. */
  readonly respond: (exchange: Exchange, endpoint: Endpoint, view: () => Promise<View>) => Response | Promise<Response>;
  /** Identifies callers without a bearer token, if the renderer has sessions. @throws 401, or a redirect to its sign-in page */
  readonly identify?: (reader: Reader, exchange: Exchange) => Promise<Caller>;
  /**
   * The method that a form contains, because browsers only send GET and POST; null if there is none. `authenticate` comes first:
   * forms are only read from known callers.
   */
  readonly formMethod?: (exchange: Exchange, authenticate: () => Promise<unknown>) => Promise<string | null>;
  /** Converts the strings of a form, if the renderer has forms. */
  readonly convertFields?: ConvertFields;
  /** The filter and the order of a list, if the renderer has them. */
  readonly selectBy?: (exchange: Exchange) => Select;
  readonly problem: (exchange: Exchange, problem: Problem) => Response | Promise<Response>;
  /** Adds the reason for a rejected web action to the page that it redirects to, even for JSON requests. */
  readonly withRejection?: (exchange: Exchange, response: Response, reason: string) => Response;
  /** Adds pages that are not endpoints of the contract, such as `/sign_in`, before the contract's routes. */
  readonly mount?: (router: Hono<AppEnv>, services: AppServices) => void;
}
