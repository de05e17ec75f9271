import { isLoopback } from '../loopback.js';
import type { Exchange } from './exchange.js';

/** What the `url` fields in responses start with. */
export interface PublicAddress {
  /** The public URL of the app, such as `https://api.example.com`; by default from the Host header, if it is trusted. */
  readonly baseUrl?: string;
  /** Hosts that are trusted in Host headers, in addition to those of this machine. `serve` rejects all others. */
  readonly allowHosts?: readonly string[];
  /** The URL that a server listens on, for requests with any other Host header. */
  readonly listening?: () => string | null;
}

/** The number of cached origins, which clients choose. */
const rememberedOrigins = 100;

/**
 * The start of all `url` fields in a response. Clients choose the Host header: unchecked, it would let
 * them put the URL of another server into responses.
 */
export function publicBaseOf({ baseUrl, allowHosts = [], listening }: PublicAddress): (exchange: Exchange) => string {
  const configured = baseUrl?.replace(/\/+$/, '');
  if (configured !== undefined) return () => configured;
  // Parsed once, because there are only a few different ones: part of 9 % of `memory, one item`.
  const trusted = new Map<string, string>();
  return (exchange) => {
    const { url } = exchange.request;
    const sent = url.slice(0, url.indexOf('/', url.indexOf('://') + 3));
    const known = trusted.get(sent);
    if (known !== undefined) return known;
    const { origin, host, hostname } = exchange.url;
    if (!isLoopback(hostname) && !allowHosts.includes(host) && !allowHosts.includes(hostname))
      return listening?.() ?? origin;
    if (trusted.size >= rememberedOrigins) trusted.clear();
    trusted.set(sent, origin);
    return origin;
  };
}
