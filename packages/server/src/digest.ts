import { _SHA256 as Sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/**
 * SHA-256 of a text as 64 hexadecimal digits: how access tokens are kept at rest.
 * Synchronous and the same everywhere: `crypto.subtle` answers later, and not at all on a page that came over http.
 * The class, because the library's function `sha256` checks options that it does not have: half a kB more for browsers.
 */
export const sha256 = (text: string): string =>
  bytesToHex(new Sha256().update(new TextEncoder().encode(text)).digest());
