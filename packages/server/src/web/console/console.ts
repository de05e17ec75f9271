import type { Hono } from 'hono';
import type { Control } from '../../control/control.js';
import { rejectionMessage } from '../../control/errors.js';
import type { ControlGuard } from '../../control/guard.js';
import { hasForm } from '../../http/body.js';
import type { Exchange } from '../../http/exchange.js';
import type { AppEnv } from '../../http/html-renderer.js';
import { HttpError } from '../../http/problems.js';
import { cookieOf } from '../cookies.js';
import { pageAt } from '../page-at.js';
import { localPath } from '../paths.js';
import type { WebContext } from '../web-context.js';
import { type ConsoleAccess, consoleAccess } from './access.js';
import { consoleActions, formValues } from './actions.js';
import {
  actionPath,
  type ConsoleContext,
  dataPage,
  faultsPage,
  marketplacePage,
  requestsPage,
  tokenPage,
} from './pages.js';

/** The operator's console: pages and buttons for the control API (`/__mkt/v1`). */
export interface ConsoleOptions {
  readonly control: Control;
  /** The same access check as for the control API. */
  readonly guard: ControlGuard;
}

/** How many requests of the log a page shows, so that it stays small. */
const shownRequests = 50;
const visitSeconds = 60 * 60;

export function mountConsole(routes: Hono<AppEnv>, web: WebContext, { control, guard }: ConsoleOptions): void {
  const access = consoleAccess(web, guard);
  const view = (path: string, make: (at: ConsoleContext, exchange: Exchange) => string) =>
    pageAt(routes, path, {
      async GET(exchange) {
        const csrf = access.csrf(exchange);
        // The server prints a URL with the token, which is removed from the address bar.
        const [given] = exchange.query('token');
        if (csrf === null || given !== undefined) return enter(web, access, exchange, given ?? null);
        const context = await web.contextOf(exchange);
        const live = exchange.query('live')[0] === '1' && { Refresh: '3' };
        return web.answer(exchange, 200, context, make({ context, csrf }, exchange), live || {});
      },
    });

  view('/__mkt', (at, exchange) => {
    const requests = control.requests.list().slice(-shownRequests).reverse();
    return requestsPage({ ...at, requests, live: exchange.query('live')[0] === '1' });
  });
  view('/__mkt/faults', (at) => faultsPage({ ...at, faults: control.faults.list() }));
  view('/__mkt/acts', marketplacePage);
  view('/__mkt/data', (at) => dataPage({ ...at, clock: control.clock.read() }));

  const download = (path: string, name: string, type: string, make: () => Promise<string>) =>
    pageAt(routes, path, {
      async GET(exchange) {
        if (access.csrf(exchange) === null) return enter(web, access, exchange, null);
        return exchange.respond(200, await make(), {
          'Content-Type': type,
          'Content-Disposition': `attachment; filename="${name}"`,
          'Cache-Control': 'no-store',
        });
      },
    });
  download('/__mkt/snapshot', 'mkt-snapshot.json', 'application/json', async () =>
    JSON.stringify(await control.snapshot()),
  );
  download('/__mkt/seed', 'mkt-seed.yaml', 'text/yaml; charset=utf-8', () => control.export());

  const tokenGiven = async (exchange: Exchange): Promise<Response> => {
    access.csrf(exchange);
    const form = await web.checkedForm(exchange, 'visit', 'stranger');
    return enter(web, access, exchange, formValues(form).text('token'));
  };
  pageAt(routes, '/__mkt/enter', { POST: tokenGiven });

  const perform = async (exchange: Exchange): Promise<Response> => {
    if (!hasForm(exchange) || access.csrf(exchange) === null)
      throw new HttpError(403, 'Open the console first: /__mkt.');
    const sent = formValues(await web.checkedForm(exchange, 'console', 'caller'));
    const back = localPath(sent.text('back'));
    const run = Object.hasOwn(consoleActions, sent.text('action')) ? consoleActions[sent.text('action')] : undefined;
    if (!run) throw new HttpError(404, `The console has no action ${sent.text('action')}.`);
    try {
      const said = await run(control, sent);
      return web.redirect(exchange, back, typeof said === 'string' ? { tone: 'good', text: said } : said);
    } catch (error) {
      const reason = rejectionMessage(error);
      if (reason === null) throw error;
      return web.redirect(exchange, back, { tone: 'bad', text: reason });
    }
  };
  pageAt(routes, actionPath, { POST: perform });
}

/** Grants access with the token, and asks for it otherwise. */
async function enter(web: WebContext, access: ConsoleAccess, exchange: Exchange, given: string | null) {
  const cookie = given === null ? null : access.cookieFor(exchange, given);
  if (cookie) return web.redirect(exchange, '/__mkt', null, [cookie]);
  const context = await web.contextOf(exchange);
  const known = cookieOf(exchange, 'visit');
  const visit = known ?? web.site.random(18);
  const error = given === null ? null : 'This is not the control token that the server printed at startup.';
  const cookies = known === null ? [{ name: 'visit', value: visit, maxAge: visitSeconds } as const] : [];
  const page = tokenPage(context, web.csrfFor(visit), error);
  return web.answer(exchange, error === null ? 200 : 422, context, page, {}, cookies);
}
