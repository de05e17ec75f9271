import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from './exchange.js';
import type { Problem } from './problems.js';
import type { View } from './view.js';

/** What a route handler finds in `c.env`. */
export interface AppEnv {
  Bindings: { exchange: Exchange };
}

/** How a request without `Accept: application/json` is answered (D5): by pages, where the app has a face. */
export interface Face {
  /** Answers an API path in place of the pipeline, before anybody is asked who they are; null to go on. */
  readonly instead: (exchange: Exchange, endpoint: Endpoint) => Response | null;
  readonly view: (exchange: Exchange, view: View) => Response;
  readonly problem: (exchange: Exchange, problem: Problem) => Response;
  /** Adds the pages that are no endpoints of the contract, such as `/sign_in`. */
  readonly mount?: (routes: Hono<AppEnv>) => void;
}
