import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { pauseOf } from '../http/pause.js';
import { mountRoute, parameterNames, routePath } from '../http/routes.js';
import { inPieces, itemsPerTurn } from '../pieces.js';
import { listQueryOf } from '../rules/context.js';
import { fieldsOf } from '../rules/fields.js';
import { isSelectable } from '../rules/selection.js';
import { maxTested } from '../store/store.js';
import { endpointFor, type Item, type PageDescription, pageDescriptions, valueIn } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** Rows in memory at a time. */
const partSize = 1000;

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
  const part = (after: number | 'start') => view(exchange, exchange.parameters, { size: partSize, after });
  const lineOf = (item: Item): string => line(columns.map((field) => valueIn(resource, item, field)));

  // Before the response begins, so that a rejection is a page. A list that can be sorted is one part.
  const sorted = exchange.query('sort').some(Boolean)
    ? await view(exchange, exchange.parameters, { number: '1', size: maxTested })
    : null;
  const isWhole = sorted !== null && !sorted.limit && Number(sorted.headers['Total-Count']) <= maxTested;
  const first = isWhole ? sorted : await part('start');
  const { organization } = await web.contextOf(exchange);
  let last: number | undefined;
  const nextText = async (): Promise<string> => {
    await exchange.turn();
    const next = last === undefined ? first : await part(last);
    // Spreadsheets recognize UTF-8 by the byte order mark.
    const head = last === undefined ? `\ufeff${line(columns)}` : '';
    const items = next.body as readonly Item[];
    const lines = await inPieces(items, (piece) => piece.map(lineOf).join(''), itemsPerTurn, pauseOf(exchange));
    last = next.last;
    return head + lines.join('');
  };
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          controller.enqueue(encoder.encode(await nextText()));
          if (last === undefined) controller.close();
        } catch (error) {
          web.site.endedEarly(exchange, error);
          // Node's adapter would print the error.
          if (!exchange.closeConnection()) throw error;
          controller.close();
        }
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
