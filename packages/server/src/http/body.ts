import type { Exchange } from './exchange.js';
import { badRequest, tooLarge, unsupportedEncoding, unsupportedType } from './problems.js';

const MiB = 1024 * 1024;
/** D7. */
const bounds = { json: 1 * MiB, multipart: 10 * MiB };
/** How much of a refused body is still read: a client that sees the connection close while it sends never sees the 413. */
const drainBound = 64 * MiB;

/** A request body, parsed but not yet checked against the contract. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'multipart'; readonly form: FormData }
  /** A page's form, in either encoding: its fields are texts that stand for JSON values. */
  | { readonly kind: 'form'; readonly form: FormData };

const contentType = (exchange: Exchange): string =>
  (exchange.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

const formTypes: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** The form that a page sent; null when the body is none. @throws 400, 413 */
export async function formOf(exchange: Exchange): Promise<FormData | null> {
  const type = contentType(exchange);
  if (exchange.form === null && !exchange.wantsJson && formTypes.includes(type)) {
    const kind = type === 'multipart/form-data' ? 'multipart' : 'json';
    exchange.form = await parseForm(exchange, accepted(exchange, await readBytes(exchange, kind), kind));
  }
  return exchange.form;
}

/** @throws 400 for what cannot be parsed, 413 for what is too large, 415 for another content type (D7). */
export async function readBody(exchange: Exchange, multipart: boolean): Promise<Body> {
  const form = exchange.wantsJson ? null : await formOf(exchange);
  if (form) return { kind: 'form', form };
  const type = contentType(exchange);
  const kind = type === 'application/json' ? 'json' : type === 'multipart/form-data' && multipart ? 'multipart' : null;
  const sent = await readBytes(exchange, kind ?? 'json');
  if (sent?.length === 0) return { kind: 'none' };
  // Before the size: what is not read at all has no bound of its own (D7, D9).
  if (kind === null)
    throw unsupportedType(multipart ? 'application/json, or multipart/form-data for a file' : 'application/json');
  const bytes = accepted(exchange, sent, kind);
  if (kind === 'multipart') return { kind, form: await parseForm(exchange, bytes) };
  exchange.sent = parseJson(bytes);
  return { kind, value: exchange.sent };
}

/** @throws 415 for what is compressed, 413 for what `readBytes` found too large */
function accepted(exchange: Exchange, bytes: Uint8Array | null, kind: keyof typeof bounds): Uint8Array {
  const encoding = exchange.header('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') throw unsupportedEncoding(encoding);
  if (bytes) return bytes;
  throw tooLarge(kind === 'json' ? 'JSON body' : 'multipart body', `${bounds[kind] / MiB} MiB`);
}

/** The whole body; null when it is larger than bodies of this kind may be. */
async function readBytes(exchange: Exchange, kind: keyof typeof bounds): Promise<Uint8Array | null> {
  const bound = bounds[kind];
  const announced = exchange.header('content-length');
  // The common case: a body of a known, acceptable length needs no counting.
  if (announced !== null && Number(announced) <= bound)
    return new Uint8Array(await received(() => exchange.request.arrayBuffer()));
  if (!exchange.request.body) return new Uint8Array();

  const reader = exchange.request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await received(() => reader.read()); !part.done; part = await received(() => reader.read())) {
    length += part.value.length;
    if (length <= bound) chunks.push(part.value);
    if (length > drainBound) {
      await reader.cancel();
      break;
    }
  }
  return length > bound ? null : concatenated(chunks, length);
}

/** A body that breaks off is the client's doing: it hung up, or its framing is wrong. */
async function received<Part>(read: () => Promise<Part>): Promise<Part> {
  try {
    return await read();
  } catch {
    throw badRequest('The body ended before it was complete.');
  }
}

function concatenated(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8. Send JSON in UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`The body is not valid JSON: ${(error as Error).message}.`);
  }
}

async function parseForm(exchange: Exchange, bytes: Uint8Array): Promise<FormData> {
  const type = exchange.header('content-type') ?? '';
  let form: FormData;
  try {
    form = await new Response(bytes as BodyInit, { headers: { 'Content-Type': type } }).formData();
  } catch {
    throw badRequest(
      'The multipart body cannot be read. Let your HTTP client set the content type, boundary included.',
    );
  }
  if (hasLostText(form, bytes)) throw badRequest('The form holds text that is not valid UTF-8. Send it in UTF-8.');
  return form;
}

/**
 * Whether text of the form is not what was sent (D19): parsers put U+FFFD in the place of bytes that are no UTF-8. Where
 * the body itself holds a U+FFFD, it may have been meant.
 */
function hasLostText(form: FormData, bytes: Uint8Array): boolean {
  const isMarked = [...form.values()].some((value) => typeof value === 'string' && value.includes('\ufffd'));
  return isMarked && !/\xef\xbf\xbd|%ef%bf%bd/i.test(new TextDecoder('latin1').decode(bytes));
}
