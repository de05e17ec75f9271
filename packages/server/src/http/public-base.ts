import { isLoopback } from './cors.js';
import type { Exchange } from './exchange.js';

export interface PublicAddress {
  /** Where clients reach this server; by default as the Host header says, where it is trusted. */
  readonly baseUrl?: string;
  /** Host headers that are trusted besides those of this machine (D12). */
  readonly allowHosts?: readonly string[];
  /** The listening address, for requests with any other Host header. */
  readonly listening?: () => string | null;
}

/** How many trusted origins are remembered; the client chooses them. */
const rememberedOrigins = 100;

/**
 * What the `url` fields of a response start with (D12). The Host header is the client's word: used unchecked, it would let
 * one client put another server's address into responses.
 */
export function publicBaseOf({ baseUrl, allowHosts = [], listening }: PublicAddress): (exchange: Exchange) => string {
  const configured = baseUrl?.replace(/\/+$/, '');
  if (configured !== undefined) return () => configured;
  // Parsed once, not with each request: the same few come again and again (D123).
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
