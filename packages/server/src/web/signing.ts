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

const ivLength = 12;

/** Encrypts text for a cookie with AES-256-GCM, so that it cannot be read or changed. */
export function sealer(sign: Sign) {
  let key: Promise<CryptoKey> | undefined;
  const sealingKey = (): Promise<CryptoKey> => {
    key ??= crypto.subtle.importKey('raw', bytesOf(sign('sealing key', '')), 'AES-GCM', false, ['encrypt', 'decrypt']);
    return key;
  };
  const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: utf8ToBytes(context),
  });

  return {
    /** @param context Must be the same for decryption. */
    async seal(text: string, context: string): Promise<string> {
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const sealed = await crypto.subtle.encrypt(algorithm(iv, context), await sealingKey(), utf8ToBytes(text));
      return `${base64url(iv)}.${base64url(new Uint8Array(sealed))}`;
    },

    /** Null for text that was not encrypted here, or in another context. */
    async open(sealed: string, context: string): Promise<string | null> {
      const [iv = '', content = ''] = /^([\w-]{16})\.([\w-]{22,})$/.exec(sealed)?.slice(1) ?? [];
      if (content === '') return null;
      try {
        const opened = await crypto.subtle.decrypt(
          algorithm(bytesOf(iv), context),
          await sealingKey(),
          bytesOf(content),
        );
        return new TextDecoder().decode(opened);
      } catch {
        return null;
      }
    },
  };
}
