import type { Middleware } from '@mkt/sdk';
import type { Context } from '../context.js';

/** Headers that help and give nothing away. */
const SHOWN = [
  'content-type',
  'content-length',
  'etag',
  'location',
  'retry-after',
  'x-request-id',
  'total-count',
  'total-pages',
  'allow',
  'www-authenticate',
  'accept',
  'user-agent',
];

const shownHeaders = (headers: Headers): string[] =>
  SHOWN.flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)}`] : []));

/** --verbose: a line per request; --debug: headers too. The token appears as its last four characters. */
export function trace(context: Context): Middleware {
  const { io, options } = context;
  const debug = options.debug || Boolean(io.env.MKT_DEBUG);
  const say = (line: string) => io.stderr.stream.write(`${context.style('dim', line)}\n`);
  return async (request, next, { attempt }) => {
    const started = io.now().getTime();
    const again = attempt > 1 ? ` (attempt ${attempt})` : '';
    if (debug) {
      say(`> ${request.method} ${request.url}${again}`);
      const last = request.headers.get('authorization')?.slice(-4);
      if (last !== undefined) say(`> authorization: Bearer ****${last}`);
      for (const line of shownHeaders(request.headers)) say(`> ${line}`);
    }
    const response = await next(request);
    const took = io.now().getTime() - started;
    say(`< ${response.status} ${request.method} ${request.url} ${took} ms${again}`);
    if (debug) for (const line of shownHeaders(response.headers)) say(`< ${line}`);
    return response;
  };
}
