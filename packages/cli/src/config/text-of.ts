import { usageError } from '../errors/cli-error.js';

const lineOf = (text: string, mark: string): number | undefined => text.split(mark, 1)[0]?.split('\n').length;

/** How files begin, in hexadecimal, that are not text or that only programs can read. */
const otherKinds: Readonly<Record<string, string>> = {
  '255044462d': 'a PDF',
  '7b5c727466': 'an RTF document',
  '504b0304': 'a ZIP archive or an Office document',
  d0cf11e0: 'an old Office document',
  '1f8b': 'a compressed file',
  '89504e47': 'an image',
  ffd8ff: 'an image',
};

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark as spreadsheets and Windows save it. Rejects invalid bytes: replacement
 * characters would otherwise be sent to the service.
 * @param name the name of the text in messages
 * @param hint how to save it in a supported encoding
 * @throws a usage error for other bytes
 */
export function textOf(bytes: Buffer, name: string, hint = 'Save it as text in UTF-8'): string {
  const start = bytes.toString('hex', 0, 5);
  const [, kind] = Object.entries(otherKinds).find(([mark]) => start.startsWith(mark)) ?? [];
  if (kind !== undefined) throw usageError(`${name} is ${kind}, not text.`, hint);
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const line = lineOf(new TextDecoder(encoding).decode(bytes), '\ufffd');
    throw usageError(`${name}:${line} is not valid UTF-8.`, hint);
  }
  if (!text.includes('\0')) return text;
  throw usageError(`${name}:${lineOf(text, '\0')} is not text: it contains a NUL byte.`, hint);
}
