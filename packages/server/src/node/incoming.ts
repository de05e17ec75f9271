import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Connection } from '../http/turns.js';

export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Pipelined requests of all connections that wait: about 10 KB each. One packet has up to 1,500. */
const maxPipelined = 10_000;

/**
 * Handles pipelined requests one after the other, as their responses are sent. Node passes on all requests of a packet of
 * 64 KiB at once, so that other clients would wait for hundreds of them, also after their own client has gone.
 */
export function onePerConnection(listener: Listener): Listener {
  const waiting = new Map<Socket, number>();
  let total = 0;
  const forget = (socket: Socket): void => {
    total -= waiting.get(socket) ?? 0;
    waiting.delete(socket);
  };
  const wait = (socket: Socket, change: 1 | -1): void => {
    if (!waiting.has(socket)) socket.once('close', () => forget(socket));
    const left = (waiting.get(socket) ?? 0) + change;
    waiting.set(socket, left);
    total += change;
    if (left === 0) socket.resume();
    else if (total > maxPipelined) socket.destroy();
    // Later, because Node goes on reading after each response.
    else setImmediate(() => waiting.get(socket) !== 0 && socket.pause());
  };
  return (incoming, outgoing) => {
    // Node assigns the socket to a response when those before it are sent.
    if (outgoing.socket) return listener(incoming, outgoing);
    const { socket } = incoming;
    if (socket.destroyed) return undefined;
    wait(socket, 1);
    outgoing.once('socket', () => {
      wait(socket, -1);
      listener(incoming, outgoing);
    });
  };
}

/**
 * An address; of IPv6 the network of its first 64 bits, because a client has all addresses in it. It counts as one client.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  // As sockets for both versions name clients with IPv4.
  if (/^::ffff:[\d.]+$/.test(address)) return address.slice('::ffff:'.length);
  const known = ipaddr.process(address.replace(/%.*/, ''));
  return known.kind() === 'ipv4' ? `${known}` : `${ipaddr.IPv6.networkAddressFromCIDR(`${known}/64`)}/64`;
}

/** A request whose client is not that of its connection. */
export interface ClientMessage extends IncomingMessage {
  client?: Connection;
}

/**
 * Finds out whose request it is.
 * @param header the lowercase name of a header that the proxy sets; of several addresses, the last one is from the proxy
 */
export function nameClient(incoming: ClientMessage, header?: string): void {
  const { remoteAddress = '', remotePort } = incoming.socket;
  const sent = String((header && incoming.headers[header]) ?? '');
  const named = sent.slice(sent.lastIndexOf(',') + 1).trim();
  const address = networkOf(isIP(named) === 0 ? remoteAddress : named);
  if (address !== remoteAddress) incoming.client = { remoteAddress: address, remotePort };
}

/** Chunks that arrive together, after which reading stops until others had their turn. Node would go on to 2 MiB. */
const maxJoined = 256;

/** A request whose chunks were counted. */
export interface ChunkedMessage extends IncomingMessage {
  chunks?: number;
}

/**
 * Passes the chunks of a body that arrive together to its reader as one. Each costs its reader about 10 microseconds, and
 * 64 KiB can have 10,000 of one byte.
 */
export function joinChunks(incoming: ChunkedMessage): void {
  if (incoming.headers['transfer-encoding'] === undefined) return;
  const push = incoming.push.bind(incoming);
  let parts: Buffer[] = [];
  const flush = (): boolean => {
    const joined = Buffer.concat(parts);
    parts = [];
    return joined.length === 0 || push(joined);
  };
  incoming.chunks = 0;
  incoming.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      flush();
      return push(null);
    }
    incoming.chunks = (incoming.chunks ?? 0) + 1;
    if (parts.push(chunk) === 1) setImmediate(flush);
    return parts.length < maxJoined && incoming.readableLength < incoming.readableHighWaterMark;
  };
}

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Of a body that nothing reads. More is more than any client sends by mistake. */
const discardLimit = 64 * 1024 * 1024;
/** Bytes that each of its chunks counts as at least. */
const leastChunk = 16 * 1024;
/** Milliseconds until its connection is closed, in which nothing is read: the client may open the next one immediately. */
const closeAfter = 5000;

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
function discard(incoming: ChunkedMessage): void {
  let left = discardLimit;
  let counted = incoming.chunks ?? 0;
  const discardPart = ({ length }: Buffer): void => {
    const { chunks = 0 } = incoming;
    left -= Math.max(length, (chunks - counted) * leastChunk);
    counted = chunks;
    incoming.pause();
    // Others have their turn between two parts.
    if (left > 0) return void setImmediate(() => incoming.resume());
    incoming.off('data', discardPart);
    setTimeout(() => incoming.socket.destroySoon(), closeAfter).unref();
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
