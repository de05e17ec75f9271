import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from '../http/face.js';
import { unknownRoute } from '../http/problems.js';

/** Pages of ours are nothing of the API's: to a client that asks for JSON there is nothing at their addresses. */
export const pagesOnly: MiddlewareHandler<AppEnv> = async ({ env: { exchange } }, next) => {
  if (exchange.wantsJson) throw unknownRoute();
  await next();
};
