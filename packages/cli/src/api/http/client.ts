import { Marketplace, type Middleware } from '@mkt/sdk';
import { version } from '../../../package.json';
import { resolveToken } from '../../config/credentials.js';
import type { Context } from '../../context/context.js';
import { isOn } from '../../io/io.js';
import { chooseFetch } from './choose-fetch.js';
import { trace } from './trace.js';

/** The client for this command line: its token, address, proxy and patience. */
export async function makeClient(context: Context): Promise<Marketplace> {
  const { io, settings } = context;
  const baseUrl = settings.requiredBaseUrl;
  const token = await resolveToken(io, settings, baseUrl, (text) => context.warn(text));
  return clientFor(context, baseUrl, token.value);
}

/** The same for a token and a URL that are not stored yet; `middleware` runs innermost. */
export async function clientFor(
  context: Context,
  baseUrl: string,
  token: string,
  middleware: readonly Middleware[] = [],
): Promise<Marketplace> {
  const { io, options } = context;
  const fetch = await chooseFetch(io.env, baseUrl);
  const talkative = options.verbose || options.debug || isOn(io.env.MKT_DEBUG);
  return new Marketplace({
    token,
    baseUrl,
    fetch,
    // One command, one look: nothing to revalidate.
    cache: false,
    userAgent: `mkt/${version}`,
    ...(options.timeout !== undefined && { timeout: options.timeout, totalTimeout: options.timeout }),
    middleware: [...(talkative ? [trace(context)] : []), ...middleware],
    // Only --verbose shows what the check finds.
    validation: talkative ? 'tolerant' : 'off',
    ...(talkative && {
      onDrift: ({ operation, issues }) =>
        context.warn(
          `${operation}: the answer differs from the contract at ${issues.map(({ path }) => path.join('.')).join(', ')}`,
        ),
    }),
  });
}
