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

/**
 * What the `url` fields of a response start with (D12). The Host header is the client's word: used unchecked, it would let
 * one client put another server's address into responses.
 */
export function publicBaseOf({ baseUrl, allowHosts = [], listening }: PublicAddress): (exchange: Exchange) => string {
  const configured = baseUrl?.replace(/\/+$/, '');
  if (configured !== undefined) return () => configured;
  return ({ url: { origin, host, hostname } }) => {
    const isTrusted = isLoopback(hostname) || allowHosts.includes(host) || allowHosts.includes(hostname);
    return isTrusted ? origin : (listening?.() ?? origin);
  };
}
