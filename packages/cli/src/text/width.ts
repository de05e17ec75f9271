import measure from 'fast-string-truncated-width';
import { wrapAnsi } from 'fast-wrap-ansi';

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

/** Wraps text at spaces to at most `width` columns and keeps the indentation; longer words, such as URLs, are broken if `hard`. */
export const wrap = (text: string, width: number, hard = false): string[] =>
  text.split('\n').flatMap((paragraph) => {
    if (widthOf(paragraph) <= width) return [paragraph];
    const [indent = ''] = /^ */.exec(paragraph) ?? [];
    const lines = wrapAnsi(paragraph.slice(indent.length), width - indent.length, { hard }).split('\n');
    return lines.map((line) => `${indent}${line}`);
  });
