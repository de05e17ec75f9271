import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Less than the 10 s within which the process ends: the store has to be closed after it. */
const limit = 9000;

/**
 * Takes no new connections, lets running requests finish, and tells clients to close theirs. A connection that is still
 * busy after 9 s is cut. Plain `close()` waits for every idle keep-alive connection: 6 s where this takes 0.1 s.
 */
export async function drain(server: Server): Promise<void> {
  const lastAnswer = (_incoming: IncomingMessage, outgoing: ServerResponse): void => {
    outgoing.shouldKeepAlive = false;
  };
  server.prependListener('request', lastAnswer);
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), limit);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
