import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, fetch } from 'undici';

/** Why a page or picture was not fetched, as the end of a sentence: `Website cannot be read: <message>.` */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused';
}

export interface FetchBounds {
  readonly signal: AbortSignal;
  /** The most that is read, in bytes, after decompression. */
  readonly maxBytes: number;
  readonly accept: string;
  /** Whether an answer of this content type is read at all. */
  readonly acceptsType: (type: string) => boolean;
}

export interface Fetched {
  /** Where the last redirect led. */
  readonly url: URL;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export type GuardedFetch = (address: string, bounds: FetchBounds) => Promise<Fetched>;

const maxRedirects = 3;
/** The same for a private address as for one where no server answers: a caller must not map this network. */
const unreachable = 'it cannot be reached';

/** All that IANA has given out of IPv6 so far: more is `unicast` to the library, such as `::127.0.0.1`. */
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(globalIpv6);
}

/** Every address that a name has must be public: the connection is made to one of those that were checked. */
const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses: LookupAddress[] = error ? [] : found;
    const [first] = addresses;
    if (error) callback(error, '', 0);
    else if (!first || !addresses.every(({ address }) => isPublic(address)))
      callback(new FetchRefused(unreachable), '', 0);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/**
 * A fetch that reaches public addresses alone (D42): a caller must not read what only this machine can reach. An
 * address in a URL is checked here, because no look-up happens for it; a name at its look-up, which is the one that the
 * connection uses; each redirect again.
 * @param allowed `host:port` of what may be reached all the same.
 */
export function guardedFetch(allowed: readonly string[]): GuardedFetch {
  // Without pipelining no connection stays open after its answer.
  const anywhere = new Agent({ pipelining: 0 });
  const guarded = new Agent({ pipelining: 0, connect: { lookup: checkedLookup } });
  const hosts = new Set(allowed.map((host) => host.toLowerCase()));
  const isAllowed = ({ hostname, port, protocol }: URL): boolean =>
    hosts.has(`${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`);

  const dispatcherFor = (url: URL): Agent => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new FetchRefused('it is no http or https address');
    if (url.username !== '' || url.password !== '') throw new FetchRefused('it holds a user name or a password');
    if (isAllowed(url)) return anywhere;
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(literal) && !isPublic(literal)) throw new FetchRefused(unreachable);
    return guarded;
  };

  return async (address, { signal, maxBytes, accept, acceptsType }) => {
    if (!URL.canParse(address)) throw new FetchRefused('it is no http or https address');
    let url = new URL(address);
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const response = await fetch(url, {
        dispatcher: dispatcherFor(url),
        redirect: 'manual',
        signal,
        headers: { Accept: accept, 'User-Agent': 'mkt-server' },
      }).catch(refusal);
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel();
        if (!URL.canParse(location, url)) throw new FetchRefused('it redirects to what is no address');
        url = new URL(location, url);
        continue;
      }
      const type = (response.headers.get('content-type') ?? '').toLowerCase();
      const reason = !response.ok
        ? `it answered ${response.status}`
        : acceptsType(type)
          ? null
          : 'it is of another type';
      if (reason !== null) {
        await response.body?.cancel();
        throw new FetchRefused(reason);
      }
      return { url, type, bytes: await bounded(response.body, maxBytes).catch(refusal) };
    }
    throw new FetchRefused(`it redirects more than ${maxRedirects} times`);
  };
}

async function bounded(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new FetchRefused(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What stopped a fetch, without the details of this machine's network: they are not the caller's to learn. */
function refusal(error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof FetchRefused) throw cause;
    if (cause.name === 'TimeoutError') throw new FetchRefused('it did not answer in time');
  }
  throw new FetchRefused(unreachable);
}
