import { type AnswerDetails, type Issue, ResponseParseError, ResponseValidationError } from '../errors.js';
import type { Settings } from '../options.js';
import type { Received } from './call.js';
import type { Operation } from './operation.js';
import { problem, signInRequired } from './problems.js';
import { Result } from './result.js';
import { differences } from './validation.js';

/** `request()` names no shape: it reads whatever comes. */
const isFree = ({ operation }: Operation): boolean => operation === 'request';

/** What an error tells of an answer, without the token. */
function detailsOf({ method }: Operation, { status, headers, text, url, attempts, redact }: Received): AnswerDetails {
  const clean = new Headers();
  headers.forEach((value, name) => {
    clean.append(name, redact(value));
  });
  return {
    status,
    method,
    url: redact(url),
    headers: clean,
    bodyText: redact(text),
    requestId: clean.get('x-request-id'),
    attempts,
  };
}

const isSignIn = (address: string): boolean => /\/(sign[_-]?in|login)\/?([?#]|$)/.test(address);

/** A write is not redirected but shows where it should go (D40). */
function checkSignIn(operation: Operation, received: Received): void {
  const { status, headers } = received;
  if (status >= 300 && status < 400 && isSignIn(headers.get('location') ?? ''))
    throw signInRequired(detailsOf(operation, received));
}

/** An answer that is a success after all: an earlier attempt did what this one was refused (D48). */
function wasDoneBefore({ operation, method }: Operation, { status, attempts }: Received): boolean {
  if (method !== 'DELETE' || attempts < 2) return false;
  return status === 404 || (status === 401 && operation === 'accessTokens.delete');
}

/**
 * The value of a JSON text; undefined where it is none. The runtime's own error is not kept: it quotes the text, and so
 * any secret in it.
 */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parse(operation: Operation, received: Received): unknown {
  const { status, text, headers } = received;
  const free = isFree(operation);
  if (free && text === '') return undefined;
  if (isSignIn(received.url)) throw signInRequired(detailsOf(operation, received));
  const data = jsonOf(text);
  const due = operation.list ? 'array' : 'object';
  const kind = Array.isArray(data) ? 'array' : typeof data;
  if (data !== undefined && (free || (kind === due && data !== null))) return data;
  const type = headers.get('content-type') ?? 'no content type';
  if (free && !type.includes('json')) return text;
  const got = text === '' ? 'without a body' : `with ${type} that is no JSON ${due}`;
  throw new ResponseParseError(
    `${operation.operation}: the answer ${status} came ${got}. Check that the option baseUrl names the API itself.`,
    detailsOf(operation, received),
  );
}

/** Where no body is due, a page comes from elsewhere: a captive portal, a proxy, a site that knows no such request. */
function checkNoPage(operation: Operation, received: Received): void {
  const { status, text, headers } = received;
  if (text.trim() === '' || !headers.get('content-type')?.includes('html')) return;
  throw new ResponseParseError(
    `${operation.operation}: the answer ${status} came with a page where none is due, so nothing tells that it was done. Check that the option baseUrl names the API itself.`,
    detailsOf(operation, received),
  );
}

function compare(
  { operation, shape, list }: Operation,
  data: unknown,
  { text, redact }: Received,
  { validation, onDrift, logger }: Settings,
): readonly Issue[] {
  if (!shape || validation === 'off' || data === undefined) return [];
  const found = list
    ? (data as unknown[]).flatMap((item, index) => differences(shape, item, [index]))
    : differences(shape, data);
  if (found.length === 0) return found;
  const issues = found.map((issue) => ({ ...issue, received: redact(issue.received) }));
  try {
    onDrift?.({ operation, issues });
  } catch (error) {
    logger?.warn(`onDrift threw: ${error instanceof Error ? error.message : error}`);
  }
  if (validation === 'strict') throw new ResponseValidationError(operation, issues, JSON.parse(redact(text)));
  return issues;
}

/** What an answer says, or the error that it is. */
export function read<Item>(operation: Operation<Item>, received: Received, settings: Settings): Result<Item> {
  const { status, headers, attempts, fromCache } = received;
  const done = wasDoneBefore(operation, received);
  checkSignIn(operation, received);
  if (!done && (status < 200 || status > 299)) throw problem(detailsOf(operation, received), received.leftOrigin);
  const reads = !done && (operation.shape !== undefined || isFree(operation));
  if (!done && !reads) checkNoPage(operation, received);
  const data = reads ? parse(operation, received) : undefined;
  const meta = {
    status: done ? 204 : status,
    etag: headers.get('etag'),
    fromCache,
    attempts,
    requestId: headers.get('x-request-id'),
    issues: compare(operation, data, received, settings),
  };
  return new Result(data as Item, meta, received);
}

/** Whether a web action was answered as it should be: by a redirect to anywhere but the sign-in page (D40). */
export function checkAction(operation: Operation, received: Received): void {
  const { status, opaque } = received;
  checkSignIn(operation, received);
  if (!opaque && status >= 400) throw problem(detailsOf(operation, received));
}
