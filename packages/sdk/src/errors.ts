import { failureCode, forgetBytes, neverConnected } from './connection-failure.js';
import type { Issue } from './contract/differences.js';

export type { Issue } from './contract/differences.js';

/** Marks our errors, whatever copy of the package made them, so that `instanceof` holds across two copies. */
const brand = Symbol.for('@mkt/sdk/error');

interface ErrorClass {
  readonly kind?: string;
}

const kindsOf = (start: ErrorClass): string[] => {
  const kinds: string[] = [];
  for (let type: ErrorClass = start; type.kind !== undefined; type = Object.getPrototypeOf(type)) kinds.push(type.kind);
  return kinds;
};

/** `instanceof` by the names of the classes, so that it holds across copies. */
function isInstance(type: ErrorClass & { prototype: object }, value: unknown): boolean {
  // A class that a user derives has no kind of its own: the prototype chain decides.
  if (!Object.hasOwn(type, 'kind')) return Object.prototype.isPrototypeOf.call(type.prototype, value as object);
  const kinds = typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand];
  return Array.isArray(kinds) && kinds.includes(type.kind);
}

/** Base of every error that this package throws. */
export class MarketplaceError extends Error {
  /** The class's own name; unlike `constructor.name` it survives minification. */
  static readonly kind: string = 'MarketplaceError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, 'name', { value: (this.constructor as ErrorClass).kind, configurable: true });
  }

  get [brand](): string[] {
    return kindsOf(this.constructor as ErrorClass);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class on the right of `instanceof`, which may be a derived one.
    return isInstance(this, value);
  }
}

/** Something given to the SDK cannot be used: an option, an id, a header. Nothing was sent. */
export class ConfigurationError extends MarketplaceError {
  static override readonly kind: string = 'ConfigurationError';
}

/** The connection failed, or ended before the whole answer had arrived. `cause` is the runtime's own error. */
export class ConnectionError extends MarketplaceError {
  static override readonly kind: string = 'ConnectionError';
  /** What the runtime calls the failure: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET`. Undefined where it has no name for it, as in browsers. */
  readonly code: string | undefined;
  /**
   * Whether the server may have got the request, and done what it asks. False where no connection was made: then nothing
   * was sent, and a creation may safely be repeated (D48).
   */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    forgetBytes(options?.cause);
    this.code = failureCode(options?.cause);
    this.mayHaveArrived = !neverConnected(options?.cause);
  }
}

/** No whole answer within the time allowed. */
export class TimeoutError extends MarketplaceError {
  static override readonly kind: string = 'TimeoutError';
  /** Which bound was reached: `attempt` is the option `timeout`, `total` the option `totalTimeout`. */
  readonly phase: 'attempt' | 'total';
  /** The bound, in milliseconds. */
  readonly timeoutMs: number;

  constructor(phase: 'attempt' | 'total', timeoutMs: number) {
    super(
      phase === 'attempt'
        ? `No whole answer within ${timeoutMs} ms. Raise the option timeout if the server needs longer.`
        : `The call took longer than ${timeoutMs} ms, retries included. Raise the option totalTimeout to wait longer.`,
    );
    this.phase = phase;
    this.timeoutMs = timeoutMs;
  }
}

/** The caller's signal ended the call. `cause` is the reason that the signal carries. */
export class AbortedError extends MarketplaceError {
  static override readonly kind: string = 'AbortedError';
}

/** What an answer that could not be used was. */
export interface AnswerDetails {
  /** Status of the answer. */
  status: number;
  method: string;
  url: string;
  /** Headers of the answer. */
  headers: Headers;
  /** Body as text, as it came. */
  bodyText: string;
  /** `X-Request-Id` of the answer: name it when you report a problem. */
  requestId: string | null;
  /** How many attempts were made. */
  attempts: number;
}

/** An answer of success whose body is not what the endpoint promises: no JSON, or no list where one is due. */
export class ResponseParseError extends MarketplaceError implements AnswerDetails {
  static override readonly kind: string = 'ResponseParseError';
  declare readonly status: number;
  declare readonly method: string;
  declare readonly url: string;
  declare readonly headers: Headers;
  declare readonly bodyText: string;
  declare readonly requestId: string | null;
  declare readonly attempts: number;

  constructor(message: string, { bodyText, ...details }: AnswerDetails) {
    super(message);
    Object.assign(this, details);
    // Not enumerable, so that a log of the error does not carry it: the answer may hold the secret of a new token.
    Object.defineProperty(this, 'bodyText', { value: bodyText });
  }
}

