import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * SHA-256 of a text as 64 hexadecimal digits: how access tokens are kept at rest (D21).
 * Synchronous and the same everywhere: `crypto.subtle` answers later, and not at all on a page that came over http.
 */
export const sha256 = (text: string): string => bytesToHex(digest(utf8ToBytes(text)));
