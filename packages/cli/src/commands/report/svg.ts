import type { Point } from '../../history/series.js';
import { escapeHtml } from '../../text/html-text.js';
import { clock } from '../../text/local-time.js';
import { grouped } from '../../text/values.js';

const [width, height] = [640, 180];
const [right, top, bottom] = [12, 12, 26];
/** Of a digit of the labels, at most. */
const digitWidth = 6.5;

/** Round steps of an axis: about four, each 1, 2 or 5 times a power of ten. */
function ticks(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 5) ?? power;
  const first = Math.floor(low / step) * step;
  const count = Math.ceil((Math.max(high, low + span) - first) / step);
  return Array.from({ length: count + 1 }, (_, index) => first + index * step);
}

/** Gaps longer than this many usual distances between readings are dashed: nothing is known of the time between. */
const LONG_GAP = 4;

/** A line chart as SVG, whose colors come from the style sheet of the page. */
export function svgChart(title: string, points: readonly Point[]): string {
  const times = points.map(({ at }) => Date.parse(at));
  const values = points.map(({ value }) => value);
  const [start = 0, end = 0] = [times[0], times.at(-1)];
  const [least = 0, most = 0] = [Math.min, Math.max].map((of) => values.reduce((one, other) => of(one, other)));
  const levels = ticks(least, most);
  const [low = 0, high = 1] = [levels[0], levels.at(-1)];
  const left = 16 + Math.ceil(digitWidth * Math.max(6, ...levels.map((level) => grouped(level).length)));
  const x = (time: number) => (left + ((time - start) / (end - start || 1)) * (width - left - right)).toFixed(1);
  const y = (value: number) => (top + (1 - (value - low) / (high - low || 1)) * (height - top - bottom)).toFixed(1);
  const distances = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const usual = [...distances].sort((one, other) => one - other)[Math.floor(distances.length / 2)] ?? 0;
  const segments = points.slice(1).map(({ value }, index) => {
    const [from, to] = [points[index], times[index + 1] ?? 0];
    const dashed = (distances[index] ?? 0) > usual * LONG_GAP ? ' class="gap"' : '';
    return `<path${dashed} d="M${x(times[index] ?? 0)} ${y(from?.value ?? 0)}L${x(to)} ${y(value)}"/>`;
  });
  // Within two days, both dates could be the same.
  const length = end - start < 2 * 86_400_000 ? 'YYYY-MM-DD HH:MM'.length : 'YYYY-MM-DD'.length;
  const label = (time: number) => clock(time).slice(0, length);
  const grid = levels.map(
    (level) =>
      `<line x1="${left}" x2="${width - right}" y1="${y(level)}" y2="${y(level)}"/><text x="${left - 8}" y="${y(level)}" text-anchor="end" dominant-baseline="middle">${grouped(level)}</text>`,
  );
  const summary = `${title}: ${grouped(values[0] ?? 0)} to ${grouped(values.at(-1) ?? 0)}`;
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(summary)}">`,
    `<g class="grid">${grid.join('')}</g>`,
    `<text x="${left}" y="${height - 6}">${label(start)}</text>`,
    `<text x="${width - right}" y="${height - 6}" text-anchor="end">${label(end)}</text>`,
    `<g class="line">${segments.join('')}</g>`,
    points.length === 1 ? `<circle class="dot" cx="${x(start)}" cy="${y(values[0] ?? 0)}" r="3"/>` : '',
    '</svg>',
  ].join('');
}
