import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** HMAC-SHA256 of `text` in base64url, separate for each purpose: a signature for one is not valid for another. */
export type Sign = (purpose: 'session' | 'csrf' | 'shown', text: string) => string;

export const signer =
  (secret: string): Sign =>
  (purpose, text) =>
    createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url');

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;

export type Sealer = ReturnType<typeof sealer>;

/** Encrypts values for cookies and rows, so that they cannot be read or changed. */
export function sealer(secret: string) {
  const key = createHmac('sha256', secret).update('sealing key\n').digest();
  return {
    seal(value: object): string {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv(algorithm, key, iv);
      const sealed = [iv, cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64url');
    },

    /** Null for text that was not encrypted here. */
    open<Value>(sealed: string | null | undefined): Value | null {
      const bytes = Buffer.from(sealed ?? '', 'base64url');
      if (bytes.length < ivLength + tagLength) return null;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength), { authTagLength: tagLength });
      decipher.setAuthTag(bytes.subarray(-tagLength));
      try {
        const text = decipher.update(bytes.subarray(ivLength, -tagLength), undefined, 'utf8') + decipher.final('utf8');
        return JSON.parse(text);
      } catch {
        return null;
      }
    },
  };
}
