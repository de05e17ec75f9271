import { isLoopback } from '../http/cors.js';
import { sameText } from '../same-text.js';
import type { Control } from './control.js';
import { controlRoutes } from './routes.js';
import { whyRefused } from './why-refused.js';

const prefix = '/__mkt/v1';

type Fetch = (request: Request, bindings?: object) => Promise<Response>;

export interface ServedControl {
  readonly control: Control;
  /** What a caller must send as `Authorization: Bearer ...`. */
  readonly token: string;
  readonly sha256: (text: string) => string;
}

const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const json = (status: number, value: unknown): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
  });
const refused = (status: number, error: string): Response => json(status, { error });

/**
 * Answers `/__mkt/v1/*` with the control verbs and gives everything else to `fetch`. Only for requests that name this
 * machine and carry the token; no CORS headers, so that no web page can call.
 */
export function withControl(fetch: Fetch, { control, token, sha256 }: ServedControl): Fetch {
  // Digests have one length, so that comparing them does not tell the token's.
  const wanted = sha256(`Bearer ${token}`);

  const answer = async (request: Request, url: URL): Promise<Response> => {
    if (!isLoopback(url.hostname))
      return refused(403, "The control API answers only under this machine's own name, such as 127.0.0.1.");
    if (!sameText(sha256(request.headers.get('authorization') ?? ''), wanted))
      return refused(
        401,
        'Send the control token, which the server printed at its start: Authorization: Bearer <token>.',
      );
    const path = url.pathname.slice(prefix.length) || '/';
    const fitting = controlRoutes.filter(
      (route) => path.replace(/^(\/(faults|act))\/[^/]+$/, '$1/:name') === route.path,
    );
    const route = fitting.find(({ method }) => method === request.method);
    if (!route) {
      return fitting.length === 0
        ? refused(404, `There is no control verb at ${path}. GET ${prefix}/ lists them.`)
        : refused(405, `${path} answers ${fitting.map(({ method }) => method).join(', ')}.`);
    }
    const text = await request.text();
    const name = decodeURIComponent(path.split('/').at(-1) ?? '');
    const result = await route.run(control, {
      name,
      query: url.searchParams,
      body: text === '' ? undefined : JSON.parse(text),
    });
    return result === undefined ? new Response(null, { status: 204, headers }) : json(200, result);
  };

  return async (request, bindings) => {
    if (!request.url.includes(prefix)) return fetch(request, bindings);
    const url = new URL(request.url);
    if (url.pathname !== prefix && !url.pathname.startsWith(`${prefix}/`)) return fetch(request, bindings);
    try {
      return await answer(request, url);
    } catch (error) {
      return failed(error);
    }
  };
}

function failed(error: unknown): Response {
  if (error instanceof URIError) return refused(404, 'There is no control verb at this path: it cannot be decoded.');
  if (error instanceof SyntaxError) return refused(400, `The body is not valid JSON: ${error.message}.`);
  const reason = whyRefused(error);
  if (reason !== null) return refused(422, reason);
  // The caller holds the control token: it may know what went wrong.
  return refused(500, `The control verb failed: ${error instanceof Error ? error.message : String(error)}`);
}