/** With `validation: 'strict'`: an answer that differs from the contract. */
export class ResponseValidationError extends MarketplaceError {
  static override readonly kind: string = 'ResponseValidationError';
  /** `campaigns.get`, for example. */
  readonly operation: string;
  readonly issues: readonly Issue[];
  /** The answer as it came. Not enumerable, so that a log of the error does not carry it. */
  declare readonly data: unknown;

  constructor(operation: string, issues: readonly Issue[], data: unknown) {
    const [first] = issues;
    super(
      `The answer to ${operation} differs from the contract in ${issues.length} place${issues.length === 1 ? '' : 's'}` +
        `${first ? `, first ${first.path.join('.')}: expected ${first.expected}, received ${first.received}` : ''}.` +
        " With validation: 'tolerant' it is passed on and reported to onDrift.",
    );
    this.operation = operation;
    this.issues = issues;
    Object.defineProperty(this, 'data', { value: data });
  }
}

/**
 * A web action (`publish`, `pause`, `submit`, ...) left the resource in another state than the one asked for: its
 * present state does not allow the step (D37, D38, D40).
 */
export class TransitionError extends MarketplaceError {
  static override readonly kind: string = 'TransitionError';
  /** `campaigns.publish`, for example. */
  readonly operation: string;
  /** The state in which the resource is. */
  readonly from: string;
  /** The state asked for. */
  readonly wanted: string;

  constructor(operation: string, from: string, wanted: string) {
    super(`${operation} was refused: the state is ${from}, and ${wanted} cannot be reached from it.`);
    this.operation = operation;
    this.from = from;
    this.wanted = wanted;
  }
}

/** The server answered with a status that is no success. */
export class HttpError extends MarketplaceError implements AnswerDetails {
  static override readonly kind: string = 'HttpError';
  declare readonly status: number;
  declare readonly method: string;
  declare readonly url: string;
  declare readonly headers: Headers;
  declare readonly bodyText: string;
  declare readonly requestId: string | null;
  declare readonly attempts: number;
  /** The body read as JSON; the text itself where it is none; undefined where there is none. */
  declare readonly body: unknown;

  constructor(message: string, details: AnswerDetails & { body: unknown }) {
    super(message);
    Object.assign(this, details);
  }
}

/** 400: the server could not read the request (D7). */
export class BadRequestError extends HttpError {
  static override readonly kind: string = 'BadRequestError';
}

/** 401: no token, a revoked one, or a read-only one on a write (api.md, Authentication rules 6 and 7). */
export class AuthenticationError extends HttpError {
  static override readonly kind: string = 'AuthenticationError';
}

/** 403: the role in the organization does not permit this (api.md, Errors). */
export class PermissionError extends HttpError {
  static override readonly kind: string = 'PermissionError';
}

/** 404: there is no such thing, or the token's user may not see it (api.md, General rule 4). */
export class NotFoundError extends HttpError {
  static override readonly kind: string = 'NotFoundError';
}

/**
 * 412: what the option `ifMatch` names is no longer current, and nothing was changed. With `attempts` above 1, an
 * earlier attempt of the same call may have made the change.
 */
export class PreconditionFailedError extends HttpError {
  static override readonly kind: string = 'PreconditionFailedError';
}

/** 422: fields or a guard refused the request (api.md, Errors). */
export class ValidationError extends HttpError {
  static override readonly kind: string = 'ValidationError';
  /** What is wrong, by field; `base` is what belongs to no field. */
  readonly fieldErrors: Record<string, string[]>;
  /** The same as whole sentences, in the server's order. */
  readonly messages: string[];

  constructor(
    message: string,
    details: AnswerDetails & { body: unknown; fieldErrors: Record<string, string[]>; messages: string[] },
  ) {
    const { fieldErrors, messages, ...rest } = details;
    super(message, rest);
    this.fieldErrors = fieldErrors;
    this.messages = messages;
  }
}

/** 429: too many requests (D15). */
export class RateLimitError extends HttpError {
  static override readonly kind: string = 'RateLimitError';
  /** How long the server asks to wait, in milliseconds; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, details: AnswerDetails & { body: unknown; retryAfterMs: number | null }) {
    const { retryAfterMs, ...rest } = details;
    super(message, rest);
    this.retryAfterMs = retryAfterMs;
  }
}

/** 5xx: the server failed, or cannot be reached behind its gateway. */
export class ServerError extends HttpError {
  static override readonly kind: string = 'ServerError';
}

/**
 * Gives an error the stack of the place that awaits it: V8 does not follow promises through timers and races, so that
 * deep inside it no longer knows the caller's line.
 */
export function atCaller(error: unknown): unknown {
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, above: unknown) => void };
  if (error instanceof MarketplaceError) captureStackTrace?.(error, atCaller);
  return error;
}
