import stringWidth from 'string-width';

const ASCII = /^[\x20-\x7e]*$/;

/** Columns that the text takes on a terminal. Plain ASCII, which most is, is not segmented. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text));

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The text within `width` columns, an ellipsis at its end when something is cut; never half an emoji. */
export function cutTo(text: string, width: number): string {
  // No character is narrower than nothing, and no cell that is shown is this long.
  if (text.length <= width * 20 && widthOf(text) <= width) return text;
  if (width <= 1) return width === 1 ? '…' : '';
  let taken = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = widthOf(segment);
    if (used + next > width - 1) break;
    taken += segment;
    used += next;
  }
  return `${taken.trimEnd()}…`;
}

export const padTo = (text: string, width: number, align: 'left' | 'right' = 'left'): string => {
  const gap = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? gap + text : text + gap;
};

/** The paragraphs of a text broken at spaces into lines of at most `width` columns; longer words stay whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line !== '' && widthOf(longer) > width) {
        lines.push(line);
        line = word;
      } else {
        line = longer;
      }
    }
    lines.push(line);
  }
  return lines;
}
