import type { IncomingMessage, ServerResponse } from 'node:http';

/** Of a body that nothing reads. More is more than any client sends by mistake. */
const discardLimit = 64 * 1024 * 1024;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Sends a response immediately, but ends it only after its request has arrived: a connection that closes while its client
 * sends takes the response with it. The time limit of requests applies to the rest of the body.
 */
export function endAfterRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!hasBody(incoming)) return;
  const end = outgoing.end.bind(outgoing) as (body?: unknown) => ServerResponse;
  outgoing.end = (body?: unknown) => {
    if (incoming.complete || incoming.destroyed || outgoing.statusCode === 408) return end(body);
    if (body) outgoing.write(body);
    else outgoing.flushHeaders();
    discard(incoming);
    incoming.once('end', () => end());
    return outgoing;
  };
  // Node's own again.
  incoming.once('end', () => Reflect.deleteProperty(outgoing, 'end'));
}

/** Also takes the body from a reader that has stopped reading it. */
function discard(incoming: IncomingMessage): void {
  let left = discardLimit;
  const discardPart = ({ length }: Buffer): void => {
    left -= length;
    if (left > 0) return;
    incoming.off('data', discardPart).pause();
    incoming.socket.destroySoon();
  };
  incoming.removeAllListeners('data').removeAllListeners('readable').on('data', discardPart).resume();
}

/**
 * Asks a client that waits with its body (`Expect: 100-continue`) for it only when it is read. Otherwise Node closes the
 * connection after the response, because the client may send the body or not.
 */
export function continueWhenRead(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { _read: read } = incoming;
  incoming._read = (size) => {
    incoming._read = read;
    if (!outgoing.headersSent) outgoing.writeContinue();
    incoming._read(size);
  };
}
