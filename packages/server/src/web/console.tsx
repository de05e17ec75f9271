import type { Hono } from 'hono';
import { checkLocal } from '../control/guard.js';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { mountRoute } from '../http/routes.js';
import { consoleScript } from './assets.generated.js';
import { mountAsset } from './assets.js';
import { Page } from './pages/layout.js';
import type { WebContext } from './web-context.js';

const scriptPath = `/assets/console-${consoleScript.version}.js`;

/** Only this page has a script. It calls the control API of this server, with the token that the visitor gives it. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The operator's console: the mock's panel over the control API. The page itself contains no data. */
export function mountConsole(routes: Hono<AppEnv>, web: WebContext): void {
  mountAsset(routes, scriptPath, 'text/javascript; charset=utf-8', consoleScript.text);
  const GET = async (exchange: Exchange): Promise<Response> => {
    checkLocal(exchange);
    const context = await web.contextOf(exchange);
    const page = (
      <Page context={context} title="Console">
        <div id="console">
          <noscript>The console needs JavaScript. The control API does the same.</noscript>
        </div>
        <script type="module" src={scriptPath} />
      </Page>
    );
    return web.answer(exchange, 200, context, page, { 'Content-Security-Policy': policy });
  };
  mountRoute(routes, '/__mkt', { GET }, { isPage: true });
}
