import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, fetch } from 'undici';

/** Why a page or an image was not fetched, as the end of a sentence: `Website cannot be read: <message>.` */
export class FetchError extends Error {
  override readonly name = 'FetchError';
}

export interface FetchLimits {
  readonly signal: AbortSignal;
  /** Maximum number of bytes after decompression. */
  readonly maxBytes: number;
  /** Whether what is beyond them is left out; otherwise it is an error. */
  readonly cuts?: boolean;
  readonly accept: string;
  /** Whether to read a response of this content type. */
  readonly acceptsType: (type: string) => boolean;
  /** Whether it may be compressed. A kilobyte may become a megabyte. */
  readonly compressed: boolean;
  /** Waits until the next part of what has arrived may be processed. */
  readonly pause: () => Promise<void>;
}

export interface Fetched {
  /** Where the last redirect led. */
  readonly url: URL;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export type GuardedFetch = (address: string, limits: FetchLimits) => Promise<Fetched>;

const maxRedirects = 3;
/** The same message for private addresses and for those without a server: callers must not explore this network. */
const unreachable = 'it cannot be reached';

/** The part of IPv6 in use: the library also calls others `unicast`, such as `::127.0.0.1`. */
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(globalIpv6);
}

/** Requires every address of a name to be public. The connection uses one of the addresses that were checked. */
const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses: LookupAddress[] = error ? [] : found;
    const [first] = addresses;
    if (error) callback(error, '', 0);
    else if (!first || !addresses.every(({ address }) => isPublic(address)))
      callback(new FetchError(unreachable), '', 0);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/**
 * Bytes that are processed at once: fewer if that took more than 4 ms, and more if less than 1 ms. A site may send thousands
 * of headers, interim responses or chunks in 64 KiB, which would take `undici` up to half a second.
 */
const sliceSizes = { least: 1024, first: 8 * 1024, most: 16 * 1024 };
/** Bytes of headers and of what frames chunks, next to those of the body. */
const maxOverhead = 128 * 1024;

/** Gives the reader of a socket a slice at a time, each after a pause, and at most `left` bytes. */
function inSlices(socket: Socket, left: number, pause: () => Promise<void>): void {
  const read = socket.read.bind(socket);
  let size = sliceSizes.first;
  let isPausing = false;
  const adapt = (since: number) => {
    const milliseconds = performance.now() - since;
    if (milliseconds > 4) size = Math.max(size / 2, sliceSizes.least);
    else if (milliseconds < 1) size = Math.min(size * 2, sliceSizes.most);
  };
  socket.read = () => {
    if (isPausing) return null;
    const slice: Buffer | null = read(Math.min(size, socket.readableLength) || undefined);
    if (slice === null) return null;
    left -= slice.length;
    if (left < 0) {
      socket.destroy(new FetchError('it sends too much'));
      return null;
    }
    isPausing = true;
    setImmediate(adapt, performance.now());
    void pause().then(() => {
      isPausing = false;
      if (!socket.destroyed) socket.emit('readable');
    });
    return slice;
  };
}

/**
 * A fetch for public addresses only: callers must not read what only this machine can reach. Addresses in URLs are
 * checked here, because they are not looked up; names when the connection looks them up; redirects like the first URL.
 * @param allowed `host:port` of private hosts that may be reached
 */
export function guardedFetch(allowed: readonly string[]): GuardedFetch {
  const anywhere = buildConnector({});
  const guarded = buildConnector({ lookup: checkedLookup });
  const hosts = new Set(allowed.map((host) => host.toLowerCase()));
  const isAllowed = ({ hostname, port, protocol }: URL): boolean =>
    hosts.has(`${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`);

  const connectorFor = (url: URL): buildConnector.connector => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new FetchError('it is not an http or https URL');
    if (url.username !== '' || url.password !== '') throw new FetchError('it contains a user name or a password');
    if (isAllowed(url)) return anywhere;
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(literal) && !isPublic(literal)) throw new FetchError(unreachable);
    return guarded;
  };

  const dispatcherFor = (url: URL, { maxBytes, pause }: FetchLimits): Agent => {
    const connector = connectorFor(url);
    // Without pipelining, connections are closed after the response.
    return new Agent({
      pipelining: 0,
      connect: (options, callback) =>
        connector(options, (...result) => {
          if (result[1]) inSlices(result[1], maxBytes + maxOverhead, pause);
          callback(...result);
        }),
    });
  };

  return async (address, limits) => {
    const { signal, maxBytes, cuts = false, accept, acceptsType, compressed, pause } = limits;
    if (!URL.canParse(address)) throw new FetchError('it is not an http or https URL');
    let url = new URL(address);
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const response = await fetch(url, {
        dispatcher: dispatcherFor(url, limits),
        redirect: 'manual',
        signal,
        headers: { Accept: accept, 'User-Agent': 'mkt-server', ...(!compressed && { 'Accept-Encoding': 'identity' }) },
      }).catch(rethrow);
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel();
        if (!URL.canParse(location, url)) throw new FetchError('it redirects to an invalid URL');
        url = new URL(location, url);
        continue;
      }
      const type = (response.headers.get('content-type') ?? '').toLowerCase();
      const encoding = response.headers.get('content-encoding') ?? 'identity';
      const reason = !response.ok
        ? `it responded with ${response.status}`
        : !acceptsType(type)
          ? 'it has another content type'
          : compressed || encoding === 'identity'
            ? null
            : 'it is compressed';
      if (reason !== null) {
        await response.body?.cancel();
        throw new FetchError(reason);
      }
      const chunks = await readLimited(response.body, maxBytes, cuts).catch(rethrow);
      await pause();
      return { url, type, bytes: Buffer.concat(chunks).subarray(0, maxBytes) };
    }
    throw new FetchError(`it redirects more than ${maxRedirects} times`);
  };
}

async function readLimited(body: AsyncIterable<Uint8Array> | null, maxBytes: number, cuts: boolean) {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes && !cuts) throw new FetchError(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
    if (length > maxBytes) break;
  }
  return chunks;
}

/** Throws why a fetch failed, without details of this machine's network. */
function rethrow(error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof FetchError) throw cause;
    if (cause.name === 'TimeoutError') throw new FetchError('it did not respond in time');
  }
  throw new FetchError(unreachable);
}
