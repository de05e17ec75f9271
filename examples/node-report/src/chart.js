import { scaleLinear } from 'd3-scale';
import { byCurrency, percent, sum } from './report.js';

const WIDTH = 720;
const LABEL = 230;
const BAR = 16;
const ROW = 22;

const number = (/** @type {number} */ value) => value.toLocaleString('en');
const escaped = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
/** Cuts at whole characters, never inside an emoji. */
const short = (/** @type {string} */ name) => {
  const letters = [...new Intl.Segmenter('en').segment(name)].map(({ segment }) => segment);
  return letters.length <= 30 ? name : `${letters.slice(0, 29).join('')}…`;
};

/**
 * Draws the bars of one currency, with their own scale.
 * @param {string} currency
 * @param {readonly import('./report.js').Row[]} rows
 * @param {number} top The y coordinate of the first bar.
 */
function section(currency, rows, top) {
  const x = scaleLinear([0, Math.max(...rows.map(({ total }) => total))], [LABEL, WIDTH - 60]);
  const [total, used] = [sum(rows, 'total'), sum(rows, 'used')];
  const title = `${currency.toUpperCase()}: ${number(used)} of ${number(total)} used (${percent(used, total)} %)`;
  const first = top + 44;
  const bottom = first + rows.length * ROW;
  const ticks = x.ticks(5).map((value) => {
    const at = x(value).toFixed(1);
    return `<path class="grid" d="M${at} ${first - 6}V${bottom}"/><text class="tick" x="${at}" y="${first - 10}">${number(value)}</text>`;
  });
  const bars = rows.map((row, index) => {
    const y = first + index * ROW;
    const [start, middle, end] = [x(0), x(row.used), x(row.total)];
    return [
      `<text class="name" x="${LABEL - 8}" y="${y + 12}">${escaped(short(row.name))}<title>${escaped(row.name)}</title></text>`,
      `<rect class="used" x="${start}" y="${y}" width="${(middle - start).toFixed(1)}" height="${BAR}"/>`,
      `<rect class="unused" x="${middle.toFixed(1)}" y="${y}" width="${(end - middle).toFixed(1)}" height="${BAR}"/>`,
      `<text x="${(end + 6).toFixed(1)}" y="${y + 12}">${percent(row.used, row.total)} %</text>`,
    ].join('');
  });
  return { text: [`<text class="title" x="0" y="${top + 16}">${title}</text>`, ...ticks, ...bars], bottom };
}

/**
 * Draws used and unused budgets as an SVG, one bar per campaign.
 * @param {string} brand
 * @param {readonly import('./report.js').Row[]} rows
 */
export function toSvg(brand, rows) {
  let bottom = 30;
  const parts = byCurrency(rows).flatMap(([currency, group]) => {
    const drawn = section(currency, group, bottom + 16);
    bottom = drawn.bottom;
    return drawn.text;
  });
  const heading = `Budgets of ${brand}: ${rows.length} campaigns`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 -8 ${WIDTH + 32} ${bottom + 24}" width="${WIDTH + 32}" role="img">`,
    `<title>${escaped(heading)}</title>`,
    '<style>text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 } .heading { font-size: 18px; font-weight: 600 }',
    '.name { text-anchor: end } .tick { text-anchor: middle; fill: #57606a; font-size: 10px } .grid { stroke: #d8dee4 }',
    '.used { fill: #5b5bd6 } .unused { fill: #c9c9f2 } .paper { fill: #fff }</style>',
    `<rect class="paper" x="-16" y="-8" width="${WIDTH + 32}" height="${bottom + 24}"/>`,
    `<text class="heading" x="0" y="18">${escaped(heading)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}
