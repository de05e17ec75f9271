import type { Hono } from 'hono';
import type { AppEnv } from '../http/face.js';
import { getOnly } from '../http/routes.js';
import type { OpenApiDocument } from './document.js';

/** Adds `/openapi.json` and `/docs`. Both are built, and their code is loaded, when they are first requested. */
export function mountOpenApi(routes: Hono<AppEnv>, server: () => string): void {
  let document: Promise<OpenApiDocument> | undefined;
  const made = (): Promise<OpenApiDocument> => {
    document ??= import('./document.js').then(({ openApiDocument }) => openApiDocument({ server: server() }));
    return document;
  };
  let page: Promise<string> | undefined;
  const paged = async (): Promise<string> => (await import('./page.js')).docsPage(await made());

  // Routes have no suffix: this is /openapi.json.
  getOnly(routes, '/openapi', async (c) => c.env.exchange.json(200, await made()));
  getOnly(routes, '/docs', async (c) => {
    page ??= paged();
    return c.env.exchange.html(200, await page);
  });
  getOnly(routes, '/docs/style.css', async (c) =>
    c.env.exchange.respond(200, (await import('./page.js')).docsStyle, { 'Content-Type': 'text/css; charset=utf-8' }),
  );
}
