import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';
import { tooManyRequests } from '../http/problems.js';
import type { Caller } from '../http/turns.js';
import { FairTurns } from '../store/fair-turns.js';
import { Usage } from '../store/usage.js';
import type { RequestHead } from './connection-errors.js';
import { TextResponse } from './text-response.js';

type Encoding = 'br' | 'gzip';

/** Characters. Shorter texts fit into one packet anyway. */
const minLength = 1024;

const compressible = /^(?:text\/|application\/json\b)/;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
/** On lists and OpenAPI 4 of 11 takes about as long as gzip and gives less; 5 takes 1.5 to 2 times as long. */
const brotliParams = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
};
const encode: Readonly<Record<Encoding, (text: string) => Promise<Uint8Array<ArrayBuffer>>>> = {
  br: (text) => brotli(text, { params: brotliParams }) as Promise<Buffer<ArrayBuffer>>,
  gzip: (text) => gzipped(text) as Promise<Buffer<ArrayBuffer>>,
};

/** Characters. Longer texts take a thread for milliseconds: a caller has one of two at most, so that others find one. */
const minLong = 16_384;
const threads = new FairTurns(2, () => tooManyRequests(5), 1, new Usage());
const encodeInTurn = (text: string, encoding: Encoding, caller: Caller | null): Promise<Uint8Array<ArrayBuffer>> =>
  text.length < minLong
    ? encode[encoding](text)
    : threads.run(caller?.userId ?? 'unknown', Number.POSITIVE_INFINITY, () => encode[encoding](text));

/** Characters of a text and number of texts that are kept compressed: such as the reference, which anybody may request. */
const minKept = 50_000;
const maxKept = 4;
const kept: Readonly<Record<Encoding, Map<string, Promise<Uint8Array<ArrayBuffer>>>>> = {
  br: new Map(),
  gzip: new Map(),
};

function compressed(text: string, encoding: Encoding, caller: Caller | null) {
  // Those who are not known get what anybody gets, whatever credentials they send.
  if (text.length < minKept || caller === null || caller.userId !== null) return encodeInTurn(text, encoding, caller);
  const known = kept[encoding].get(text);
  if (known) return known;
  if (kept[encoding].size >= maxKept) kept[encoding].clear();
  const bytes = encodeInTurn(text, encoding, caller);
  kept[encoding].set(text, bytes);
  return bytes;
}

/**
 * The encoding that an Accept-Encoding header prefers (RFC 9110, 12.5.3); brotli if the client has no preference.
 * `rejectsIdentity`: it does not accept responses without an encoding (`identity;q=0`).
 */
export function chosenEncoding(header: string): { encoding: Encoding | null; rejectsIdentity: boolean } {
  const weights = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]));
  const weightOf = (encoding: string): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const encoding = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  const identity = weights.get('identity');
  const preferred = weightOf(encoding) > 0 && weightOf(encoding) >= (identity ?? 0);
  return { encoding: preferred ? encoding : null, rejectsIdentity: (identity ?? weights.get('*')) === 0 };
}

type HeaderOf = (name: string) => string | null;

/**
 * Whether attackers may see the length of the compressed response. A page contains a CSRF token, and perhaps text of the
 * attacker's choice: a site that lets the victim's browser load it again and again could compute the token from
 * the lengths (BREACH). Responses with new secrets are `no-store` JSON.
 */
function mayRevealLength(request: IncomingHttpHeaders, header: HeaderOf): boolean {
  const isPage = header('Content-Type')?.startsWith('text/html') ?? false;
  if (!isPage) return !/\bno-(?:store|transform)\b/.test(header('Cache-Control') ?? '');
  return request.cookie === undefined || /^(?:same-origin|none)$/.test(request['sec-fetch-site']?.toString() ?? '');
}

/** Compresses text as the request accepts it, in the turn of its caller. Images, streams and encoded responses are not changed. */
export function compress(
  response: Response,
  request: Pick<RequestHead, 'method' | 'headers'>,
  caller: Caller | null,
): Response | Promise<Response> {
  const given = response instanceof TextResponse ? response : null;
  const text = typeof given?.content === 'string' ? given.content : null;
  if (text === null && request.method !== 'HEAD') return response;
  const { encoding, rejectsIdentity } = chosenEncoding(request.headers['accept-encoding']?.toString() ?? '');
  if (encoding === null) return response;
  const parts = given?.parts;
  const header: HeaderOf = parts
    ? (name) => parts.headers[name]?.toString() ?? null
    : (name) => response.headers.get(name);
  const length = text?.length ?? Number(header('Content-Length') ?? 0);
  if (length === 0 || (length < minLength && !rejectsIdentity)) return response;
  if (!compressible.test(header('Content-Type') ?? '') || header('Content-Encoding') !== null) return response;
  if (!mayRevealLength(request.headers, header)) return response;

  const { status } = response;
  if (text !== null && parts)
    return compressed(text, encoding, caller).then(
      (bytes) => new TextResponse(bytes, { status, headers: { ...parts.headers, 'Content-Encoding': encoding } }),
    );
  const headers = new Headers(response.headers);
  // The length that GET would have is not known, and may be left out (RFC 9110, 9.3.2).
  headers.delete('Content-Length');
  headers.set('Content-Encoding', encoding);
  if (text === null) return new Response(null, { status, headers });
  return compressed(text, encoding, caller).then((bytes) => new Response(bytes, { status, headers }));
}
