import type { Log } from './logs.js';

const silent = (): void => undefined;

/** For a person at a terminal: only what went wrong inside the server, with the id that its client was told. */
export const plainLog = (output: { write(text: string): unknown }): Log => ({
  answered: silent,
  failed: (exchange, error) => {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    output.write(`error: ${exchange.method} ${exchange.operation ?? ''} (request ${exchange.requestId}): ${reason}\n`);
  },
  stopping: silent,
  warned: (message) => output.write(`warning: ${message}\n`),
});
