import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { methodNotAllowed } from '../http/problems.js';

type PageHandler = (exchange: Exchange) => Response | Promise<Response>;

/**
 * A page that is not an endpoint of the contract, with HEAD for GET and 405 for other methods (D7, D13). For clients
 * that accept JSON, it does not exist: `/organizations/new` is the path of an unknown organization.
 */
export function pageAt(
  routes: Hono<AppEnv>,
  path: string,
  answers: { readonly GET?: PageHandler; readonly POST?: PageHandler },
) {
  const byMethod = new Map<string, PageHandler>(Object.entries(answers));
  if (answers.GET) byMethod.set('HEAD', answers.GET);
  const allowed = ['GET', 'HEAD', 'POST'].filter((method) => byMethod.has(method));
  routes.all(path, ({ env: { exchange } }, next) => {
    if (exchange.wantsJson) return next();
    const answer = byMethod.get(exchange.method);
    if (!answer) throw methodNotAllowed(exchange.method, allowed);
    return answer(exchange);
  });
}
