import type { Exchange } from '../http/exchange.js';
import { loggedPath } from '../http/masked.js';
import { StoreUnavailable } from '../store/store.js';
import type { Rejected } from './connection-errors.js';
import { escapeLineBreaks } from './json-lines.js';

export interface Log {
  readonly requestCompleted: (exchange: Exchange, status: number, milliseconds: number) => void;
  readonly failed: (exchange: Exchange, error: unknown) => void;
  /** A response that the app did not send: the request was not HTTP, or it failed in the server's HTTP code. */
  readonly rejected?: (rejected: Rejected) => void;
  readonly stopping: (signal: string) => void;
  /** For operators: problems that are not about a single request. */
  readonly warned?: (message: string) => void;
  /** The same for news, such as the end of a problem. */
  readonly noted?: (message: string) => void;
}

/** A stream of the process, or something else with its `write`. */
export interface Output {
  write(text: string, done?: (error?: Error | null) => void): unknown;
  removeAllListeners?(event: 'error'): { on(event: 'error', listener: () => void): unknown };
}

/** Writes text that nothing else has, instead of ending the process if that fails. @throws the error of the output */
export function printed(output: Output, text: string): Promise<void> {
  output.removeAllListeners?.('error').on('error', () => undefined);
  return new Promise((resolve, reject) => output.write(text, (error) => (error ? reject(error) : resolve())));
}

/**
 * For a server that continues when its log cannot be written, for example because its disk is full.
 * @param report called when a line can be written again, with the number of lines that were lost since the start, and why
 */
export function losingLines(output: Output, report: (lost: number, error: Error) => void): Output {
  let failure: Error | null = null;
  let lost = 0;
  output.removeAllListeners?.('error').on('error', () => undefined);
  const written = (error?: Error | null): void => {
    const before = failure;
    failure = error ?? null;
    if (failure) lost += 1;
    else if (before) report(lost, before);
  };
  // The last line before a failure may be incomplete.
  return { write: (text) => output.write(failure ? `\n${text}` : text, written) };
}

/** The caller's trace (W3C Trace Context); undefined, and so not logged, if the header is absent or malformed. */
function traceparentOf(exchange: Exchange): string | undefined {
  const given = exchange.header('traceparent');
  return given !== null && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(given) ? given : undefined;
}

/** Logs one JSON line per response, without headers, queries, bodies or secrets. */
export async function jsonLog(output: Output): Promise<Log> {
  // In the bundle of the command line, `import()` of a CommonJS library has only a default.
  const { default: pino } = await import('pino');
  const log = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => output.write(escapeLineBreaks(line)) },
  );
  // Why requests got 503. In an outage of the database each one does, so it is in their line, without a stack.
  const reasons = new WeakMap<Exchange, string>();
  return {
    requestCompleted: (exchange, status, milliseconds) =>
      log.info(
        {
          request_id: exchange.requestId,
          traceparent: traceparentOf(exchange),
          method: exchange.method,
          path: loggedPath(exchange),
          operation: exchange.operation,
          user_id: exchange.userId,
          status,
          ms: Math.round(milliseconds * 100) / 100,
          reason: reasons.get(exchange),
        },
        'request completed',
      ),
    failed: (exchange, error) => {
      const { requestId, operation } = exchange;
      const request = { request_id: requestId, traceparent: traceparentOf(exchange), operation };
      if (!(error instanceof StoreUnavailable)) log.error({ ...request, err: error }, 'failed');
      else if (exchange.endedEarly) log.error({ ...request, reason: error.message }, 'response ended early');
      else reasons.set(exchange, error.message);
    },
    rejected: ({ requestId, status, error }) =>
      error === undefined
        ? log.info({ request_id: requestId, status }, 'rejected')
        : log.error({ request_id: requestId, status, err: error }, 'failed'),
    stopping: (signal) => log.info({ signal }, 'stopping'),
    warned: (message) => log.warn(message),
    noted: (message) => log.info(message),
  };
}

/** A store that is unavailable is not a bug of this program, so the message is enough. */
const reasonOf = (error: unknown): string => {
  if (error instanceof StoreUnavailable) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

/** Milliseconds in which a terminal shows once why the store is unavailable: in an outage, each request fails. */
const quietFor = 10_000;

/** For a terminal: only warnings and errors of the server, with the request id that the client has. */
export function textLog(output: Output): Log {
  const shownAt = new Map<string, number>();
  return {
    requestCompleted: () => undefined,
    failed({ method, operation, requestId }, error) {
      if (error instanceof StoreUnavailable) {
        const now = performance.now();
        if (now - (shownAt.get(error.message) ?? Number.NEGATIVE_INFINITY) < quietFor) return;
        shownAt.set(error.message, now);
      }
      output.write(`error: ${method} ${operation ?? ''} (request ${requestId}): ${reasonOf(error)}\n`);
    },
    rejected: ({ requestId, error }) => {
      if (error !== undefined) output.write(`error: HTTP (request ${requestId}): ${reasonOf(error)}\n`);
    },
    stopping: () => undefined,
    warned: (message) => output.write(`warning: ${message}\n`),
    noted: (message) => output.write(`note: ${message}\n`),
  };
}
