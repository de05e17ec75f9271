import { failureCode, neverConnected, removeUnparsedBytes } from './connection-failure.js';
import type { Issue } from './contract/types.js';
import { hide } from './is-object.js';

export type { Issue } from './contract/types.js';

/** Marks our errors, so that `instanceof` works between two copies of the package. */
const brand = Symbol.for('@mkt/sdk/error');

interface ErrorClass {
  readonly kind?: string;
}

/** Base of every error that a client throws. Those of a call say which call it was. */
export class MarketplaceError extends Error {
  /** The class's own name; unlike `constructor.name` it survives minification. */
  static readonly kind: string = 'MarketplaceError';
  /** The call: `campaigns.get`, for example; `request` for `mkt.request()`. */
  declare readonly operation?: string;
  declare readonly method?: string;
  /** The path of the contract, without ids: `/organizations/:organization_id/campaigns/:id.json`. */
  declare readonly path?: string;
  /** How many attempts were made; 0 if nothing was sent. */
  declare readonly attempts?: number;
  /**
   * Whether the server may have processed a request of the call, or has: after a connection that broke, a time limit, a 5xx,
   * or a response that cannot be read. If false, the call can be repeated: nothing was sent, or the server rejected it.
   */
  declare readonly mayHaveArrived?: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    hide(this, 'name', (this.constructor as ErrorClass).kind);
  }

  get [brand](): ErrorClass {
    return this.constructor as ErrorClass;
  }

  /** For logs: the name, the message and the properties. Without cookies, and without the cause, which may hold secrets. */
  toJSON(): Record<string, unknown> {
    const { name, message } = this;
    const { headers, ...rest } = { ...this } as { headers?: Headers };
    const shown = headers && [...headers].filter(([header]) => header !== 'set-cookie');
    return { name, message, ...rest, ...(shown && { headers: Object.fromEntries(shown) }) };
  }

  /** By the names of the classes, so that it works between copies. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class on the right of `instanceof`, which may be a derived one.
    const { kind, prototype } = this;
    // A class that a user derives has no kind of its own: the prototype chain decides.
    // biome-ignore lint/complexity/noThisInStatic: as above.
    if (!Object.hasOwn(this, 'kind')) return Object.prototype.isPrototypeOf.call(prototype, value as object);
    let type = (value as { [brand]?: ErrorClass } | null | undefined)?.[brand];
    while (type && type.kind !== kind) type = Object.getPrototypeOf(type);
    return !!type;
  }
}

/**
 * An option, id or header is invalid, a file cannot be read, or a function among the options failed: the token's, a
 * middleware. Nothing was sent if `attempts` is 0. `cause` is what the function threw.
 */
export class ConfigurationError extends MarketplaceError {
  static override readonly kind: string = 'ConfigurationError';
  /** The message without the call. */
  declare readonly reason: string;

  constructor(reason: string, { operation, ...options }: ErrorOptions & { operation?: string } = {}) {
    super(operation ? `${operation}: ${reason}` : reason, options);
    // Logs have the message.
    hide(this, 'reason', reason);
  }
}

/** The connection failed, or the response arrived incomplete or damaged. `cause` is the runtime's own error. */
export class ConnectionError extends MarketplaceError {
  static override readonly kind: string = 'ConnectionError';
  /**
   * The runtime's code of the failure: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET`; `REDIRECT_LOOP` if the server redirects
   * endlessly. Undefined if it has none, as in browsers.
   */
  declare readonly code: string | undefined;
  declare readonly mayHaveArrived: boolean;

  constructor(message: string, { code, ...options }: ErrorOptions & { code?: string } = {}) {
    super(message, options);
    removeUnparsedBytes(options.cause);
    this.code = code ?? failureCode(options.cause);
    this.mayHaveArrived = !neverConnected(options.cause);
  }
}

/** No complete response in time. */
export class TimeoutError extends MarketplaceError {
  static override readonly kind: string = 'TimeoutError';
  /** Which limit was reached: `attempt` is the option `timeout`, `total` the option `totalTimeout`, `signal` an `AbortSignal.timeout()`. */
  declare readonly phase: 'attempt' | 'total' | 'signal';
  /** The limit, in milliseconds; of a signal, how long the call had run. */
  declare readonly timeoutMs: number;
  declare readonly mayHaveArrived: boolean;

  constructor(phase: TimeoutError['phase'], timeoutMs: number, wasSent = true, options?: ErrorOptions) {
    const limit = `${timeoutMs} ms${wasSent ? ', retries included' : ''}. Raise the option totalTimeout`;
    super(
      phase === 'attempt'
        ? `No complete response within ${timeoutMs} ms. Raise the option timeout.`
        : `The call ${wasSent ? 'took longer than' : 'was not sent within'} ${phase === 'signal' ? 'its signal allows' : limit}.`,
      options,
    );
    this.phase = phase;
    this.timeoutMs = timeoutMs;
  }
}

/** The caller's signal ended the call. `cause` is the reason that the signal carries. */
export class AbortedError extends MarketplaceError {
  static override readonly kind: string = 'AbortedError';
  declare readonly mayHaveArrived: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    // The platform's own name: programs check it to tell an abort from an error.
    hide(this, 'name', 'AbortError');
  }
}

/** The error of a call that a signal ended, by the time limit of `AbortSignal.timeout()` or otherwise. */
export function errorOf({ reason: cause }: AbortSignal, elapsedMs: number, wasSent: boolean): MarketplaceError {
  return cause?.name === 'TimeoutError'
    ? new TimeoutError('signal', Math.round(elapsedMs), wasSent, { cause })
    : new AbortedError('The call was aborted.', { cause });
}

