import type { Endpoint } from '@mkt/sdk/contract';
import { type Answer, formOf, jsonIn } from '../probe.js';
import { compare } from './compare.js';
import type { Departing, Departure, Findings } from './findings.js';

type Told = Omit<Departure, 'kind'>;
const departs = (kind: Departing, { where, expected, got }: Told): Departure => ({ kind, where, expected, got });

const contentType = ({ headers }: Answer): string => (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
const isJsonType = (type: string): boolean => /^application\/(.+\+)?json$/i.test(type);

/** A header or a type as it came, cut: a stranger wrote it. */
const quoted = (text: string | null): string => (text === null || text === '' ? 'nothing' : text.slice(0, 40));

/** The JSON in an answer that ought to hold some; what is wrong otherwise is noted. */
export function bodyOf(
  endpoint: Endpoint,
  answer: Answer,
  findings: Findings,
): { readonly value: unknown } | undefined {
  const type = contentType(answer);
  if (!isJsonType(type))
    findings.departs(
      endpoint,
      departs('content type', { where: 'Content-Type', expected: 'application/json', got: quoted(type) }),
    );
  const body = jsonIn(answer);
  if (body === undefined)
    findings.departs(endpoint, departs('body', { where: '(whole)', expected: 'JSON', got: formOf(answer) }));
  return body;
}

/** One representation against the contract. */
export function checkItem(endpoint: Endpoint, value: unknown, findings: Findings): void {
  if (endpoint.response === null) return;
  for (const departure of compare(endpoint.response, value)) findings.departs(endpoint, departure);
}

export function checkStatus(
  endpoint: Endpoint,
  answer: Answer,
  where: string,
  expected: number,
  findings: Findings,
): boolean {
  if (answer.status === expected) return true;
  findings.departs(endpoint, departs('status', { where, expected: String(expected), got: String(answer.status) }));
  return false;
}

/** An error for people who asked for JSON: `{"error"}` or `{"errors"}` (D6). */
export function checkErrorBody(endpoint: Endpoint, answer: Answer, where: string, findings: Findings): void {
  const body = jsonIn(answer)?.value;
  const { error, errors } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (typeof error === 'string' || typeof errors === 'object') return;
  const form = formOf(answer);
  const got = form === 'JSON' ? 'JSON of another shape' : form;
  findings.departs(endpoint, departs('error body', { where, expected: '{"error": "..."}', got }));
}

/** The number in a page header (api.md, General rule 5); one that is missing or no number is noted. */
export function totalIn(
  endpoint: Endpoint,
  answer: Answer,
  name: 'Total-Count' | 'Total-Pages',
  findings: Findings,
): number | undefined {
  const text = answer.headers.get(name);
  if (text !== null && /^\d{1,15}$/.test(text)) return Number(text);
  findings.departs(endpoint, departs('paging', { where: name, expected: 'a whole number', got: quoted(text) }));
  return undefined;
}

/** HEAD is answered as GET is, without a body (api.md, Authentication rule 3; D13). */
export function checkHead(endpoint: Endpoint, head: Answer, get: Answer, findings: Findings): void {
  if (head.status === get.status) return;
  findings.departs(
    endpoint,
    departs('head', { where: 'HEAD', expected: String(get.status), got: String(head.status) }),
  );
}

/** Without a token the answer is 401 (api.md, Errors), and names the scheme (D8); its body is promised nowhere. */
export function checkAnonymous(endpoint: Endpoint, answer: Answer, findings: Findings): void {
  const where = 'without a token';
  if (!checkStatus(endpoint, answer, where, 401, findings)) return;
  const scheme = answer.headers.get('www-authenticate');
  if (scheme !== null && /^token\b/i.test(scheme)) return;
  findings.departs(
    endpoint,
    departs('header', { where: 'WWW-Authenticate', expected: 'Token realm="..."', got: quoted(scheme) }),
  );
}

/** Who does not ask for JSON gets a page (api.md, General rule 1). */
export function checkPage(endpoint: Endpoint, answer: Answer, findings: Findings): void {
  const type = contentType(answer);
  if (!isJsonType(type)) return;
  findings.departs(
    endpoint,
    departs('content type', { where: 'Accept: text/html', expected: 'an HTML page', got: quoted(type) }),
  );
}
