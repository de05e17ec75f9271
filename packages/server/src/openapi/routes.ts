import type { Hono } from 'hono';
import type { AppEnv } from '../http/html-renderer.js';
import { mountRoute } from '../http/routes.js';
import type { IdFormat } from '../store/tables.js';
import type { OpenApiDocument } from './document.js';

/** Adds `/openapi.json`. It is built, and its code is loaded, when it is first requested. */
export function mountOpenApi(routes: Hono<AppEnv>, server: () => string, ids: IdFormat): void {
  let document: Promise<OpenApiDocument> | undefined;
  // Routes have no suffix: this is /openapi.json.
  mountRoute(routes, '/openapi', {
    async GET(exchange) {
      document ??= import('./document.js').then(({ openApiDocument }) => openApiDocument({ server: server(), ids }));
      return exchange.json(200, await document);
    },
  });
}
