import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connections } from './connections.js';

/** Less than the 10 s within which the process ends: the store has to be closed after it. */
const limit = 9000;

/** Counts the requests that are being worked on, also those whose clients have hung up: they still need the store. */
export class Running {
  #count = 0;
  #none: () => void = () => undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#none();
  }

  /** Until there are none. */
  async none(): Promise<void> {
    if (this.#count > 0)
      await new Promise<void>((resolve) => {
        this.#none = resolve;
      });
  }
}

/**
 * Takes no new connections, lets running requests finish and clients read their responses to the end, and closes each
 * connection after its last response. What is still open after 9 s is cut.
 */
export async function drain(server: Server, running: Running, connections: Connections): Promise<void> {
  const lastAnswer = (_incoming: IncomingMessage, outgoing: ServerResponse): void => {
    outgoing.shouldKeepAlive = false;
  };
  server.prependListener('request', lastAnswer);
  // Node's `closeIdleConnections`, which its HTTP `close` begins with, also counts a connection as idle whose response
  // was handed over but not yet sent, and cuts it. So it is called only while there is none.
  const closeIdle = (): void => {
    if (!connections.areSending) server.closeIdleConnections();
  };
  const closed = new Promise<void>((done) => NetServer.prototype.close.call(server, () => done()));
  closeIdle();
  const sweep = setInterval(closeIdle, 50);
  const late = new AbortController();
  const cut = delay(limit, undefined, { signal: late.signal }).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await closed;
  clearInterval(sweep);
  // Ends the timer of Node's HTTP server; the socket was closed above.
  server.close();
  await Promise.race([running.none(), cut]);
  late.abort();
}
