import { usageError } from '../errors/cli-error.js';

const lineOf = (text: string, mark: string): number | undefined => text.split(mark, 1)[0]?.split('\n').length;

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark as spreadsheets and Windows save it. Rejects invalid bytes: replacement
 * characters would otherwise be sent to the service.
 * @param name the name of the text in messages
 * @param hint how to save it in a supported encoding
 * @throws a usage error for other bytes
 */
export function textOf(bytes: Buffer, name: string, hint = 'Save it as UTF-8'): string {
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
