import { sentencesOf } from '../rules/problems.js';
import type { Exchange } from './exchange.js';
import { Memo } from './memo.js';
import { changed, etagOf, matches } from './preconditions.js';
import type { Problem } from './problems.js';
import type { View } from './view.js';

const jsonType = 'application/json; charset=utf-8';

/** A representation in JSON, with its ETag once it was computed. */
interface Rendered {
  readonly json: string;
  etag?: string;
}
const known = new Memo<object, Rendered>();

/** Representations are frozen, so the same object has the same JSON and ETag. */
const rendered = (representation: object): Rendered =>
  known.get(representation) ?? known.set(representation, { json: JSON.stringify(representation) });

const jsonOf = (body: object | readonly object[]): string =>
  Array.isArray(body) ? `[${body.map((item) => rendered(item).json).join(',')}]` : rendered(body).json;

function tagged(representation: object, sha256: (text: string) => string) {
  const result = rendered(representation);
  result.etag ??= etagOf(result.json, sha256);
  return { json: result.json, etag: result.etag };
}

export const representationTag = (representation: object, sha256: (text: string) => string): string =>
  tagged(representation, sha256).etag;

/** A view as JSON, with an ETag if the contract requires one. */
export function jsonResponse(exchange: Exchange, view: View, sha256: (text: string) => string): Response {
  const { endpoint, status, body, location } = view;
  if (status === 303) return exchange.respond(303, null, { Location: (location ?? '/').replace(/\.json$/, '') });
  if (body === null) return exchange.respond(status, null, view.headers);

  if (endpoint.etag) {
    const { json, etag } = tagged(body, sha256);
    const ifMatch = endpoint.scope === 'read' ? exchange.header('if-match') : null;
    if (ifMatch !== null && !matches(ifMatch, etag)) throw changed(true);
    return matches(exchange.header('if-none-match'), etag)
      ? exchange.respond(304, null, { ETag: etag })
      : exchange.respond(status, json, { 'Content-Type': jsonType, ETag: etag });
  }
  // A 201 contains the URL of the new resource.
  const created = status === 201 && location !== null ? { Location: location } : {};
  return exchange.respond(status, jsonOf(body), { 'Content-Type': jsonType, ...view.headers, ...created });
}

/** A failed request as JSON: `{"errors": {...}}` for 422, `{"error": "..."}` otherwise. */
export function jsonProblem(exchange: Exchange, { status, headers, error }: Problem): Response {
  const body = typeof error === 'string' ? { error } : { errors: sentencesOf(error) };
  return exchange.respond(status, JSON.stringify(body), { 'Content-Type': jsonType, ...headers });
}
