import type { Middleware } from '@mkt/sdk';
import type { Context } from '../../context/context.js';
import { isOn } from '../../io/io.js';

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

/** Takes the token of a request out of a text: a service may say it back. */
function masked(request: Request): (text: string) => string {
  const token = request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
  return (text) => (token === '' ? text : text.replaceAll(token, `****${token.slice(-4)}`));
}

/** --verbose: a line per request; --debug: headers too. The token appears as its last four characters. */
export function trace(context: Context): Middleware {
  const { io, options } = context;
  const debug = options.debug || isOn(io.env.MKT_DEBUG);
  return async (request, next, { attempt }) => {
    const mask = masked(request);
    const say = (line: string) => io.stderr.stream.write(`${context.styleOf('stderr')('dim', mask(line))}\n`);
    const started = io.now().getTime();
    const again = attempt > 1 ? ` (attempt ${attempt})` : '';
    if (debug) {
      say(`> ${request.method} ${request.url}${again}`);
      const authorization = request.headers.get('authorization');
      if (authorization !== null) say(`> authorization: ${authorization}`);
      for (const line of shownHeaders(request.headers)) say(`> ${line}`);
    }
    const response = await next(request);
    const took = io.now().getTime() - started;
    say(`< ${response.status} ${request.method} ${request.url} ${took} ms${again}`);
    if (debug) for (const line of shownHeaders(response.headers)) say(`< ${line}`);
    return response;
  };
}
