import { base64url, bytesOf, type Sign } from './signing.js';

const ivLength = 12;
const utf8 = new TextEncoder();

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
    additionalData: utf8.encode(context),
  });

  return {
    /** @param context Must be the same for decryption. */
    async seal(text: string, context: string): Promise<string> {
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const sealed = await crypto.subtle.encrypt(algorithm(iv, context), await sealingKey(), utf8.encode(text));
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
