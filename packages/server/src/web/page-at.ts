import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/face.js';
import { methodNotAllowed } from '../http/problems.js';

type Answer = (exchange: Exchange) => Response | Promise<Response>;

/**
 * A page that is no endpoint of the contract: HEAD wherever GET is, 405 for the methods that it lacks (D7, D13). To a
 * client that asks for JSON there is nothing here: `/organizations/new` is an organization's address, and an unknown one.
 */
export function pageAt(routes: Hono<AppEnv>, path: string, answers: { readonly GET?: Answer; readonly POST?: Answer }) {
  const byMethod = new Map<string, Answer>(Object.entries(answers));
  if (answers.GET) byMethod.set('HEAD', answers.GET);
  const allowed = ['GET', 'HEAD', 'POST'].filter((method) => byMethod.has(method));
  routes.all(path, ({ env: { exchange } }, next) => {
    if (exchange.wantsJson) return next();
    const answer = byMethod.get(exchange.method);
    if (!answer) throw methodNotAllowed(exchange.method, allowed);
    return answer(exchange);
  });
}
