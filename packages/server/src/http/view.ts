import { type Endpoint, hasKind, itemUrl, kindsIn, type Schema, shapeOf } from '@mkt/sdk/contract';
import { inPieces } from '../pieces.js';
import type { ListLimit, PageRequest } from '../rules/context.js';
import { fieldsOf } from '../rules/fields.js';
import type { Exchange } from './exchange.js';
import { Memo } from './memo.js';
import type { Outcome } from './pipeline.js';

type AnyRow = Readonly<Record<string, unknown>>;

/** The result of a request, independent of the format: the basis for both JSON and pages. */
export interface View {
  readonly endpoint: Endpoint;
  readonly status: number;
  /** One representation, a list of them, or null if the response has no body. */
  readonly body: object | readonly object[] | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The URL of the resource: its JSON representation, and its page without the `.json`. */
  readonly location: string | null;
  readonly rejection: string | null;
  /** The number of the last item, if this is a part of a download. */
  readonly last?: number | undefined;
  /** Why the list of a web page is not complete. */
  readonly limit?: ListLimit | undefined;
}

const none = {};

/** Creates views of an endpoint's outcomes. Computes everything that depends only on the contract once. */
export function viewer(endpoint: Endpoint, endpoints: readonly Endpoint[], publicBase: (exchange: Exchange) => string) {
  const path = itemPath(endpoints, endpoint);
  const represent = endpoint.response ? representer(endpoint, endpoints) : () => none;
  const { status } = endpoint;
  // The only response with a secret: proxies and caches must not store it.
  const itemHeaders = endpoint.operation === 'accessTokens.create' ? { 'Cache-Control': 'no-store' } : none;
  // Every view has the same fields in the same order, and lists no spread: that made each list 9% slower.
  const viewOf = (
    body: View['body'],
    headers: View['headers'],
    location: string | null,
    rejection: string | null = null,
    { last, limit }: Pick<View, 'last' | 'limit'> = none,
  ): View => ({ endpoint, status, body, headers, location, rejection, last, limit });

  return async (exchange: Exchange, outcome: Outcome): Promise<View> => {
    if (outcome.kind === 'done') return viewOf(null, none, null);
    const base = publicBase(exchange);
    if (outcome.kind === 'list') {
      const { listing, page } = outcome;
      const items = page.isOnlyIds
        ? listing.items
        : (await inPieces(listing.items, (piece) => piece.map((row) => represent(row, base, exchange)))).flat();
      return viewOf(items, pageHeaders(page, listing.total), null, null, listing);
    }
    const row = outcome.row as AnyRow;
    // After a read the client knows the URL.
    const location = path && endpoint.scope === 'write' ? base + path(row, exchange) : null;
    if (outcome.kind === 'moved') return viewOf(null, none, location, outcome.rejection);
    return viewOf(represent(row, base, exchange), itemHeaders, location);
  };
}

/** An empty list has one page. */
const pageHeaders = (page: PageRequest, total: number): Record<string, string> => ({
  'Total-Count': String(total),
  'Total-Pages': String(Math.max(1, Math.ceil(total / page.size))),
  'Current-Page': page.number,
  'Page-Items': String(page.size),
});

type Represent = (row: object, base: string, exchange: Exchange) => object;
type ItemPath = (row: AnyRow, exchange: Exchange) => string;

/**
 * The path of an item, from its row and the ids above it: the path of the endpoint itself, the one below it if it lists or creates items, or the
 * one above it if it is an action. Null if the contract has none.
 */
function itemPath(endpoints: readonly Endpoint[], { path, status }: Endpoint): ItemPath | null {
  const shape = status === 303 ? shapeOf(path).replace(/\/[^/]+$/, '') : shapeOf(path);
  const ofItem = shape.endsWith('/:') ? shape : `${shape}/:`;
  const one = endpoints.find((endpoint) => endpoint.path.endsWith('/:id.json') && shapeOf(endpoint.path) === ofItem);
  if (!one) return null;
  const parts = one.path.split(/:([a-z_]+)/);
  return (row, { parameters }) =>
    parts
      .map((part, index) => (index % 2 ? encodeURIComponent((row[part] ?? parameters[part]) as string) : part))
      .join('');
}

/**
 * Converts rows to representations: the fields of the response schema, in that order. `url` and the URLs of
 * images are created here; optional fields without a value are left out. The same row returns
 * the same frozen object, so that its JSON is created only once.
 */
export function representer(endpoint: Endpoint, endpoints: readonly Endpoint[]): Represent {
  const path = itemPath(endpoints, endpoint);
  const kinds = kindsIn(endpoint.operation);
  const fields = Object.entries(fieldsOf(endpoint.response as Schema)).map(([name, schema]) => ({
    name,
    // The column with the key of `logo_url` is `logo_key`.
    imageKey: hasKind(kinds, name, 'image') ? name.replace(/url$/, 'key') : null,
    isItemUrl: path !== null && schema === itemUrl,
    isRichText: hasKind(kinds, name, 'richText'),
    optional: schema._zod.def.type === 'optional',
  }));

  const represent = (row: AnyRow, base: string, exchange: Exchange): object => {
    const representation: Record<string, unknown> = {};
    for (const { name, imageKey, isItemUrl, isRichText, optional } of fields) {
      let value = row[name] ?? null;
      if (imageKey !== null && imageKey in row)
        value = row[imageKey] === null ? null : `${base}/images/${row[imageKey]}`;
      else if (isItemUrl && path) value = base + path(row, exchange);
      // Earlier versions stored a brief without allowed content as empty text.
      if (isRichText && value === '') value = null;
      if (value !== null || !optional) representation[name] = value;
    }
    return Object.freeze(representation);
  };

  const known = new Memo<object, { readonly base: string; readonly representation: object }>();
  return (row, base, exchange) => {
    const before = known.get(row);
    if (before?.base === base) return before.representation;
    return known.set(row, { base, representation: represent(row as AnyRow, base, exchange) }).representation;
  };
}
