import { etagOf, matches } from './etag.js';
import type { Exchange } from './exchange.js';
import { Memo } from './memo.js';
import type { Problem } from './problems.js';
import type { View } from './view.js';

const jsonType = { 'Content-Type': 'application/json; charset=utf-8' };

export const pageOfJson = (location: string | null): string => (location ?? '/').replace(/\.json$/, '');

const texts = new Memo<object, string>();
const tags = new Memo<object, string>();

/** Representations are frozen: the same object has the same JSON, and the same JSON the same tag (D14). */
const jsonOf = (representation: object): string =>
  texts.get(representation) ?? texts.set(representation, JSON.stringify(representation));

const jsonOfBody = (body: object | readonly object[]): string =>
  Array.isArray(body) ? `[${body.map(jsonOf).join(',')}]` : jsonOf(body);

const tagOf = (representation: object, sha256: (text: string) => string): string =>
  tags.get(representation) ?? tags.set(representation, etagOf(jsonOf(representation), sha256));

/** A view as JSON, with its ETag where the contract gives one (D14). */
export function jsonAnswer(exchange: Exchange, view: View, sha256: (text: string) => string): Response {
  const { endpoint, status, body, location } = view;
  if (status === 303) return exchange.respond(303, null, { Location: pageOfJson(location) });
  if (body === null) return exchange.respond(status, null, view.headers);

  if (endpoint.etag) {
    const etag = { ETag: tagOf(body, sha256) };
    return matches(exchange.header('if-none-match'), etag.ETag)
      ? exchange.respond(304, null, etag)
      : exchange.respond(status, jsonOf(body), { ...jsonType, ...etag });
  }
  // A 201 says where the new thing is (D17).
  const created = status === 201 && location !== null ? { Location: location } : {};
  return exchange.respond(status, jsonOfBody(body), { ...jsonType, ...view.headers, ...created });
}

/** A failed request as JSON (D6, D8). */
export const jsonProblem = (exchange: Exchange, { status, headers, body }: Problem): Response =>
  exchange.respond(status, JSON.stringify(body), { ...jsonType, ...headers });
