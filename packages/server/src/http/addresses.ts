import type { Endpoint } from '@mkt/sdk/contract';
import { isLoopback } from './cors.js';
import type { Exchange } from './exchange.js';

export interface PublicAddress {
  /** Where clients reach this server, without a trailing slash; null: as the Host header says, where it is trusted. */
  readonly baseUrl: string | null;
  /** Host headers that are trusted beside those of this machine (D12). */
  readonly allowHosts: readonly string[];
  /** The listening address, for requests with any other Host header. */
  readonly listening: () => string | null;
}

/** How many Host headers are remembered as good ones; the client chooses them. */
const rememberedOrigins = 100;

/**
 * What the `url` fields of an answer start with (D12). The Host header is the client's word: taken unchecked, it would let one
 * client put another server's address into answers.
 */
export function publicBaseOf({ baseUrl, allowHosts, listening }: PublicAddress): (exchange: Exchange) => string {
  if (baseUrl !== null) return () => baseUrl;
  // An address is parsed once, not with each request: the same few come again and again.
  const trusted = new Map<string, string>();
  return (exchange) => {
    const { url } = exchange.request;
    const sent = url.slice(0, url.indexOf('/', url.indexOf('://') + 3));
    const known = trusted.get(sent);
    if (known !== undefined) return known;
    const { origin, host, hostname } = exchange.url;
    if (!isLoopback(hostname) && !allowHosts.includes(host) && !allowHosts.includes(hostname))
      return listening() ?? origin;
    if (trusted.size >= rememberedOrigins) trusted.clear();
    trusted.set(sent, origin);
    return origin;
  };
}

type AnyRow = Readonly<Record<string, unknown>>;

/** The path of one thing of a resource, from its row: of the first endpoint of the resource that names one thing. */
export function pathOfOne(endpoints: readonly Endpoint[], operation: string): ((row: AnyRow) => string) | null {
  const prefix = `${operation.split('.', 1)[0]}.`;
  const one = endpoints.find((endpoint) => endpoint.operation.startsWith(prefix) && /\/:id\.json$/.test(endpoint.path));
  if (!one) return null;
  const parts = one.path.split(/:([a-z_]+)/);
  return (row) => parts.map((part, index) => (index % 2 === 0 ? part : encodeURIComponent(String(row[part])))).join('');
}
