import type { IncomingMessage } from 'node:http';
import type { Fetch, FetchInit, FetchResponse } from '@mkt/sdk';

/** Headers as the SDK and `--debug` read them. Repeated headers are joined, as in the built-in class. */
class PlainHeaders {
  readonly #values = new Map<string, string>();

  /** @param raw - names and values alternating, as node:http returns them */
  constructor(raw: readonly string[]) {
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = (raw[index] ?? '').toLowerCase();
      const value = raw[index + 1] ?? '';
      this.#values.set(name, this.has(name) ? `${this.get(name)}, ${value}` : value);
    }
  }

  get = (name: string): string | null => this.#values.get(name.toLowerCase()) ?? null;
  has = (name: string): boolean => this.#values.has(name.toLowerCase());
  forEach = (use: (value: string, name: string) => void): void => this.#values.forEach(use);
}

/**
 * A response with only the parts that the SDK reads. On Node 20 the first use of the runtime's `Response` or `Headers` takes
 * 20 ms, since it loads all web classes.
 */
class PlainResponse implements FetchResponse {
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly url = '';
  readonly redirected = false;
  readonly type = 'default';
  readonly #body: Buffer;

  constructor(status: number, rawHeaders: readonly string[], body: Buffer) {
    this.status = status;
    this.headers = new PlainHeaders(rawHeaders);
    this.#body = body;
  }

  text = async (): Promise<string> => new TextDecoder().decode(this.#body);
}

/** Streams need the built-in `Response`; other bodies do not load it. */
async function bytesOf(body: FetchInit['body']): Promise<Buffer | undefined> {
  if (body === undefined) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(body instanceof ArrayBuffer ? body : await new Response(body).arrayBuffer());
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** The request asks for no compression, but a proxy may still compress the response. */
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

/** Reads the whole body first: responses are pages of JSON, and setting up a web stream takes time. */
async function responseOf(message: IncomingMessage): Promise<PlainResponse> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const body = await decoded(Buffer.concat(parts), message.headers['content-encoding']);
  return new PlainResponse(message.statusCode ?? 0, message.rawHeaders, body);
}

/**
 * `fetch` on node:http, for the needs of this program. The first use of the built-in one compiles its parser, which takes
 * more CPU time than the rest of a command.
 * @param agent false for connections that ignore settings of the runtime such as NODE_USE_ENV_PROXY
 * @param heard receives the headers of each response
 */
export const nodeFetch =
  (agent?: false, heard?: (headers: FetchResponse['headers']) => void): Fetch =>
  async (url, init) => {
    const { method, redirect, signal } = init;
    const body = await bytesOf(init.body);
    const headers: Record<string, string> = { ...init.headers, 'accept-encoding': 'identity' };
    signal.throwIfAborted();
    if (body !== undefined) headers['content-length'] = String(body.byteLength);
    else if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = '0';
    // TLS takes 5 ms to load, and a server on this machine has none.
    const { request: begin } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
    const response = await new Promise<PlainResponse>((resolve, reject) => {
      // As the fetch standard requires, a network failure is a TypeError with the reason as its cause.
      const fail = (cause: Error) => reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
      const request = begin(url, { method, headers, ...(agent === false && { agent }), signal });
      request.on('error', fail);
      request.on('response', (message) => responseOf(message).then(resolve, fail));
      request.end(body);
    });
    heard?.(response.headers);
    // The API has no redirects to follow. If a host redirects anyway, the built-in fetch handles it.
    return redirect === 'follow' && REDIRECTS.includes(response.status) ? fetch(url, init) : response;
  };
