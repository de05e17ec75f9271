import type { Hono } from 'hono';
import { raw } from 'hono/html';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { mountRoute } from '../http/routes.js';
import { mountAsset } from './assets.js';
import type { ExtraPage } from './page-context.js';
import { Page } from './pages/layout.js';
import type { WebContext } from './web-context.js';

export function mountExtraPage(routes: Hono<AppEnv>, web: WebContext, extra: ExtraPage): void {
  const { path, title, content, headers = {}, assets = [], check } = extra;
  for (const asset of assets) mountAsset(routes, asset.path, asset.type, asset.text);
  const GET = async (exchange: Exchange): Promise<Response> => {
    check?.(exchange);
    const context = await web.contextOf(exchange);
    const page = (
      <Page context={context} title={title}>
        {raw(content)}
      </Page>
    );
    return web.answer(exchange, 200, context, page, headers);
  };
  mountRoute(routes, path, { GET }, { isPage: true });
}
