import measure from 'fast-string-truncated-width';
import { wrapAnsi } from 'fast-wrap-ansi';

// string-width compiles a pattern for all emoji at its first use, which takes as long as the rest of a command.

const ASCII = /^[\x20-\x7e]*$/;

/** Vowel signs next to their letter. Terminals give each a column, the library none. */
const SPACING_MARK = /\p{Mc}/gu;

/** Columns of the text on a terminal. Plain ASCII needs no measuring, and decomposed Hangul is as wide as composed. */
export const widthOf = (text: string): number =>
  ASCII.test(text) ? text.length : measure(text.normalize('NFC')).width + (text.match(SPACING_MARK)?.length ?? 0);

/** Cuts the text to `width` columns, if any, with an ellipsis at the end; never splits an emoji. */
export function cutTo(text: string, width: number | undefined): string {
  if (width === undefined || widthOf(text) <= width) return text;
  if (ASCII.test(text)) return `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`;
  // Not by `measure`, whose index is wrong in scripts other than Latin and Chinese, Japanese and Korean.
  let [cut, room] = ['', width - 1];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= widthOf(segment);
    if (room < 0) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
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
