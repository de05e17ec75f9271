import * as z from 'zod/mini';
import type { ApiResult, Meta } from '../api-promise.js';
import { differences } from '../contract/differences.js';
import {
  type Issue,
  type MarketplaceError,
  type ResponseDetails,
  ResponseParseError,
  ResponseValidationError,
} from '../errors.js';
import { hide, isObject } from '../is-object.js';
import { notify } from '../log.js';
import { copyHeaders, isSignIn, isUnauthorized, type Operation, type ResponseContext } from './call.js';
import { httpError, loadExplain } from './http-errors.js';
import type { Settings } from './settings.js';

/** The data of a response. Throws if the response is an error. */
export async function readResponse<Item>(
  operation: Operation<Item>,
  response: ResponseContext,
  settings: Settings,
): Promise<Result<Item>> {
  const { status, headers, attempts, fromCache, body } = response;
  const done = wasDoneBefore(operation, response);
  await checkSignIn(operation, response);
  if (!done && (status < 200 || status > 299))
    throw await httpError(detailsOf(operation, response), response.leftOrigin);
  const hasData = !done && !body && (operation.response !== null || isUntyped(operation));
  if (!done && !hasData && !body && isPage(response)) throw await parseError(operation, response, 'nothing');
  const data = hasData ? parse(operation, response) : body && isSignIn(response.url) ? unreadable : body;
  if (data === unreadable) throw await parseError(operation, response, operation.paginated ? 'array' : 'object');
  const isWatched = settings.validation === 'strict' || settings.onDrift !== undefined;
  let issues = body ? [] : isWatched ? compare(operation, data, response, settings) : undefined;
  const meta: Meta = {
    status: done ? 204 : status,
    etag: response.etag ?? headers.get('etag'),
    fromCache,
    attempts,
    requestId: headers.get('x-request-id'),
    get issues() {
      // Unless onDrift or an error reports them, only when they are read: the check costs as much as parsing. By then the
      // caller may have changed the data.
      issues ??= compare(operation, hasData ? jsonOf(response.text) : undefined, response, settings);
      return issues;
    },
  };
  return new Result(data as Item, meta, response);
}

/** Checks the response to a web action: a redirect to anywhere but the sign-in page. */
export async function checkAction(operation: Operation, response: ResponseContext): Promise<void> {
  await checkSignIn(operation, response);
  if (response.status >= 400) throw await httpError(detailsOf(operation, response));
}

/** `request()` has no schema: it takes any body. */
const isUntyped = ({ operation }: Operation): boolean => operation === 'request';

/** What an error says about a response, without the token. */
function detailsOf({ method }: Operation, response: ResponseContext): ResponseDetails {
  const { status, headers, text, url, attempts, redact } = response;
  const redacted = copyHeaders(headers, redact);
  return {
    status,
    method,
    url: redact(url),
    headers: redacted,
    bodyText: redact(text),
    requestId: redacted.get('x-request-id'),
    attempts,
  };
}

async function checkSignIn(operation: Operation, response: ResponseContext): Promise<void> {
  if (response.status < 400 && !isSignIn(response.url) && isUnauthorized(response))
    throw await httpError(detailsOf(operation, response), undefined, true);
}

/** Whether a rejected deletion is a success: an earlier attempt deleted it, only its response was lost. */
function wasDoneBefore({ operation, method }: Operation, { status, maybeRepeated }: ResponseContext): boolean {
  if (method !== 'DELETE' || !maybeRepeated) return false;
  return status === 404 || (status === 401 && operation === 'accessTokens.delete');
}

/** Texts and numbers of JSON. */
const jsonValues = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Undefined if the text is not JSON. The runtime's own error is dropped: it quotes the text, and so any secret in it. Whole
 * numbers that a number cannot hold exactly come as strings, so that no id becomes another.
 */
