import measure from 'fast-string-truncated-width';

// string-width compiles a pattern for all emoji at its first use, which takes as long as the rest of a command.

const ASCII = /^[\x20-\x7e]*$/;

/** Columns of the text on a terminal. Plain ASCII needs no measuring. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : measure(text).width);

/** Cuts the text to `width` columns, with an ellipsis at the end; never splits an emoji. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const { index } = measure(text, { limit: width, ellipsis: '…', ellipsisWidth: 1 });
  return `${text.slice(0, index).trimEnd()}…`;
}

export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Wraps text at spaces to at most `width` columns and keeps the indentation; longer words are not broken. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    if (widthOf(paragraph) <= width) return [paragraph];
    const indent = /^ */.exec(paragraph)?.[0] ?? '';
    const lines: string[] = [];
    let line = indent;
    for (const word of paragraph.slice(indent.length).split(' ')) {
      const longer = line === indent ? `${indent}${word}` : `${line} ${word}`;
      if (line !== indent && widthOf(longer) > width) {
        lines.push(line);
        line = `${indent}${word}`;
      } else {
        line = longer;
      }
    }
    return [...lines, line];
  });
}

/** The same, but also breaks longer words, such as URLs. */
export const wrapAll = (text: string, width: number): string[] =>
  wrap(text, width).flatMap((line) => {
    const parts: string[] = [];
    let rest = line;
    while (widthOf(rest) > width) {
      const { index } = measure(rest, { limit: width, ellipsis: '', ellipsisWidth: 0 });
      // At least one character, however wide it is.
      parts.push(rest.slice(0, Math.max(1, index)));
      rest = rest.slice(Math.max(1, index));
    }
    return [...parts, rest];
  });
