import type { Log } from './logs.js';

const silent = (): void => undefined;

const reasonOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** For a person at a terminal: only what went wrong inside the server, with the id that its client was told. */
export const plainLog = (output: { write(text: string): unknown }): Log => ({
  answered: silent,
  failed: (exchange, error) =>
    output.write(
      `error: ${exchange.method} ${exchange.operation ?? ''} (request ${exchange.requestId}): ${reasonOf(error)}\n`,
    ),
  rejected: ({ requestId, error }) => {
    if (error !== undefined) output.write(`error: HTTP (request ${requestId}): ${reasonOf(error)}\n`);
  },
  stopping: silent,
  warned: (message) => output.write(`warning: ${message}\n`),
});
