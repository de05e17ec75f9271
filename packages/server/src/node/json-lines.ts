/** Escapes what JSON allows in strings, and at which readers of other programs and versions of Node end a line. */
export const escapeLineBreaks = (json: string): string =>
  json.replace(/[\u0085\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const jsonLine = (value: unknown): string => `${escapeLineBreaks(JSON.stringify(value))}\n`;

/**
 * The lines of JSON in a text, without its byte order mark. Only a line feed ends a line: `readline` and
 * `FileHandle.readLines()` also split at U+2028 and U+2029 since Node 24, and at a lone carriage return.
 */
export async function* readJsonLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let line = '';
  let isFirst = true;
  for await (const chunk of text) {
    const [end = '', ...lines] = (isFirst ? chunk.replace(/^\ufeff/, '') : chunk).split('\n');
    isFirst = false;
    line += end;
    for (const next of lines) {
      yield line;
      line = next;
    }
  }
  if (line !== '') yield line;
}
