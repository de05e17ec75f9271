import { timingSafeEqual } from '../timing-safe-equal.js';
import { base64url, bytesOf, type Sign } from './signing.js';

/** What happened, said once on the page that a redirect leads to. */
export interface Flash {
  readonly tone: 'good' | 'bad';
  readonly text: string;
  /** A new token's secret: shown on the next page and never again. It travels in a sealed cookie of its own. */
  readonly secret?: string;
}

/** Longer ones would not fit into a cookie with its other parts. */
const maxLength = 1000;

/** A flash travels in a cookie, signed: other servers on the same host could set one too, and we would say their words. */
export function flashText(sign: Sign, { tone, text }: Flash): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  const packed = base64url(new TextEncoder().encode(JSON.stringify({ tone, text: short })));
  return `${packed}.${sign('flash', packed)}`;
}

export function flashOf(sign: Sign, cookie: string | null): Flash | null {
  const [packed = '', signature = ''] = cookie?.split('.') ?? [];
  if (packed === '' || !timingSafeEqual(signature, sign('flash', packed))) return null;
  return JSON.parse(new TextDecoder().decode(bytesOf(packed))) as Flash;
}
