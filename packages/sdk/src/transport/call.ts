import type { Endpoint, Method } from '../contract/endpoint.js';
import type { CallOptions, UploadOptions, WriteOptions } from '../options.js';
import type { Body } from './body.js';

/** The part of a contract's endpoint that the transport needs; `mkt.request()` makes its own. */
export interface Operation<Item = unknown>
  extends Pick<Endpoint<Item>, 'operation' | 'path' | 'response' | 'paginated' | 'etag'> {
  readonly method: Method | 'HEAD' | 'PUT';
}

/** One call: an operation with its URL, body and options. */
export interface Call<Item = unknown> {
  operation: Operation<Item>;
  /** Whole URL, query included. */
  url: string;
  /** Makes the body, when the call starts. */
  body?: (() => Body | Promise<Body>) | undefined;
  headers?: Record<string, string>;
  /** URL whose cached response is stale after this call. Default its own. */
  invalidates?: string;
  options: CallOptions & UploadOptions & WriteOptions;
}
