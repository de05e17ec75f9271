import { structuredPatch } from 'diff';
import { sanitize } from '../../text/sanitize.js';

export interface DiffLine {
  readonly sign: '+' | '-' | ' ' | '…';
  readonly text: string;
}

/** HTML as lines: one for each block, so that a change of one paragraph is a change of one line. */
const linesOf = (html: string, trimmed: boolean): string =>
  sanitize(html)
    .replace(/(<\/(?:p|div|h[1-6]|li|ul|ol|blockquote|pre|tr|table)>|<br\s*\/?>|<(?:ul|ol|table)>)(?!\n)/gi, '$1\n')
    .split('\n')
    .map((line) => (trimmed ? line.trim() : line.trimEnd()))
    .filter((line) => line.trim() !== '')
    .map((line) => `${line}\n`)
    .join('');

const hunksOf = (from: string, to: string, trimmed: boolean) =>
  structuredPatch('', '', linesOf(from, trimmed), linesOf(to, trimmed), '', '', { context: 1 }).hunks;

/** The lines in which two texts differ, with one line around them. How far they are indented counts only within `pre`. */
export function textDiff(from: string, to: string): DiffLine[] {
  const trimmed = hunksOf(from, to, true);
  const hunks = trimmed.length > 0 ? trimmed : hunksOf(from, to, false);
  return hunks.flatMap(({ lines, newStart, oldStart }, index): DiffLine[] => [
    ...(index > 0 || newStart > 1 || oldStart > 1 ? [{ sign: '…', text: '' } as const] : []),
    ...lines
      .filter((line) => /^[-+ ]/.test(line))
      .map((line): DiffLine => ({ sign: line[0] as DiffLine['sign'], text: line.slice(1) })),
  ]);
}
