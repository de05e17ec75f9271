import { isLoopback, isLoopbackAddress } from '../loopback.js';

const shape = /^(?:(\[[\da-f:.]+\])|[\w-]{1,63}(?:\.[\w-]{1,63})*\.?)(?::\d{1,5})?$/i;

/**
 * Whether a Host header is a name or an IP address with an optional port. The URL parser decides, because later code uses
 * it; what it would change, such as `127.1` to `127.0.0.1`, is invalid.
 */
export function isHost(text: string): boolean {
  const match = shape.exec(text);
  const url = `http://${text}`;
  if (match === null || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return match[1] !== undefined || (hostname.length <= 254 && hostname === text.replace(/:\d+$/, '').toLowerCase());
}

/** A name of this server as browsers write it in Host headers; null for other text. */
export function hostNamed(text: string): string | null {
  const host = /^[^\s/?#@]+$/.test(text) && URL.canParse(`http://${text}`) ? new URL(`http://${text}`).host : '';
  return isHost(host) ? host : null;
}

export interface OwnHosts {
  /** The address that the server listens on. */
  readonly host: string;
  readonly baseUrl?: string;
  readonly allowHosts?: readonly string[];
}

/** At most this many hosts are remembered, because clients choose them. */
const maxRemembered = 100;

/**
 * Finds out whether a server responds to a Host header: `invalid` if it is not one, `unknown` if a web page could have a name that
 * leads here (DNS rebinding). IP addresses are no such names, and behind containers they are not those of this machine.
 */
export function hostCheck({ host: listening, baseUrl, allowHosts = [] }: OwnHosts) {
  const isPublic = !isLoopbackAddress(listening);
  const own = new Set(allowHosts);
  if (baseUrl !== undefined) own.add(new URL(baseUrl).hostname);
  // The same few arrive repeatedly: part of 9 % of `memory, one item`.
  const known = new Set<string>();
  return (text: string): 'known' | 'unknown' | 'invalid' => {
    if (known.has(text)) return 'known';
    if (!isHost(text)) return 'invalid';
    const { host, hostname } = new URL(`http://${text}`);
    const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
    if (!isLoopback(hostname) && !(isPublic && isAddress) && !own.has(host) && !own.has(hostname)) return 'unknown';
    if (known.size >= maxRemembered) known.clear();
    known.add(text);
    return 'known';
  };
}
