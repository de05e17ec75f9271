import { randomText } from '../random.js';
import type { Exchange } from './exchange.js';
import { pauseFor } from './pause.js';
import {
  badRequest,
  HttpError,
  tooLarge,
  tooManyChunks,
  tooManyFields,
  unreadableForm,
  unsupportedEncoding,
  unsupportedType,
} from './problems.js';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits of reading and parsing. Parsing cannot be interrupted, so everything is counted first. */
const limits = {
  json: { bytes: 1 * MiB, fields: 1000 },
  multipart: { bytes: 10 * MiB, fields: 1000 },
  /** Sent before signing in. */
  stranger: { bytes: 16 * KiB, fields: 16 },
  /** The form of a session that has ended. */
  expired: { bytes: 256 * KiB, fields: 64 },
} as const satisfies Readonly<Record<string, { bytes: number; fields: number }>>;
/** All text of a form, names included, next to its files. Pages show it again: four times the longest brief. */
const maxFormText = 256 * KiB;
/** For JSON. The bodies in the contract have 2 levels and 15 keys. */
const maxDepth = 32;
const maxKeys = 1000;
/** The request log stores up to two thousand bodies. */
const maxLoggedBytes = 128 * KiB;
/** How much of a rejected body is read: if the connection closes while a client is sending, it does not see the 413. */
const drainBound = 64 * MiB;
/** Each takes time: a million chunks of one byte kept other requests waiting for seconds. */
const maxChunks = 20_000;
/** More of them, below this size together, are joined: one of a byte takes hundreds. */
const maxSmallChunks = 32;
const blockSize = 64 * KiB;

/** A request body, parsed but not yet checked against the contract. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'multipart'; readonly form: FormData }
  /** A form of a page, in either encoding. Its fields are strings that represent JSON values. */
  | { readonly kind: 'form'; readonly form: FormData };

const contentType = (exchange: Exchange): string =>
  (exchange.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

const formTypes: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data'];

export const hasForm = (exchange: Exchange): boolean =>
  !exchange.wantsJson && formTypes.includes(contentType(exchange));

/** `caller`: the sender is authenticated. */
export type FormSender = 'caller' | 'expired' | 'stranger';

/**
 * The form that a page sent; null if the body is not a form. `from`: forms of unknown clients have few fields, so that
 * they cannot cause much work.
 * @throws 400, 413
 */
export async function formOf(exchange: Exchange, from: FormSender = 'caller'): Promise<FormData | null> {
  // The body cannot be read again.
  if (exchange.formError) throw exchange.formError;
  try {
    return await readForm(exchange, from);
  } catch (error) {
    exchange.formError = error;
    throw error;
  }
}

async function readForm(exchange: Exchange, from: FormSender): Promise<FormData | null> {
  if (exchange.form === null && hasForm(exchange)) {
    const own = contentType(exchange) === 'multipart/form-data' ? limits.multipart : limits.json;
    const limit = from === 'caller' ? own : limits[from];
    const { bytes, isComplete, rejection } = await readBytes(exchange, limit.bytes);
    if (rejection) {
      // The page shows what was typed, which comes before a file.
      exchange.form = await parseForm(exchange, bytes, limit.fields, false).catch(() => null);
      throw rejection;
    }
    const parsed = isComplete || own === limits.multipart ? bytes : null;
    const form = await parseForm(exchange, accepted(exchange, parsed, 'form', limit.bytes), limit.fields, isComplete);
    // The fields are before the file, whose beginning is large enough to be rejected like the whole.
    if (!isComplete && typeof [...form.values()].at(-1) === 'string') accepted(exchange, null, 'form', limit.bytes);
    exchange.form = form;
  }
  return exchange.form;
}

/** @throws 400 if the body cannot be parsed, 413 if it is too large, 415 for other content types. */
export async function readBody(exchange: Exchange, multipart: boolean): Promise<Body> {
  const form = exchange.wantsJson ? null : await formOf(exchange);
  if (form) return { kind: 'form', form };
  const type = contentType(exchange);
  const kind = type === 'application/json' ? 'json' : type === 'multipart/form-data' && multipart ? 'multipart' : null;
  const { bytes: most } = limits[kind ?? 'json'];
  const { bytes: read, isComplete, rejection } = await readBytes(exchange, most);
  if (rejection) throw rejection;
  const sent = isComplete ? read : null;
  if (sent?.length === 0) return { kind: 'none' };
  // Before the size, because types that are never read have no limit.
  if (kind === null)
    throw unsupportedType(multipart ? 'application/json, or multipart/form-data for a file' : 'application/json');
  const bytes = accepted(exchange, sent, kind === 'json' ? 'JSON body' : 'multipart body', most);
  if (kind === 'multipart') {
    exchange.form = await parseForm(exchange, bytes, limits.multipart.fields);
    return { kind, form: exchange.form };
  }
  const value = parseJson(bytes);
  exchange.sent = bytes.length > maxLoggedBytes ? `(${bytes.length} bytes)` : value;
  return { kind, value };
}

/** @throws 415 for compressed bodies, 413 for bodies that are too large */
function accepted(exchange: Exchange, bytes: Uint8Array | null, what: string, most: number): Uint8Array {
  const encoding = exchange.header('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') throw unsupportedEncoding(encoding);
  if (bytes) return bytes;
  throw tooLarge(what, most < MiB ? `${most / KiB} KiB` : `${most / MiB} MiB`);
}

interface ReadBytes {
  readonly bytes: Uint8Array;
  readonly isComplete: boolean;
  /** Why the rest was not read: there is too much in memory. */
  readonly rejection: unknown;
}

/** The body, or the beginning of one that is larger than `bound`, when it may be processed. */
async function readBytes(exchange: Exchange, bound: number): Promise<ReadBytes> {
  const read = await receivedBytes(exchange, bound);
  // A body that is rejected does not wait in memory, unless much of it is parsed for the page that shows it again.
  if (!read.rejection || read.bytes.length > MiB) await exchange.leaseForBody()?.turn();
  return read;
}

async function receivedBytes(exchange: Exchange, bound: number): Promise<ReadBytes> {
  const announced = exchange.header('content-length');
  const lease = exchange.leaseForBody();
  const rejectionOf = ({ length }: Uint8Array): unknown => {
    try {
      return lease?.grow(length);
    } catch (error) {
      return error;
    }
  };
  // The common case: a body of a known, acceptable length needs no counting.
  if (announced !== null && Number(announced) <= bound && (!lease || exchange.isReceived)) {
    const bytes = new Uint8Array(await received(() => exchange.request.arrayBuffer()));
    return { bytes, isComplete: true, rejection: rejectionOf(bytes) };
  }
  if (!exchange.request.body) return { bytes: new Uint8Array(), isComplete: true, rejection: null };

  const reader = exchange.request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let count = 0;
  let firstSmall = 0;
  let rejection: unknown;
  const next = () => received(() => (lease ? lease.inTime(() => reader.read()) : reader.read()));
  for (let part = await next(); !part.done; part = await next()) {
    const room = bound - length;
    length += part.value.length;
    count += 1;
    if (room > 0) {
      const chunk = part.value.subarray(0, room);
      chunks.push(chunk);
      if (chunks.length - firstSmall > maxSmallChunks) {
        const joined = concatenated(chunks.splice(firstSmall));
        chunks.push(joined);
        if (joined.length > blockSize) firstSmall = chunks.length;
      }
      rejection = rejectionOf(chunk);
      if (rejection) break;
    }
    if (Math.max(count, exchange.chunks) > maxChunks) throw tooManyChunks(maxChunks);
    if (length > drainBound) {
      await reader.cancel();
      break;
    }
  }
  return { bytes: concatenated(chunks), isComplete: length <= bound, rejection };
}

/** If a body ends early, the client has disconnected, or its framing is wrong. */
async function received<Part>(read: () => Promise<Part>): Promise<Part> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw badRequest('The body ended before it was complete.');
  }
}

