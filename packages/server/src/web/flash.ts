import { timingSafeEqual } from '../timing-safe-equal.js';
import { base64url, bytesOf, type Sign } from './signing.js';

/** A message that is shown once, on the page after a redirect. */
export interface Flash {
  readonly tone: 'good' | 'bad';
  readonly text: string;
  /** The secret of a new token: shown only on the next page. It is stored in a separate encrypted cookie. */
  readonly secret?: string;
}

/** Longer messages would exceed the maximum size of a cookie. */
const maxLength = 1000;

/** Flash messages are stored in signed cookies, because other servers on the same host could set cookies too. */
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
