import type { Endpoint } from '@mkt/sdk/contract';
import { pathOfOne } from './addresses.js';
import type { Exchange } from './exchange.js';
import { pageHeaders } from './paging.js';
import type { Outcome } from './pipeline.js';
import { representer } from './representation.js';

type AnyRow = Readonly<Record<string, unknown>>;

/** An outcome as a client may see it, in no format yet: JSON and pages are both made of it. */
export interface View {
  readonly endpoint: Endpoint;
  readonly status: number;
  /** One representation, a list of them, or null where the answer has no body. */
  readonly body: object | readonly object[] | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the thing is that the answer is about: its JSON representation, and its page without the `.json`. */
  readonly location: string | null;
  /** Why a web action was refused (D39). */
  readonly refusal: string | null;
}

const none = {};

/** The one response that holds a secret (D21): nothing on its way may store it. */
const headersOf = ({ operation }: Endpoint) =>
  operation === 'accessTokens.create' ? { 'Cache-Control': 'no-store' } : none;

/** Makes views of an endpoint's outcomes; what follows from the contract alone is worked out once. */
export function viewer(endpoint: Endpoint, endpoints: readonly Endpoint[], publicBase: (exchange: Exchange) => string) {
  const represent = endpoint.response ? representer(endpoint, endpoints) : () => ({});
  const path = pathOfOne(endpoints, endpoint.operation);
  const { status } = endpoint;
  const itemHeaders = headersOf(endpoint);
  const of = (body: View['body'], { headers = none, location = null, refusal = null }: Partial<View> = none): View => ({
    endpoint,
    status,
    body,
    headers,
    location,
    refusal,
  });

  return (exchange: Exchange, outcome: Outcome): View => {
    if (outcome.kind === 'done') return of(null);
    const base = publicBase(exchange);
    if (outcome.kind === 'list') {
      const { items, total } = outcome.listing;
      const body = items.map((row) => represent(row as AnyRow, base));
      return of(body, { headers: pageHeaders(outcome.page, total) });
    }
    const row = outcome.row as AnyRow;
    // Where a thing that was only shown is, the client knows.
    const location = path && endpoint.scope === 'write' ? base + path(row) : null;
    if (outcome.kind === 'moved') return of(null, { location, refusal: outcome.refusal });
    return of(represent(row, base), { headers: itemHeaders, location });
  };
}
