import type { Body } from './body.js';

/** One attempt of a request, as tracing shows it. It holds no secrets. */
export interface TracedAttempt {
  /** `campaigns.get`, for example; `request` for `mkt.request()`. */
  operation: string;
  method: string;
  /** The path of the contract: `/organizations/:organization_id/campaigns/:id.json`. */
  path: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** Headers that a subscriber adds to the request, such as `traceparent`. */
  headers: Record<string, string>;
  /** Status of the response, at the end. */
  status?: number;
}

/** What a runtime has beyond the web platform. The import `#platform` is this module, or on Node the one in `node/`. */
export interface Platform {
  /** The value of an environment variable. */
  env?: (name: string) => string | undefined;
  userAgent?: string;
  /** The body of a POST as it must be sent, where that differs. */
  postBody?: ((body: Body) => Body) | undefined;
  /** Runs an attempt, and reports it to subscribers. */
  trace?: (attempt: TracedAttempt, run: () => Promise<void>) => Promise<void>;
}

export const platform: Platform = {};
