import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { pauseOf } from '../http/pause.js';
import { mountRoute, parameterNames, routePath } from '../http/routes.js';
import { inPieces, itemsPerTurn } from '../pieces.js';
import { listQueryOf, type PageRequest } from '../rules/context.js';
import { fieldsOf } from '../rules/fields.js';
import { idFrom } from '../rules/policy.js';
import { isSelectable } from '../rules/selection.js';
import { maxTested } from '../store/store.js';
import { endpointFor, type Item, type PageDescription, pageDescriptions, valueIn } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** Rows in memory at a time. */
const partSize = 500;

/** `.../campaigns.csv` and `.../collabs.csv`: the whole list with the filter and the order of its page. */
export function mountDownloads(routes: Hono<AppEnv>, web: WebContext): void {
  for (const resource of pageDescriptions) {
    const list = endpointFor(resource, 'list');
    if (!list || !isSelectable(resource.name)) continue;
    const GET = (exchange: Exchange) => download(web, exchange, list, resource);
    mountRoute(routes, `${routePath(list)}.csv`, { GET }, { names: parameterNames(list), isPage: true });
  }
}

async function download(web: WebContext, exchange: Exchange, list: Endpoint, resource: PageDescription) {
  const { view } = web.site.operation(list.operation);
  const fields = Object.keys(fieldsOf(list.response as NonNullable<Endpoint['response']>));
  const columns = [...fields, ...Object.keys(resource.computed)];
  // Each part checks the access again: a revoked token ends the download.
  const part = (request: Partial<PageRequest>) => view(exchange, exchange.parameters, { size: partSize, ...request });
  const lineOf = (item: Item): string => line(columns.map((field) => valueIn(resource, item, field)));

  // Before the response begins, so that a rejection is a page.
  const sorted = exchange.query('sort').some(Boolean) ? await part({ isOnlyIds: true }) : null;
  const isWhole = sorted !== null && !sorted.limit && Number(sorted.headers['Total-Count']) <= maxTested;
  // Of a sorted list only the ids wait for a slow reader: there may be 10,000 rows.
  const ids = isWhole ? (sorted.body as readonly Item[]).map(({ id }) => idFrom(String(id), web.site.store)) : null;
  const partFrom = async (place: number | 'start') => {
    if (!ids) return part({ after: place });
    const start = place === 'start' ? 0 : place;
    const end = start + partSize;
    return { ...(await part({ only: ids.slice(start, end) })), last: end < ids.length ? end : undefined };
  };
  let next: number | 'start' | undefined = 'start';
  let first = ids ? null : await partFrom(next);
  const { organization } = await web.contextOf(exchange);
  const nextText = async (): Promise<string> => {
    const isFirst = next === 'start';
    const { body, last } = first ?? (await partFrom(next ?? 0));
    first = null;
    next = last;
    // Spreadsheets recognize UTF-8 by the byte order mark.
    const head = isFirst ? `\ufeff${line(columns)}` : '';
    const lines = await inPieces(
      body as readonly Item[],
      (piece) => piece.map(lineOf).join(''),
      itemsPerTurn,
      pauseOf(exchange),
    );
    return head + lines.join('');
  };
  const encoder = new TextEncoder();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const text = await exchange.asRequest(nextText);
          if (isCancelled) return;
          controller.enqueue(encoder.encode(text));
          if (next === undefined) controller.close();
        } catch (error) {
          web.site.endedEarly(exchange, error);
          // Node's adapter would print the error.
          if (!exchange.closeConnection()) throw error;
          controller.close();
        }
      },
      cancel() {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return exchange.respond(200, exchange.method === 'HEAD' ? null : body, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': disposition(fileName(web, exchange, organization?.name ?? '', resource.plural)),
    'Cache-Control': 'no-store',
    Vary: 'Accept, Accept-Encoding, Authorization, Origin, Cookie',
  });
}

/** `Acme Cosmetics campaigns active 2026-11-28 UTC.csv`: the brand, the filter and the date. */
function fileName(web: WebContext, exchange: Exchange, brand: string, list: string): string {
  const { sort: _, ...filters } = listQueryOf((name) => exchange.query(name));
  // Long names are cut before what is not a letter is replaced, so that no half of a character is left.
  const parts = [brand, list, ...Object.values(filters).filter(Boolean)].map((part) => part.slice(0, 50));
  return `${parts.join(' ').replace(/[^\p{L}\p{N} _.-]+/gu, '-')} ${web.site.now().slice(0, 10)} UTC.csv`;
}

const disposition = (name: string): string =>
  `attachment; filename="${name.replace(/[^ -~]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`;

/**
 * Spreadsheets run text as a formula if it begins with one of these characters, and some begin a cell also at `;`, a tab or
 * a line break. An apostrophe prevents it; those that are there already stay, so that imports get the text back.
 */
const formula = /(^|[;\t\r\n])(?='*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join(',') : String(value);
  const safe = text.replace(formula, "$1'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;
