import type { IncomingMessage } from 'node:http';
import { PlainResponse } from './plain-response.js';

/** A request with its body written out. */
interface Outgoing {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
}

async function fromRequest(request: Request): Promise<Outgoing> {
  const { url, method } = request;
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  return { url, method, headers: Object.fromEntries(request.headers), body };
}

/** The runtime's `Request` writes out forms and files. Most requests are plain, and do without loading it. */
async function outgoing(input: string | Request, init: RequestInit): Promise<Outgoing> {
  if (typeof input !== 'string') return fromRequest(input);
  const { method = 'GET', headers, body } = init;
  if (body !== undefined && typeof body !== 'string') return fromRequest(new Request(input, init));
  const given = { ...(headers as Record<string, string>) };
  return { url: input, method, headers: given, body: body === undefined ? undefined : Buffer.from(body) };
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Nothing compressed is asked for, but what stands between may compress all the same. */
async function decoded(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding === undefined || body.length === 0) return body;
  const { brotliDecompressSync, gunzipSync, inflateSync } = await import('node:zlib');
  const decoders = new Map([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['deflate', inflateSync],
  ]);
  return decoders.get(encoding.toLowerCase())?.(body) ?? body;
}

/** The body is read to its end first: answers are pages of JSON, and a web stream over a socket takes its time to set up. */
async function responseOf(message: IncomingMessage): Promise<PlainResponse> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const body = await decoded(Buffer.concat(parts), message.headers['content-encoding']);
  return new PlainResponse(message.statusCode ?? 0, message.rawHeaders, body);
}

async function send(input: string | Request, init: RequestInit, agent: false | undefined): Promise<Response> {
  const { url, method, headers, body } = await outgoing(input, init);
  const signal = init.signal ?? undefined;
  signal?.throwIfAborted();
  headers['accept-encoding'] = 'identity';
  if (body !== undefined) headers['content-length'] = String(body.byteLength);
  else if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = '0';
  // TLS takes 5 ms to load, and a server on this machine has none.
  const { request: begin } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
  const answer = await new Promise<PlainResponse>((resolve, reject) => {
    // As the standard demands: what failed in the network is a TypeError with the reason as its cause.
    const fail = (cause: Error) => reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    const request = begin(url, { method, headers, ...(agent === false && { agent }), ...(signal && { signal }) });
    request.on('error', fail);
    request.on('response', (message) => responseOf(message).then(resolve, fail));
    request.end(body);
  });
  // An API has no redirects to follow; where a host answers with one, the runtime's own fetch knows all its rules.
  const redirect = typeof input === 'string' ? init.redirect : input.redirect;
  if (redirect === 'follow' && REDIRECTS.includes(answer.status)) return fetch(input, init);
  // It has what the SDK and `trace.ts` read of a response; nothing else in this program gets to see it.
  return answer as unknown as Response;
}

/**
 * `fetch` on node:http, for what this program needs. The first use of the built-in one compiles its parser, which takes
 * more processor time than the rest of a command.
 * @param agent false for connections that nothing of the runtime's own settings reaches, such as NODE_USE_ENV_PROXY
 */
export const nodeFetch =
  (agent?: false) =>
  (input: string | Request, init: RequestInit): Promise<Response> =>
    send(input, init, agent);
