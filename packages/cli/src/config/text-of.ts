import { usageError } from '../errors/cli-error.js';

const lineOf = (text: string, mark: string): number | undefined => text.split(mark, 1)[0]?.split('\n').length;

/**
 * Text in UTF-8, or in UTF-16 with a mark, as spreadsheets and Windows save it; its byte order mark is gone. Letters of
 * another encoding are never replaced: they would be sent as they then look.
 * @param name what sentences call it
 * @param hint how to save it otherwise
 * @throws a usage error where the bytes are something else
 */
export function textOf(bytes: Buffer, name: string, hint = 'Save it as UTF-8'): string {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const line = lineOf(new TextDecoder(encoding).decode(bytes), '\ufffd');
    throw usageError(`${name}:${line} holds text that is not UTF-8.`, hint);
  }
  if (!text.includes('\0')) return text;
  throw usageError(`${name}:${lineOf(text, '\0')} is no text: it holds NUL.`, hint);
}
