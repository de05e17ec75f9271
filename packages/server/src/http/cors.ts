import { isLoopback } from '../loopback.js';

/** Which other origins may call: those on this machine, the listed ones, all or none. */
export type CorsPolicy = 'loopback' | '*' | 'off' | readonly string[];

type Headers = Readonly<Record<string, string>>;

const exposed = [
  'Total-Count',
  'Total-Pages',
  'Current-Page',
  'Page-Items',
  'ETag',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

const none: Headers = {};

function allows(policy: CorsPolicy, origin: string): boolean {
  if (policy === 'off') return false;
  if (policy === '*') return true;
  if (policy === 'loopback') return URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  return policy.includes(origin);
}

/** The CORS headers of every response to `origin`, including errors and 304. */
export function corsHeaders(policy: CorsPolicy, origin: string | null): Headers {
  if (origin === null || !allows(policy, origin)) return none;
  return { 'Access-Control-Allow-Origin': policy === '*' ? '*' : origin, 'Access-Control-Expose-Headers': exposed };
}

/** Additional headers of responses to preflights. */
export const preflightHeaders = (allowed: readonly string[]): Headers => ({
  'Access-Control-Allow-Methods': allowed.join(', '),
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Accept, If-Match, If-None-Match, If-Unmodified-Since, X-Request-Id, X-Requested-With',
  'Access-Control-Max-Age': '600',
  // Public pages need permission to call a server on this machine (Private Network Access).
  'Access-Control-Allow-Private-Network': 'true',
});
