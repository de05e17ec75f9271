import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Caller } from '../rules/context.js';
import type { Reader, Store } from '../store/store.js';
import type { Exchange } from './exchange.js';
import type { Problem } from './problems.js';
import type { View } from './view.js';

/** What a route handler finds in `c.env`. */
export interface AppEnv {
  Bindings: { exchange: Exchange };
}

/** What the app gives the pages that are no endpoints of the contract. */
export interface AppServices {
  readonly store: Store;
  readonly sha256: (text: string) => string;
  readonly random: (bytes: number) => string;
  /** What addresses of this server start with, as the exchange's client knows it (D12). */
  readonly base: (exchange: Exchange) => string;
  /** Asks a read endpoint in the name of the exchange's caller. @throws what the endpoint would answer with */
  readonly ask: (exchange: Exchange, operation: string, parameters: Readonly<Record<string, string>>) => Promise<View>;
}

/** How a request without `Accept: application/json` is answered (D5): by pages, where the app has a face. */
export interface Face {
  /** Answers an API path in place of the pipeline, before anybody is asked who they are; null to go on. */
  readonly instead: (exchange: Exchange, endpoint: Endpoint) => Response | null | Promise<Response | null>;
  /** Who asks without a bearer token, where the face keeps sessions. @throws 401, or a redirect to its sign-in page */
  readonly identify?: (reader: Reader, exchange: Exchange) => Promise<Caller>;
  /** The method that a posted form stands for, because browsers send GET and POST alone; null for none. */
  readonly formMethod?: (exchange: Exchange) => Promise<string | null>;
  readonly view: (exchange: Exchange, view: View) => Response | Promise<Response>;
  readonly problem: (exchange: Exchange, problem: Problem) => Response | Promise<Response>;
  /** Has the page that a refused web action redirects to say why, also when JSON was asked for (D39). */
  readonly refused?: (exchange: Exchange, response: Response, reason: string) => Response;
  /** Other data came: forgets what it remembers of what was there. */
  readonly forget?: () => void;
  /** Whether faults and the request log pass over this path: the pages that the operator steers them with. */
  readonly isOperators?: (path: string) => boolean;
  /** Adds the pages that are no endpoints of the contract, such as `/sign_in`; before the contract's routes. */
  readonly mount?: (router: Hono<AppEnv>, services: AppServices) => void;
}
