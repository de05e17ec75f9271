import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { randomText } from '../random.js';

interface Answer {
  readonly line: string;
  readonly message: string;
  readonly headers?: string;
}

const malformed: Answer = {
  line: '400 Bad Request',
  message: 'This is not HTTP as the server understands it. Check the request line, the headers and the body length.',
};
const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    line: '431 Request Header Fields Too Large',
    message: 'The address and the headers together are larger than 16 KiB. Send less.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    line: '408 Request Timeout',
    message: 'The request took too long to arrive. Send it again.',
  },
};
const unknownMethod: Answer = {
  line: '405 Method Not Allowed',
  message: 'No address here answers this method. Use GET, HEAD, POST, PATCH or DELETE.',
  headers: 'Allow: GET, HEAD, POST, PATCH, DELETE, OPTIONS\r\n',
};

type ConnectionError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

function answerTo({ code = '', rawPacket }: ConnectionError): Answer {
  // The parser refuses methods that it does not know; the rest of such a request is well-formed HTTP.
  const wellFormed = /^[A-Z][A-Z-]* \S+ HTTP\/1\.[01]\r\n/.test(rawPacket?.subarray(0, 2048).toString('latin1') ?? '');
  if (code === 'HPE_INVALID_METHOD' && wellFormed) return unknownMethod;
  return answers[code] ?? malformed;
}

/** Answers what never became a request, as JSON like every other error (D6, D17). For the server's `clientError`. */
export function answerConnectionError(error: ConnectionError, socket: Socket): void {
  // Node's own handler asks the same private field: an answer may be on its way already.
  const { _httpMessage: pending } = socket as Socket & { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable || pending?.headersSent) socket.destroy();
  else socket.end(text(answerTo(error)));
}

/** CONNECT asks for a proxy, which this is not. For the server's `connect`. */
export const refuseConnect = (_request: unknown, socket: { end(text: string): unknown }): void => {
  socket.end(text(unknownMethod));
};

function text({ line, message, headers = '' }: Answer): string {
  const body = JSON.stringify({ error: message });
  return (
    `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `X-Request-Id: ${randomText(12)}\r\n${headers}Connection: close\r\n\r\n${body}`
  );
}