function jsonOf(text: string): unknown {
  try {
    const data = JSON.parse(text);
    // Fails if it is nested too deep to be written again, which comparing pages needs. Few texts have that many brackets.
    if (/^(?:[^[{]*[[{]){4000}/.test(text)) JSON.stringify(data);
    if (!/\d{16}/.test(text)) return data;
    const isExact = (value: string) => !/^-?\d{16,}$/.test(value) || Number.isSafeInteger(Number(value));
    return JSON.parse(text.replace(jsonValues, (value) => (isExact(value) ? value : `"${value}"`)));
  } catch {
    return undefined;
  }
}

/** What a body is that is not what the endpoint returns. */
export const unreadable = Symbol('unreadable');

/** The data of a body. */
export function parse(operation: Operation, { text, headers, url }: ResponseContext): unknown {
  const data = jsonOf(text);
  if (!isUntyped(operation)) return isObject(data) && Array.isArray(data) === operation.paginated ? data : unreadable;
  if (text === '' || data !== undefined) return data;
  return isSignIn(url) || headers.get('content-type')?.includes('json') ? unreadable : text;
}

/** An HTML page instead of an empty body comes from elsewhere: a captive portal, a proxy, another site. */
const isPage = ({ text, headers }: ResponseContext): boolean =>
  text.trim() !== '' && !!headers.get('content-type')?.includes('html');

async function parseError(
  operation: Operation,
  response: ResponseContext,
  expected: 'array' | 'object' | 'nothing',
): Promise<MarketplaceError> {
  const details = detailsOf(operation, response);
  if (expected !== 'nothing' && isSignIn(response.url)) return httpError(details, undefined, true);
  const problem = await loadExplain().then(
    ({ explainBody }) => explainBody(details, expected),
    () => 'cannot be read',
  );
  return new ResponseParseError(`${operation.operation}: the ${response.status} response ${problem}`, details);
}

/** Totals of a first page that disagree: the number of pages does not follow from that of the items. */
function totalsIssue({ length }: unknown[], url: string, headers: ResponseContext['headers']): Issue[] {
  const [count, pages] = ['total-count', 'total-pages'].map((name) => Number(headers.get(name) ?? Number.NaN));
  const expected = Math.ceil((count as number) / length);
  const agree = !(expected > 0) || Number.isNaN(pages) || pages === expected;
  if (agree || /[?&]page=/.test(url)) return [];
  return [{ path: ['Total-Pages'], expected: `${expected}, as Total-Count is ${count}`, received: `${pages}` }];
}

function compare(
  { operation, response: schema, paginated }: Operation,
  data: unknown,
  { text, url, headers, redact }: ResponseContext,
  settings: Settings,
): readonly Issue[] {
  const { validation, onDrift } = settings;
  if (!schema || validation === 'off' || data === undefined) return [];
  const found = paginated
    ? [...totalsIssue(data as unknown[], url, headers), ...differences(z.array(schema), data)]
    : differences(schema, data);
  if (found.length === 0) return found;
  const issues = found.map((issue) => ({ ...issue, received: redact(issue.received) }));
  notify(settings, 'onDrift', onDrift, { operation, issues });
  if (validation === 'strict') throw new ResponseValidationError(operation, issues, jsonOf(redact(text)));
  return issues;
}

/** The data of a response, with its metadata and the response itself. */
export class Result<T> implements ApiResult<T> {
  readonly data: T;
  readonly meta: Meta;
  readonly #received: ResponseContext;

  constructor(data: T, meta: Meta, received: ResponseContext) {
    this.data = data;
    this.meta = meta;
    this.#received = received;
  }

  /** Made when it is read: few callers do, and it costs as much as the rest of this file. */
  get response(): Response {
    const { text, headers, fromCache, body, etag, url } = this.#received;
    if (body instanceof Response) return body;
    const { status } = this.meta;
    // The Response constructor takes no body where the status allows none.
    const response = new Response([204, 205].includes(status) ? null : text, {
      status,
      headers: copyHeaders(headers),
    });
    // They describe the body as it was sent, perhaps compressed, not this text.
    response.headers.delete('content-encoding');
    response.headers.delete('content-length');
    // A 304 omits the type of what it revalidates.
    if (fromCache && !headers.has('content-type')) response.headers.set('content-type', 'application/json');
    if (etag) response.headers.set('etag', etag);
    // The constructor cannot set it.
    hide(response, 'url', url);
    return response;
  }
}
