import type { Endpoint } from '@mkt/sdk/contract';
import { html } from 'hono/html';
import { bearerOf } from '../http/bearer.js';
import type { Exchange } from '../http/exchange.js';
import type { Face } from '../http/face.js';
import { pageOfJson } from '../http/json.js';
import type { View } from '../http/view.js';

const page = (title: string, content: unknown): string =>
  String(html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · mkt</title></head>
<body><h1>${title}</h1>${content}</body>
</html>`);

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const sheet = (item: object) =>
  html`<dl>${Object.entries(item).map(([name, value]) => html`<dt>${name}</dt><dd>${shown(value)}</dd>`)}</dl>`;

/** Where a page stands after a write: the list that lost a row, or the page of the thing itself. */
function afterWrite(exchange: Exchange, { location, endpoint }: View): string {
  if (location !== null) return pageOfJson(location);
  return endpoint.status === 204 ? exchange.url.pathname.replace(/\/[^/]*$/, '') || '/' : exchange.url.pathname;
}

/** One plain page per resource, signed in by bearer token (the matrix at the end of the decisions). */
export const plainPages: Face = {
  instead(exchange: Exchange, endpoint: Endpoint) {
    if (bearerOf(exchange) !== null) return null;
    const back =
      endpoint.scope === 'read' ? `?return_to=${encodeURIComponent(exchange.url.pathname + exchange.url.search)}` : '';
    return exchange.respond(303, null, { Location: `/sign_in${back}` });
  },

  view(exchange, view) {
    if (view.endpoint.scope === 'write') return exchange.respond(303, null, { Location: afterWrite(exchange, view) });
    const items = Array.isArray(view.body) ? (view.body as readonly object[]) : [view.body as object];
    return exchange.html(200, page(view.endpoint.operation, items.map(sheet)), view.headers);
  },

  problem(exchange, { status, headers, body }) {
    const reasons = 'error' in body ? [body.error] : Object.values(body.errors).flat();
    return exchange.html(
      status,
      page(String(status), html`<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`),
      headers,
    );
  },

  mount(routes) {
    routes.get('/sign_in', (c) =>
      c.env.exchange.html(
        200,
        page(
          'Sign in',
          html`<p>Send the header <code>Authorization: Bearer &lt;ACCESS_TOKEN&gt;</code> with each request.</p>`,
        ),
      ),
    );
  },
};
