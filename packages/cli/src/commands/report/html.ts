import type { Point } from '../../history/series.js';
import { escapeHtml } from '../../text/html-text.js';
import { clock } from '../../text/local-time.js';
import { grouped } from '../../text/values.js';
import type { CurrencyReport, Report } from './data.js';
import { pagesOf, type Section } from './sections.js';

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

const styles = `
:root { color-scheme: light dark; --text: #1b1f24; --dim: #59636e; --rule: #d8dee4; --line: #0550ae; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --dim: #9198a1; --rule: #3d444d; --line: #79c0ff; --page: #0d1117; }
}
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { color: var(--dim); margin: .25rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--dim); font-weight: 600; }
td { min-width: 5rem; }
td:first-child { min-width: 8rem; }
table:not(:has(th)) td:first-child { width: 14rem; }
td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0 0; break-inside: avoid; }
figcaption { color: var(--dim); }
svg { width: 100%; height: auto; }
svg text { fill: var(--dim); font: 11px system-ui, sans-serif; }
.grid line { stroke: var(--rule); }
.line path { stroke: var(--line); stroke-width: 2; fill: none; stroke-linecap: round; }
.line .gap { stroke-dasharray: 4 5; }
.dot { fill: var(--line); }
@media screen { section { overflow-x: auto; } }
footer { margin-top: 2rem; color: var(--dim); font-size: .85rem; }
@media print {
  :root { --text: #000; --dim: #444; --rule: #bbb; --line: #000; --page: #fff; }
  body { margin: 0; max-width: none; font-size: 10.5pt; }
  h2 { break-after: avoid; }
  tr { break-inside: avoid; }
}
`;

const cell = (text: string): string =>
  `<td${/^[\d,.]+( \([\d.]+ %\))?$|^\d{4}-\d\d-\d\d( \d\d:\d\d)?$/.test(text) ? ' class="number"' : ''}>${escapeHtml(text)}</td>`;

function tableHtml({ columns, rows }: NonNullable<Section['table']>): string {
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n');
  const head = columns.map(({ header }) => `<th scope="col">${escapeHtml(header)}</th>`).join('');
  const header = columns.some(({ header }) => header !== '') ? `<thead><tr>${head}</tr></thead>` : '';
  return `<table>${header}<tbody>\n${body}\n</tbody></table>`;
}

function chartsHtml({ period }: CurrencyReport): string {
  const { used = [], views = [] } = period?.series ?? {};
  return [['Views', views] as const, ['Used', used] as const]
    .filter(([, points]) => points.length === 1 || new Set(points.map(({ value }) => value)).size > 1)
    .map(([name, points]) => `<figure><figcaption>${name}</figcaption>${svgChart(name, points)}</figure>`)
    .join('\n');
}

const sectionHtml = ({ title, text, table, currency }: Section): string =>
  `<section><h2>${escapeHtml(title)}</h2>\n${table ? tableHtml(table) : ''}${text.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}${currency ? chartsHtml(currency) : ''}</section>`;

/** The reports as one page without scripts, which loads nothing. */
export function reportHtml(reports: readonly [Report, ...Report[]], begin: string): string {
  const pages = pagesOf(reports, begin);
  const parts = pages.flatMap(({ heading, period, sections }) => [
    `<h1>${escapeHtml(heading)}</h1>`,
    ...(period ? [`<p>${escapeHtml(period)}</p>`] : []),
    ...sections.map(sectionHtml),
  ]);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(pages[0]?.heading ?? '')}</title>
<style>${styles}</style>
</head>
<body>
${parts.join('\n')}
<footer>Made with mkt report. Amounts are in the unit of the service.</footer>
</body>
</html>
`;
}
