import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** HMAC-SHA256 of `text` in base64url, separate for each purpose: a signature for one is not valid for another. */
export type Sign = (purpose: 'session' | 'csrf' | 'flash' | 'sealing key', text: string) => string;

export function signer(secret: string): Sign {
  const key = utf8ToBytes(secret);
  return (purpose, text) => base64url(hmac(sha256, key, utf8ToBytes(`${purpose}\n${text}`)));
}

export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
