// Loaded when the first error response arrives; in browsers together with the first request. It imports nothing but types:
// what it shared with the client would become a third file of every bundle.

import type { ResponseDetails } from '../errors.js';
import {
  endsSentence,
  explainsItself,
  joined,
  namesWait,
  sentenceInText,
  sentencesIn,
  withField,
  withoutField,
} from './service-messages.js';

/** What an error response says, and a message with what to do. */
export interface Explanation {
  /** The body as JSON; the text itself if it is not JSON; undefined if it is empty. */
  body: unknown;
  fieldErrors: Record<string, string[]>;
  /** The same without the names of the fields. */
  fieldReasons: Record<string, string[]>;
  messages: string[];
  message: string;
}

/** The content of an error body. The API does not define its shape, so all usual ones are understood. */
function readProblem(text: string): Omit<Explanation, 'message'> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const plain = sentenceInText(text);
    return { body: text === '' ? undefined : text, fieldErrors: {}, fieldReasons: {}, messages: plain ? [plain] : [] };
  }
  const { errors, error, message, detail, title } = Object(body) as Record<string, unknown>;
  const content = errors ?? error ?? message ?? detail ?? title ?? body;
  // `{"name": ["can't be blank"]}`, or sentences without fields.
  const named = typeof content === 'object' && !Array.isArray(content) ? Object.entries(content ?? {}) : [];
  const found = named
    .map(([field, value]) => [field, sentencesIn(value)] as const)
    .filter(([, list]) => list.length > 0);
  const base = sentencesIn(content);
  const fields = found.length > 0 || base.length === 0 ? found : [['base', base] as const];
  const messages = fields.flatMap(([field, list]) => list.map((one) => withField(field, one)));
  const reasons = fields.map(([field, list]) => [field, list.map((one) => withoutField(field, one))]);
  return {
    body,
    fieldErrors: Object.fromEntries(fields),
    fieldReasons: Object.fromEntries(reasons),
    messages: [...new Set(messages)],
  };
}

/** A sentence on what to do about a status, unless the server says it. */
function advice(
  { status, method, url, headers, attempts }: ResponseDetails,
  said: string,
  { leftOrigin, retryAfterMs: wait }: Circumstances,
): string {
  switch (status) {
    case 0:
      return 'Browsers do not say where to: check the token and the option baseUrl.';
    case 304:
      return 'Nothing has changed since the ETag in the header If-None-Match.';
    case 401:
      // The origin is cut from the text: a URL in which the token is masked may not parse.
      if (leftOrigin)
        return `${leftOrigin} redirects there, and the token is not sent to other servers. If ${url.split('/', 3).join('/')} is the API, give it as the option baseUrl.`;
      if (explainsItself(status, said)) return '';
      return /^(GET|HEAD)$/.test(method)
        ? 'Check that the token is complete and has not been revoked.'
        : 'Check the token: it may be revoked, or read-only, and a read-only token can only make GET requests.';
    case 403:
      return explainsItself(status, said)
        ? ''
        : "The role of the token's user in this organization does not permit it.";
    case 404:
      return explainsItself(status, said) ? '' : "It does not exist, or the token's user may not see it.";
    case 412:
      return attempts > 1 ? 'An earlier attempt of the same call may have made the change.' : '';
    case 429: {
      if (wait === null) return 'Wait before the next call.';
      const seconds = Math.ceil(wait / 1000);
      return namesWait(said, seconds) ? '' : `Wait ${seconds} s before the next call.`;
    }
    default:
      if (status >= 300 && status < 400)
        return `It redirects${headers.has('location') ? ` to ${headers.get('location')}` : ''}: check the option baseUrl.`;
      return status >= 500 && attempts > 1 ? `All ${attempts} attempts failed.` : '';
  }
}

interface Circumstances {
  /** Whether it was redirected to the sign-in page. */
  isSignIn?: boolean | undefined;
  /** The origin of the request, if redirects led to another one. */
  leftOrigin: string | undefined;
  /** How long the server asks to wait. */
  retryAfterMs: number | null;
}

export function explain(details: ResponseDetails, circumstances: Circumstances): Explanation {
  const { status, method, url } = details;
  const problem = readProblem(details.bodyText);
  if (circumstances.isSignIn)
    return {
      ...problem,
      message: `${method} ${url} was sent on to the sign-in page: the token was not accepted. Check that it is complete and has not been revoked.`,
    };
  const said = joined(problem.messages, status);
  const message = [
    `${method} ${url} ${details.attempts === 0 ? 'was not sent because an earlier request ' : ''}returned ${status || 'a redirect'}${said ? `: ${said}` : '.'}`,
    advice(details, said, circumstances),
  ]
    .filter(Boolean)
    .join(endsSentence(said) || !said ? ' ' : '. ');
  return { ...problem, message };
}

/** How the body of a successful response differs from what the endpoint returns. */
export function explainBody({ headers, bodyText }: ResponseDetails, expected: 'array' | 'object' | 'nothing'): string {
  const type = headers.get('content-type') ?? 'no content type';
  const advice = 'Check that the option baseUrl is the API itself.';
  if (expected === 'nothing') return `is a web page instead of an empty body, so it may not have been done. ${advice}`;
  if (bodyText === '') return `has no body. ${advice}`;
  // What is not JSON is a text.
  if (type.includes('json') && readProblem(bodyText).body === bodyText)
    return 'has incomplete or damaged JSON. See bodyText.';
  return `has ${type} that is not a JSON ${expected}. ${advice}`;
}
