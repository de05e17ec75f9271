import measure from 'fast-string-truncated-width';

// string-width compiles a pattern for all emoji at its first use, which alone takes as long as the rest of a command.

const ASCII = /^[\x20-\x7e]*$/;

/** Columns that the text takes on a terminal. Plain ASCII, which most is, needs no measuring. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : measure(text).width);

/** The text within `width` columns, an ellipsis at its end when something is cut; never half an emoji. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const { index } = measure(text, { limit: width, ellipsis: '…', ellipsisWidth: 1 });
  return `${text.slice(0, index).trimEnd()}…`;
}

export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** The lines of a text broken at spaces to at most `width` columns, each keeping its indent; longer words stay whole. */
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

/** The same, and words that are longer, such as an address, broken too. */
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
