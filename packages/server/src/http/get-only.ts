import type { Context, Hono } from 'hono';
import type { AppEnv } from './face.js';
import { methodNotAllowed } from './problems.js';

type Answer = (context: Context<AppEnv>) => Response | Promise<Response>;

/** An address beyond the contract that is only read: GET and HEAD, and 405 for every other method (D7, D13). */
export function getOnly(routes: Hono<AppEnv>, path: string, answer: Answer): void {
  routes.get(path, answer);
  routes.all(path, ({ env: { exchange } }) => {
    throw methodNotAllowed(exchange.method, ['GET', 'HEAD']);
  });
}
