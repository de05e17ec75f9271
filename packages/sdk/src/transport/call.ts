import type { ClientEndpoint } from '../contract/endpoint.js';
import type { Method } from '../contract/types.js';
import type { CallOptions, ResponseHeaders, UploadOptions, WriteOptions } from '../options.js';
import type { Body } from './body.js';

/** The part of a contract's endpoint that the transport needs; `mkt.request()` makes its own. */
export interface Operation<Item = unknown>
  extends Pick<ClientEndpoint<Item>, 'operation' | 'path' | 'response' | 'paginated' | 'etag'> {
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
  /** Whether the URL is on another server, which gets nothing of the client. */
  isForeign?: boolean;
  /** URL whose cached response is stale after this call. Default its own. */
  invalidates?: string;
  options: CallOptions & UploadOptions & WriteOptions;
}

/** A response whose body has been read. */
export interface ResponseContext {
  status: number;
  headers: ResponseHeaders;
  text: string;
  /** The body of a response that is not read as text: the response itself, or its bytes. */
  body?: Response | Blob | undefined;
  /** The ETag of cached data. */
  etag?: string;
  /** Where the response came from, after redirects. */
  url: string;
  /** The origin of the request, where redirects led to another one: `fetch` sends the token only to the first. */
  leftOrigin: string | undefined;
  attempts: number;
  /** Whether an earlier attempt may have been processed. */
  maybeRepeated: boolean;
  /** The token that was sent. */
  token: string;
  fromCache: boolean;
  redact: (text: string) => string;
}

/** Whether a method changes nothing. */
export const isRead = (method: string): boolean => /^(GET|HEAD)$/.test(method);

export function copyHeaders(headers: ResponseHeaders, change = (value: string) => value): Headers {
  const copy = new Headers();
  // Their types have no iterator in programs whose `lib` lacks `dom.iterable`.
  headers.forEach((value, name) => void copy.append(name, change(value)));
  return copy;
}

/** Whether a URL is that of a sign-in page, to which a server redirects requests whose token it does not accept. */
export const isSignIn = (url: string): boolean => /\/(sign[_-]?in|login)\/?([?#]|$)/.test(url);

/** Whether the server does not accept the token. A redirect of a write is not followed, so its target is in the header. */
export const isUnauthorized = ({ status, headers, url }: ResponseContext): boolean =>
  status === 401 || isSignIn(url) || (status >= 300 && status < 400 && isSignIn(headers.get('location') ?? ''));
