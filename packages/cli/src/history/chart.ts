import asciichart from 'asciichart';
import { clock } from '../text/local-time.js';
import type { Style } from '../text/style.js';
import { grouped, sanitizeLine } from '../text/values.js';
import { cutTo, padTo } from '../text/width.js';
import type { Point } from './series.js';

export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

/** More lines than these cannot be told apart. */
export const MOST_LINES = 6;

const COLORS = ['\u001b[36m', '\u001b[33m', '\u001b[35m', '\u001b[32m', '\u001b[34m', '\u001b[31m'];
const RESET = '\u001b[0m';
/** Columns of the axis, and the blank after its labels. */
const AXIS = 3;

/** The value at each of `count` equally distant times; before the first reading, that of the first one. */
function sampled(points: readonly Point[], start: number, end: number, count: number): number[] {
  const times = points.map(({ at }) => Date.parse(at));
  const values: number[] = [];
  let index = 0;
  for (let column = 0; column < count; column += 1) {
    const time = count === 1 ? end : start + ((end - start) * column) / (count - 1);
    while (index + 1 < times.length && (times[index + 1] ?? 0) <= time) index += 1;
    values.push(points[index]?.value ?? 0);
  }
  return values;
}

/** Lines over time, as text of at most `width` columns. */
export function chart(
  lines: readonly Line[],
  { width, style, height = 10 }: { width: number; style: Style; height?: number },
): string {
  const shown = lines.filter(({ points }) => points.length > 0);
  const times = shown.flatMap(({ points }) => [points[0]?.at, points.at(-1)?.at].map((at) => Date.parse(at ?? '')));
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const values = shown.flatMap(({ points }) => points.map(({ value }) => Math.round(value)));
  // As arguments of one call, too many values would overflow the stack.
  const [least, most] = [Math.min, Math.max].map((of) => values.reduce((one, other) => of(one, other), 0));
  const labels = Math.max(grouped(least ?? 0).length, grouped(most ?? 0).length);
  const columns = Math.max(10, width - labels - AXIS);
  const isColored = style('cyan', 'x') !== 'x';
  const text = asciichart.plot(
    shown.map(({ points }) => sampled(points, start, end, start === end ? 2 : columns)),
    {
      height,
      ...(isColored && { colors: COLORS }),
      format: (value) => grouped(Math.round(value)).padStart(labels),
    },
  );
  const margin = ' '.repeat(labels + 1);
  const axis = start === end ? clock(end) : `${padTo(clock(start), Math.max(0, columns - 16))}${clock(end)}`;
  const legend = shown.map(({ name, points }, index) => {
    const color = isColored ? (COLORS[index % COLORS.length] ?? '') : '';
    const values = `${grouped(points[0]?.value ?? 0)} -> ${grouped(points.at(-1)?.value ?? 0)}`;
    return `${margin}${color}──${color && RESET} ${cutTo(sanitizeLine(name), Math.max(10, width - labels - values.length - 8))}  ${values}`;
  });
  return `${text}\n${margin}${style('dim', axis)}\n${legend.join('\n')}\n`;
}
