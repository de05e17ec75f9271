import { usageError } from '../errors/cli-error.js';

const MARKS = { 'utf-16le': Buffer.from([0xff, 0xfe]), 'utf-16be': Buffer.from([0xfe, 0xff]) };

const decoded = (bytes: Buffer, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/** The first line that is no UTF-8, from 1 on. */
function firstForeignLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf('\n', start);
    if (decoded(bytes.subarray(start, end === -1 ? bytes.length : end), 'utf-8') === undefined) return line;
    if (end === -1) break;
    start = end + 1;
  }
  return line;
}

/**
 * Text in UTF-8, or in UTF-16 with a mark, as spreadsheets and Windows save it; its byte order mark is gone. Letters of
 * another encoding are never replaced: they would be sent as they then look.
 * @param name what sentences call it
 * @param hint how to save it otherwise
 * @throws a usage error where the bytes are something else
 */
export function textOf(bytes: Buffer, name: string, hint = 'Save it as UTF-8'): string {
  const marked = Object.entries(MARKS).find(([, mark]) => bytes.subarray(0, mark.length).equals(mark));
  const text = decoded(bytes, marked?.[0] ?? 'utf-8');
  if (text === undefined) throw usageError(`${name}:${firstForeignLine(bytes)} holds text that is not UTF-8.`, hint);
  const nul = text.indexOf('\0');
  if (nul === -1) return text;
  throw usageError(`${name}:${text.slice(0, nul).split('\n').length} is no text: it holds NUL.`, hint);
}
