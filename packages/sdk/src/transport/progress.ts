import { ConfigurationError, errorOf, MarketplaceError } from '../errors.js';
import { messageOf } from '../log.js';
import type { Operation } from './call.js';

/** A token in a text. A short one is not masked inside words, which would be unreadable. */
function patternOf(token: string): RegExp {
  const edge = (character: string | undefined) => (token.length < 8 && /\w/.test(character ?? '') ? '\\b' : '');
  return new RegExp(edge(token[0]) + token.replaceAll(/[^\w]/g, '\\$&') + edge(token.at(-1)), 'g');
}

/** How far a call has come: what its errors say about it, and the tokens that they must not contain. */
export class Progress {
  /** Attempts that were begun. */
  attempts = 0;
  /** Attempts of earlier requests of the same call. */
  earlierAttempts = 0;
  /** Whether the server may have received a request and processed it. */
  mayHaveArrived = false;
  /** How the body of a successful response is read. */
  reads: 'text' | 'blob' | 'nothing' = 'text';
  /** The request that this call shares with others. */
  joined: Progress | undefined;
  readonly operation: Pick<Operation, 'operation' | 'method' | 'path'> & {
    /** Where the call was made, as fields for `fetch`. */
    readonly site?: object | undefined;
  };
  readonly #tokens = new Set<string>();

  constructor(operation: Progress['operation']) {
    this.operation = operation;
  }

  /** The number of the present attempt: 1 for the first of a request. */
  get attempt(): number {
    return this.attempts - this.earlierAttempts;
  }

  /** Attempts of this call and of the request that it shares. */
  get allAttempts(): number {
    return this.attempts + (this.joined?.attempts ?? 0);
  }

  /** Masks a token from now on. */
  addToken(token: string): void {
    this.#tokens.add(token);
  }

  /** Masks the tokens in a text, for errors and logs. */
  readonly redact = (text: string): string => {
    let redacted = text;
    for (const token of this.#tokens)
      for (const form of [token, encodeURIComponent(token)]) redacted = redacted.replaceAll(patternOf(form), '[token]');
    return redacted;
  };

  /** The error for what a function or an object of the caller's threw. */
  failed(cause: unknown, what = ''): ConfigurationError {
    return new ConfigurationError(this.redact(what + messageOf(cause)), { cause });
  }

  /** Adds the call to its error. Properties that the error has stay. */
  describe<Failure>(error: Failure): Failure {
    if (!(error instanceof MarketplaceError) || (error.operation && error.attempts !== undefined)) return error;
    const { operation, method, path } = this.operation;
    const attempts = this.allAttempts;
    const mayHaveArrived = this.mayHaveArrived || !!this.joined?.mayHaveArrived;
    return Object.assign(error, { operation, method, path: this.redact(path), attempts, ...error, mayHaveArrived });
  }
}

/** Runs a call. Its errors say which call it was. */
export async function describing<T>(
  operation: Progress['operation'],
  start: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = new Progress(operation);
  try {
    return await start(progress);
  } catch (error) {
    throw progress.describe(error instanceof MarketplaceError ? error : progress.failed(error));
  }
}

/**
 * Runs a call, also later, as made where this is called: a test tool that names the lines of calls has this global function,
 * which returns fields for `fetch`.
 */
export function callFrom(operation: Progress['operation']) {
  const placed = { ...operation, site: (globalThis as { mktAt?: () => object }).mktAt?.() };
  return <T>(start: (progress: Progress) => Promise<T>) =>
    (unread: boolean): Promise<T> =>
      describing(placed, (progress) => {
        if (unread) progress.reads = 'nothing';
        return start(progress);
      });
}

/** Ends a loop over a list whose signal has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined, operation: Progress['operation']): void {
  if (signal?.aborted) throw new Progress(operation).describe(errorOf(signal, 0, false));
}
