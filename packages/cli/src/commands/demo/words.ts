import { widthOf } from '../../text/width.js';

/** The words of a line; quotes hold them together. */
const wordsOf = (line: string): readonly string[] => line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];

/** A line of the tour as its words, without `mkt` and without quotes. */
export const argvOf = (line: string): string[] =>
  wordsOf(line)
    .slice(1)
    .map((word) => word.replaceAll(/['"]/g, ''));

/** A line as it is typed on a terminal of `width` columns: a longer one goes on in the next line, as the shell takes it. */
export function typedLine(line: string, width: number, platform: NodeJS.Platform): string {
  const whole = `$ ${line}`;
  if (widthOf(whole) <= width) return whole;
  const goesOn = platform === 'win32' ? ' `' : ' \\';
  const [first = '', ...rest] = wordsOf(whole);
  const lines = [first];
  for (const word of rest) {
    const longer = `${lines.at(-1)} ${word}`;
    if (widthOf(longer + goesOn) <= width) lines[lines.length - 1] = longer;
    else lines.push(`    ${word}`);
  }
  return lines.join(`${goesOn}\n`);
}
