import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

const NO_BODY = new Set([101, 204, 205, 304]);

const headersOf = (message: IncomingMessage): Headers => {
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '');
  }
  return headers;
};

/** The body is read to its end first: answers are pages of JSON, and a web stream over a socket takes its time to set up. */
async function responseOf(message: IncomingMessage, method: string): Promise<Response> {
  const status = message.statusCode ?? 0;
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return new Response(NO_BODY.has(status) || method === 'HEAD' ? null : Buffer.concat(parts), {
    status,
    statusText: message.statusMessage ?? '',
    headers: headersOf(message),
  });
}

/**
 * `fetch` on node:http, for what this program needs: no redirects are followed, nothing is decompressed. On Node 20 the
 * built-in one keeps the process alive for 70 ms after its first use.
 */
export async function nodeFetch(request: Request, init?: { signal?: AbortSignal }): Promise<Response> {
  const { url, method } = request;
  const signal = init?.signal ?? request.signal;
  signal.throwIfAborted();
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const headers = Object.fromEntries(request.headers);
  headers['accept-encoding'] = 'identity';
  if (body !== undefined) headers['content-length'] = String(body.byteLength);
  else if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = '0';
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    // As the standard demands: what failed in the network is a TypeError with the reason as its cause.
    const fail = (cause: Error) => reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    const outgoing = send(url, { method, headers, signal });
    outgoing.on('error', fail);
    outgoing.on('response', (message) => responseOf(message, method).then(resolve, fail));
    outgoing.end(body);
  });
}