/** A response that led to an error. */
export interface ResponseDetails {
  /** Status of the response. */
  status: number;
  method: string;
  /** The path of the contract, without ids. */
  path?: string;
  url: string;
  /** Headers of the response. */
  headers: Headers;
  /** Body as text, as it arrived. */
  bodyText: string;
  /** `X-Request-Id` of the response: include it when you report a problem. */
  requestId: string | null;
  /** How many attempts were made. */
  attempts: number;
}

/** An error with the response that led to it. */
class ResponseError extends MarketplaceError implements ResponseDetails {
  declare readonly status: number;
  declare readonly method: string;
  declare readonly url: string;
  declare readonly headers: Headers;
  declare readonly bodyText: string;
  declare readonly requestId: string | null;
  declare readonly attempts: number;

  /** @param details - the properties of the error, those of its class included. */
  constructor(message: string, { bodyText, ...details }: ResponseDetails) {
    super(message);
    Object.assign(this, details);
    // Logging the error does not print it: it may contain the secret of a new token, and `body` has the rest.
    hide(this, 'bodyText', bodyText);
  }
}

/** A successful response whose body is not JSON, or not the object or list that the endpoint returns. */
export class ResponseParseError extends ResponseError {
  static override readonly kind: string = 'ResponseParseError';
}

/** With `validation: 'strict'`: a response that differs from the contract; or from the `schema` given to `request()`. */
export class ResponseValidationError extends MarketplaceError {
  static override readonly kind: string = 'ResponseValidationError';
  declare readonly operation: string;
  declare readonly issues: readonly Issue[];
  /** The response's data as it arrived. Not enumerable, so that logging the error does not print it. */
  declare readonly data: unknown;

  constructor(operation: string, issues: readonly Issue[], data: unknown) {
    const [first] = issues;
    const bySchema = operation === 'request';
    const detail = bySchema ? first?.expected : `expected ${first?.expected}, received ${first?.received}`;
    super(
      `The response to ${operation} differs from the ${bySchema ? 'schema' : 'contract'} in ${issues.length} place${issues.length === 1 ? '' : 's'}` +
        `${first ? `, first ${[first.path.join('.'), detail].filter(Boolean).join(': ')}` : ''}.` +
        (bySchema ? '' : " With validation: 'tolerant' it is returned and reported to onDrift."),
    );
    this.operation = operation;
    this.issues = issues;
    hide(this, 'data', data);
  }
}

/**
 * An action (`publish`, `pause`, `submit`, ...) did not change the state of the resource as requested: its current state or
 * another rule does not allow it, or it has not taken effect yet.
 */
export class TransitionError extends MarketplaceError {
  static override readonly kind: string = 'TransitionError';
  declare readonly operation: string;
  /** The current state of the resource. */
  declare readonly from: string;
  /** The requested state. */
  declare readonly wanted: string;

  constructor(operation: string, from: string, wanted: string) {
    super(`${operation} was rejected: the state is ${from}, not ${wanted}.`);
    this.operation = operation;
    this.from = from;
    this.wanted = wanted;
  }
}

/** The server responded with an error status. */
export class HttpError extends ResponseError {
  static override readonly kind: string = 'HttpError';
  /** The body parsed as JSON; the text itself if it is not JSON; undefined if it is empty. */
  declare readonly body: unknown;
  /** What the body says, as sentences in the server's order; of a page its title. */
  declare readonly messages: string[];
}

/** 400: the server could not read the request. */
export class BadRequestError extends HttpError {
  static override readonly kind: string = 'BadRequestError';
}

/** 401: the token is missing or revoked, or it is read-only and the request is a write. */
export class AuthenticationError extends HttpError {
  static override readonly kind: string = 'AuthenticationError';
}

/** 403: the user's role in the organization does not permit this. */
export class PermissionError extends HttpError {
  static override readonly kind: string = 'PermissionError';
}

/** 404: it does not exist, or the token's user may not see it. */
export class NotFoundError extends HttpError {
  static override readonly kind: string = 'NotFoundError';
}

/**
 * 412: the ETag in the option `ifMatch` is no longer current, and nothing was changed. If `attempts` is above 1, an
 * earlier attempt of the same call may have made the change.
 */
export class PreconditionFailedError extends HttpError {
  static override readonly kind: string = 'PreconditionFailedError';
}

/** 422: fields are invalid, or the state of the resource does not allow the request. */
export class ValidationError extends HttpError {
  static override readonly kind: string = 'ValidationError';
  /** Messages by field; `base` has those that do not belong to a field. */
  declare readonly fieldErrors: Record<string, string[]>;
  /** The same without the name of the field, to show next to it: `must be positive.` */
  declare readonly fieldReasons: Record<string, string[]>;
}

/** 429: too many requests. */
export class RateLimitError extends HttpError {
  static override readonly kind: string = 'RateLimitError';
  /** How long the server asks to wait, in milliseconds; null if it does not say. */
  declare readonly retryAfterMs: number | null;
}

/** 5xx and above: the server failed, or its gateway could not reach it. */
export class ServerError extends HttpError {
  static override readonly kind: string = 'ServerError';
}

/**
 * Gives an error the stack of the code that awaits it: V8 does not follow promises through timers and races, so that the
 * original stack does not contain the caller's line.
 */
export function atCaller(error: unknown): unknown {
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, above: unknown) => void };
  if (error instanceof MarketplaceError) captureStackTrace?.(error, atCaller);
  return error;
}
