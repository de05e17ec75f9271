import { type IncomingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@hono/node-server';
import { randomText } from '../random.js';

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const malformed: Answer = {
  status: 400,
  message: 'This is not HTTP as the server understands it. Check the request line, the headers and the body length.',
};
const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: 'The address and the headers together are larger than 16 KiB. Send less.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request took too long to arrive. Send it again.',
  },
};
const unknownMethod: Answer = {
  status: 405,
  message: 'No address here answers this method. Use GET, HEAD, POST, PATCH or DELETE.',
  headers: { Allow: 'GET, HEAD, POST, PATCH, DELETE, OPTIONS' },
};
const unknownTarget: Answer = {
  status: 400,
  message: 'The address is not valid: send a path such as /livez, and one Host header with the name of the server.',
};
const unexpected: Answer = {
  status: 500,
  message: 'Something went wrong on the server. Try again.',
};

/** What Node says of a request, whichever HTTP it came by. */
export interface RequestHead {
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

interface ConnectionError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Where in the packet the fault is. */
  readonly bytesParsed?: number;
}

function answerTo({ code = '', rawPacket, bytesParsed = 0 }: ConnectionError): Answer {
  if (code === 'HPE_INVALID_METHOD' && rawPacket) {
    // The parser refuses methods that it does not know; the rest of such a request is well-formed HTTP.
    const start = rawPacket.lastIndexOf('\n', bytesParsed) + 1;
    const line = rawPacket.subarray(start, start + 2048).toString('latin1');
    if (/^[A-Z][A-Z-]* \S+ HTTP\/1\.[01]\r\n/.test(line)) return unknownMethod;
  }
  return answers[code] ?? malformed;
}

/** The parser complains again of every packet that follows. */
const complainedOf = new WeakSet<Socket>();

/** A response that is sent without the app, for logs and metrics. `error`: what failed inside the server. */
export interface Rejected {
  readonly requestId: string;
  readonly status: number;
  readonly error?: unknown;
}

/**
 * Responses to what never became a request of the app, as JSON like every other error (D6, D17).
 * @param report Hears of each.
 */
export function connectionErrors(report: (rejected: Rejected) => void) {
  const rejected = ({ status }: Answer, more: Pick<Rejected, 'error'> = {}): string => {
    const requestId = randomText(12);
    report({ requestId, status, ...more });
    return requestId;
  };
  const end = (socket: { end(text: string): unknown }, answer: Answer) => socket.end(text(answer, rejected(answer)));

  const answerInTurn = (error: ConnectionError, socket: Socket): void => {
    // Node's own handler asks the same private field: the answer that is being made, or is on its way.
    const { _httpMessage: pending } = socket as Socket & { _httpMessage?: ServerResponse };
    // A whole request came before the fault: its client would take this answer for its own.
    if (pending?.req.complete) pending.once('finish', () => answerInTurn(error, socket));
    else if (!socket.writable || pending?.headersSent) socket.destroy();
    else end(socket, answerTo(error));
  };

  return {
    /** For the server's `clientError`. */
    onClientError(error: ConnectionError, socket: Socket): void {
      if (error.code === 'ECONNRESET') socket.destroy();
      else if (!complainedOf.has(socket)) {
        complainedOf.add(socket);
        answerInTurn(error, socket);
      }
    },
    /** CONNECT asks for a proxy, which this is not. For the server's `connect`. */
    onConnect: (_request: unknown, socket: { end(text: string): unknown }): void => {
      end(socket, unknownMethod);
    },
    refuseTarget: (): Response => response(unknownTarget, rejected(unknownTarget)),
    /** For what the adapter could not make a request of, or not answer. */
    onRequestError(error: unknown): Response {
      if (error instanceof RequestError) return response(unknownTarget, rejected(unknownTarget));
      return response(unexpected, rejected(unexpected, { error }));
    },
  };
}

/** Host headers that were found valid: the same few come again and again. */
const validHosts = new Set<string>();

/** The adapter lets through hosts that no URL can have, such as `1.2.3.256`: everything after it would fail on them. */
function isValidHost(host: string): boolean {
  if (validHosts.has(host)) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  if (validHosts.size >= 100) validHosts.clear();
  validHosts.add(host);
  return true;
}

/**
 * Whether a request names its host once (RFC 9112, 3.2). Node itself would answer without a word, and of two names take
 * the first, where a proxy may have taken the other. HTTP/1.0 need not name any: health checks of proxies do not.
 */
export function namesOneHost({ rawHeaders, httpVersion }: Pick<RequestHead, 'rawHeaders' | 'httpVersion'>): boolean {
  let hosts = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place] as string;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (!isValidHost(rawHeaders[place + 1] as string)) return false;
    hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

const bodyOf = ({ message }: Answer): string => JSON.stringify({ error: message });
const headersOf = ({ headers = {} }: Answer, requestId: string): Record<string, string> => ({
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': requestId,
  ...headers,
  Connection: 'close',
});

const response = (answer: Answer, requestId: string): Response =>
  new Response(bodyOf(answer), { status: answer.status, headers: headersOf(answer, requestId) });

function text(answer: Answer, requestId: string): string {
  const { status } = answer;
  const body = bodyOf(answer);
  const headers = { 'Content-Length': String(Buffer.byteLength(body)), ...headersOf(answer, requestId) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
