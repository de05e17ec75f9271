import { type IncomingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestError } from '@hono/node-server';
import { badRequest, HttpError } from '../http/problems.js';
import { randomText } from '../random.js';
import { hostCheck, type OwnHosts } from './host.js';

const malformed = badRequest(
  'The request is not valid HTTP. Check the request line, the headers and the length of the body.',
);
const responses: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: new HttpError(431, 'The URL and the headers are larger than 16 KiB in total. Send less.'),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError(408, 'The request took too long to arrive. Send it again.'),
};
const unknownMethod = new HttpError(
  405,
  'This server does not support this method. Use GET, HEAD, POST, PATCH or DELETE.',
  { Allow: 'GET, HEAD, POST, PATCH, DELETE, OPTIONS' },
);
/** Where the end of the request is not certain. Others keep the connection: a proxy would need one for each of them. */
const close = { Connection: 'close' };
const unknownTarget = new HttpError(
  400,
  'The URL is not valid. Send a path such as /livez, and one Host header with the name of the server.',
  close,
);
const invalidHeaders = new HttpError(
  400,
  'The headers are not valid. Send HTTP/1.1, one Host with the name of the server, at most one Authorization and one Content-Type, and no Transfer-Encoding but chunked.',
  close,
);
const unknownHost = (host: string) =>
  badRequest(
    `This server does not respond to the host ${host}. Use its address, or start the server with --allow-host ${host.replace(/:\d+$/, '')}.`,
  );
const unknownPath = new HttpError(
  404,
  'There is nothing at this URL. Paths have no "." or ".." segments, and no encoded dots or slashes. /openapi.json lists all endpoints.',
);
const unexpected = new HttpError(500, 'Something went wrong on the server. Try again.', close);

/** The head of a request in Node. */
export interface RequestHead {
  /** Names and values in turn, as they arrived. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
  readonly method?: string | undefined;
  /** The target as it arrived, which URLs resolve: `/a/../metrics`. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

interface ConnectionError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** The position of the error in the packet. */
  readonly bytesParsed?: number;
}

function responseTo({ code = '', rawPacket, bytesParsed = 0 }: ConnectionError): HttpError {
  if (code === 'HPE_INVALID_METHOD' && rawPacket) {
    // The parser rejects unknown methods; the rest of such a request is well-formed HTTP.
    const start = rawPacket.lastIndexOf('\n', bytesParsed) + 1;
    const line = rawPacket.subarray(start, start + 2048).toString('latin1');
    if (/^[A-Z][A-Z-]* \S+ HTTP\/1\.[01]\r\n/.test(line)) return unknownMethod;
  }
  return responses[code] ?? malformed;
}

/** The parser reports an error for every further packet. */
const failedSockets = new WeakSet<Socket>();

/** A response that is sent without the app, for logs and metrics. `error` is a failure inside the server. */
export interface Rejected {
  readonly requestId: string;
  readonly status: number;
  readonly error?: unknown;
}

/**
 * Responses to what the app cannot handle as a request, in JSON like every other error.
 * @param hosts what the server responds to
 * @param report is called for each of them
 * @param closeTimeout milliseconds in which a client must close its side of a connection that is not usable anymore
 */
export function connectionErrors(hosts: OwnHosts, report: (rejected: Rejected) => void, closeTimeout: number) {
  const checkHost = hostCheck(hosts);
  const rejected = ({ status }: HttpError, more: Pick<Rejected, 'error'> = {}): string => {
    const requestId = randomText(12);
    report({ requestId, status, ...more });
    return requestId;
  };
  const reject = (problem: HttpError, more?: Pick<Rejected, 'error'>): Response => {
    const { headers, body } = partsOf(problem, rejected(problem, more));
    return new Response(body, { status: problem.status, headers });
  };
  // Not closed immediately: a client that is still sending would lose the response.
  const end = (socket: Duplex, error: HttpError): void => {
    socket.end(messageOf(error, rejected(error)));
    const timer = setTimeout(() => socket.destroy(), closeTimeout).unref();
    socket.once('close', () => clearTimeout(timer)).resume();
  };

  const respondInTurn = (error: ConnectionError, socket: Socket): void => {
    // Node's own handler uses the same private field: the current response of the connection.
    const { _httpMessage: pending } = socket as Socket & { _httpMessage?: ServerResponse };
    // A complete request precedes the error, and its client would take this response for its own.
    if (pending?.req.complete) pending.once('finish', () => respondInTurn(error, socket));
    else if (!socket.writable || pending?.headersSent) socket.destroy();
    else end(socket, responseTo(error));
  };

  return {
    onClientError(error: ConnectionError, socket: Socket): void {
      if (error.code === 'ECONNRESET') socket.destroy();
      else if (!failedSockets.has(socket)) {
        failedSockets.add(socket);
        respondInTurn(error, socket);
      }
    },
    /** For the server's `connect`: this is not a proxy. */
    onConnect: (_request: unknown, socket: Duplex): void => {
      socket.on('error', () => socket.destroy());
      end(socket, unknownMethod);
    },
    /** What is wrong with a request that the app must not see; null for all others. */
    problemOf(request: RequestHead): HttpError | null {
      const { host } = request.headers;
      const state = host === undefined ? 'known' : checkHost(host);
      if (state === 'invalid' || !hasValidHeaders(request)) return invalidHeaders;
      if (state === 'unknown') return unknownHost(host as string);
      return indirectPath.test(request.url ?? '') ? unknownPath : null;
    },
    reject,
    /** For requests that the adapter cannot convert, and for errors in the server's HTTP code. */
    onRequestError(error: unknown): Response {
      return error instanceof RequestError ? reject(unknownTarget) : reject(unexpected, { error });
    },
  };
}

/**
 * What proxies and URLs read differently, in the path of a target: a rule of a proxy for `/metrics` must also be one for all
 * other spellings. Dot segments, and encoded dots, slashes and backslashes. The adapter rejects plain backslashes.
 */
const indirectPath = /^[^?#]*(?:\/\.\.?(?:[/?#]|$)|%2e|%2f|%5c|\\)/i;

/** Headers that a request may have only once. Node uses the first of two, where a proxy may have used the other. */
const single: readonly string[] = ['host', 'authorization', 'content-type'];

/**
 * Whether a request has one Host header (RFC 9112, 3.2), and no other header twice that changes what it means.
 * Node itself would respond without a message. HTTP/1.0 does not require a Host: health checks of proxies omit it.
 */
function hasValidHeaders({ rawHeaders, httpVersion, headers }: RequestHead): boolean {
  const seen = [0, 0, 0];
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place] as string;
    if (name.length !== 4 && name.length !== 13 && name.length !== 12) continue;
    const kind = single.indexOf(name.toLowerCase());
    if (kind < 0) continue;
    seen[kind] = (seen[kind] as number) + 1;
    if ((seen[kind] as number) > 1) return false;
  }
  // Only chunks can be decoded: Node would ignore "gzip, chunked".
  const { 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return false;
  return httpVersion === '1.1' ? seen[0] === 1 : httpVersion === '1.0';
}

function partsOf({ message, headers }: HttpError, requestId: string) {
  const own = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...headers,
  };
  return { headers: own, body: JSON.stringify({ error: message }) };
}

/** The whole response in HTTP/1.1. */
function messageOf(error: HttpError, requestId: string): string {
  const { headers, body } = partsOf(error, requestId);
  const all = { 'Content-Length': String(Buffer.byteLength(body)), ...headers, ...close };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`;
}
