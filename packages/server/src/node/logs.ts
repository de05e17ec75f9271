import { pino } from 'pino';
import type { Exchange } from '../http/exchange.js';
import { loggedPath } from '../http/masked.js';
import type { Rejected } from './connection-errors.js';

/** Where the server tells what it did. */
export interface Log {
  readonly answered: (exchange: Exchange, status: number, milliseconds: number) => void;
  readonly failed: (exchange: Exchange, error: unknown) => void;
  /** A response that the app has not sent: the request was no HTTP, or failed in the server's HTTP code. */
  readonly rejected?: (rejected: Rejected) => void;
  readonly stopping: (signal: string) => void;
  /** What an operator should know of, beyond single requests. */
  readonly warned?: (message: string) => void;
}

type Output = { write(text: string): unknown };

/** One JSON line for each answer: who called what and how it went; never a header, a query, a body or a secret. */
export function jsonLog(output: Output): Log {
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line) => output.write(line) });
  return {
    answered: (exchange, status, milliseconds) =>
      log.info(
        {
          request_id: exchange.requestId,
          method: exchange.method,
          path: loggedPath(exchange),
          operation: exchange.operation,
          user_id: exchange.userId,
          status,
          ms: Math.round(milliseconds * 100) / 100,
        },
        'answered',
      ),
    failed: (exchange, error) =>
      log.error({ request_id: exchange.requestId, operation: exchange.operation, err: error }, 'failed'),
    rejected: ({ requestId, status, error }) =>
      error === undefined
        ? log.info({ request_id: requestId, status }, 'rejected')
        : log.error({ request_id: requestId, status, err: error }, 'failed'),
    stopping: (signal) => log.info({ signal }, 'stopping'),
    warned: (message) => log.warn(message),
  };
}
