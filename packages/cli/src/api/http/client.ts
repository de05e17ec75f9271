import { type Fetch, Marketplace, type Middleware } from '@mkt/sdk';
import { version } from '../../../package.json';
import { resolveToken } from '../../config/credentials.js';
import type { Context } from '../../context/context.js';
import { readTokenIds, recordingFetch } from '../../history/recording-fetch.js';
import { isOn } from '../../io/io.js';
import { chooseFetch } from './proxy.js';
import { retryOptions, showRetry } from './retries.js';

/** Useful headers without secrets. */
const SHOWN = [
  ...['content-type', 'content-length', 'etag', 'location', 'retry-after', 'x-request-id', 'total-count'],
  ...['total-pages', 'allow', 'www-authenticate', 'accept', 'user-agent'],
];

const shownHeaders = (headers: Headers): string[] =>
  SHOWN.flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)}`] : []));

/** --verbose: a line per request; --debug: headers too. The token appears as its last four characters. */
function trace(context: Context): Middleware {
  const { io, options } = context;
  const debug = options.debug || isOn(io.env.MKT_DEBUG);
  return async (request, next, { attempt }) => {
    const token = request.headers.get('authorization')?.replace(/^Bearer /, '') || undefined;
    const say = (line: string) => {
      // A service may repeat the token.
      const masked = token === undefined ? line : line.replaceAll(token, `****${token.slice(-4)}`);
      io.stderr.stream.write(`${context.styleOf('stderr')('dim', masked)}\n`);
    };
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

/** The client for this command line: its token, URL, proxy and timeout. */
export async function makeClient(context: Context): Promise<Marketplace> {
  const { io, settings } = context;
  const baseUrl = settings.requiredBaseUrl;
  const token = await resolveToken(io, settings, baseUrl, (text) => context.warn(text));
  const { journal } = context;
  journal.useToken(token.value, async () => readTokenIds(await chooseFetch(io.env, baseUrl), baseUrl, token.value));
  const record = (fetch: Fetch) => (journal.path === undefined ? fetch : recordingFetch(fetch, baseUrl, journal));
  return clientFor(context, baseUrl, token.value, [], record);
}

/** For a middleware that follows no redirect. In the bundle, the request is of a class of its own: see ky-globals.ts. */
export const withoutRedirects = (request: Request): Request =>
  new (request.constructor as typeof Request)(request, { redirect: 'manual' });

/** A client for a token and a URL that may not be stored yet; `middleware` runs innermost, around `wrap(fetch)`. */
export async function clientFor(
  context: Context,
  baseUrl: string,
  token: string,
  middleware: readonly Middleware[] = [],
  wrap: (fetch: Fetch) => Fetch = (fetch) => fetch,
): Promise<Marketplace> {
  const { io, options } = context;
  const recorded = wrap(await chooseFetch(io.env, baseUrl, (headers) => context.journal.heard(headers)));
  const fetch: Fetch = (url, init) => context.requests.follow(init.method, recorded(url, init));
  /** Ends before --verbose prints its line. */
  const waiting: Middleware = (request, next) => context.whileWaiting('Waiting for the service', () => next(request));
  const traced = options.verbose || options.debug || isOn(io.env.MKT_DEBUG);
  return new Marketplace({
    token,
    baseUrl,
    fetch,
    // A command reads each resource once: nothing to revalidate.
    cache: false,
    // Without the token: the response is then 401, which is explained.
    allowRedirects: true,
    userAgent: `mkt/${version}`,
    ...(options.timeout !== undefined && { timeout: options.timeout }),
    ...retryOptions(context),
    middleware: [...(traced ? [trace(context)] : []), ...(io.stderr.isTTY ? [waiting] : []), ...middleware],
    // Only --verbose shows what the check finds.
    validation: traced ? 'tolerant' : 'off',
    // --verbose shows each attempt instead.
    ...(!traced && { onRetry: (retry) => showRetry(context, retry) }),
    ...(traced && {
      onDrift: ({ operation, issues }) =>
        context.warn(
          `${operation}: the response differs from the contract at ${issues.map(({ path }) => path.join('.')).join(', ')}`,
        ),
    }),
  });
}
