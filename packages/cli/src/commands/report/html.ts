import { escapeHtml } from '../../text/html-text.js';
import type { CurrencyReport, Report } from './data.js';
import { pagesOf, type Section } from './sections.js';
import { svgChart } from './svg.js';

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