function concatenated(chunks: readonly Uint8Array[]): Uint8Array {
  // Copying 10 MiB may take 40 ms.
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

/** @throws 400 for JSON that is too deep, 413 for JSON with too many keys */
function checkJson(bytes: Uint8Array): void {
  let depth = 0;
  let keys = 0;
  let inText = false;
  for (let place = 0; place < bytes.length; place += 1) {
    const byte = bytes[place];
    if (inText) {
      if (byte === 0x5c) place += 1;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > maxDepth) throw badRequest(`The body has more than ${maxDepth} levels. Send fewer.`);
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x3a) {
      keys += 1;
      if (keys > maxKeys) throw tooManyFields(maxKeys);
    }
  }
}

function parseJson(bytes: Uint8Array): unknown {
  checkJson(bytes);
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

/** @throws 400 for a body that is not a form, 413 for more than `maxFields` fields, or too much text */
async function parseForm(exchange: Exchange, bytes: Uint8Array, maxFields: number, isComplete = true) {
  const type = exchange.header('content-type') ?? '';
  const readable =
    contentType(exchange) === 'multipart/form-data'
      ? (await import('./multipart.js')).divided(bytes, type, {
          maxFields,
          maxHeads: maxFormText,
          isComplete,
          newBoundary: randomText(24),
        })
      : pairs(bytes, maxFields);
  if (readable === 'too many') throw tooManyFields(maxFields);
  if (readable === 'too long') throw tooLarge('text of the form', '256 KiB');
  if (readable === null) throw unreadableForm();
  await pauseFor(exchange, bytes);
  let form: FormData;
  try {
    form = await readable.formData();
  } catch {
    throw unreadableForm();
  }
  await pauseFor(exchange, bytes);
  if (hasLostText(form, bytes)) throw badRequest('The form contains text that is not valid UTF-8. Send it in UTF-8.');
  let length = 0;
  for (const [name, value] of form) length += name.length + (typeof value === 'string' ? value : value.name).length;
  if (length > maxFormText) throw tooLarge('text of the form', '256 KiB');
  return form;
}

function pairs(bytes: Uint8Array, maxFields: number): Response {
  let count = 1;
  for (let place = bytes.indexOf(0x26); place >= 0; place = bytes.indexOf(0x26, place + 1)) {
    count += 1;
    if (count > maxFields) throw tooManyFields(maxFields);
  }
  return new Response(bytes as BodyInit, { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
}

/**
 * Whether text of the form differs from the body: parsers replace bytes that are not UTF-8 with U+FFFD. If
 * the body itself contains U+FFFD, it may be intended.
 */
function hasLostText(form: FormData, bytes: Uint8Array): boolean {
  const isMarked = [...form.values()].some((value) => typeof value === 'string' && value.includes('\ufffd'));
  return isMarked && !/\xef\xbf\xbd|%ef%bf%bd/i.test(new TextDecoder('latin1').decode(bytes));
}
