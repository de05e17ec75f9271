import { chart } from '../../history/chart.js';
import type { Style } from '../../text/style.js';
import { cutTo, padTo, widthOf, wrap } from '../../text/width.js';
import type { Report } from './data.js';
import { headingOf, periodText, type Section, sectionsOf } from './sections.js';

interface Layout {
  readonly style: Style;
  readonly width: number;
}

const GAP = 2;
const CHART_HEIGHT = 5;

/** Columns as wide as their texts. On a narrow terminal the fourth is dropped, then the widest are cut. */
function tableText({ head, rows }: NonNullable<Section['table']>, { style, width }: Layout): string[] {
  const hasHead = head[0] !== '';
  const all = hasHead ? [head, ...rows] : rows;
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  const total = () => widths.reduce((sum, each) => sum + each, GAP * (widths.length - 1) + GAP);
  if (total() > width) widths.splice(3);
  while (total() > width && Math.max(...widths) > 8) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return all.map((row, index) => {
    const cells = widths.map((each, column) => padTo(cutTo(row[column] ?? '', each), each));
    const line = `  ${cells.join('  ').trimEnd()}`;
    return hasHead && index === 0 ? style('dim', line) : line;
  });
}

/** The report for a terminal. */
export function reportText(report: Report, begin: string, layout: Layout): string {
  const { style, width } = layout;
  const lines = [
    style('bold', headingOf(report)),
    ...wrap(periodText(report), width).map((line) => style('dim', line)),
  ];
  for (const { title, text, table, charts } of sectionsOf(report, begin)) {
    lines.push('', style('bold', title));
    if (table) lines.push(...tableText(table, layout));
    for (const line of text) lines.push(...wrap(`  ${line}`, width));
    const { used = [], views = [] } = charts?.period?.series ?? {};
    for (const [name, points] of [
      ['Views', views],
      ['Used', used],
    ] as const)
      if (new Set(points.map(({ value }) => value)).size > 1)
        lines.push('', chart([{ name, points }], { ...layout, height: CHART_HEIGHT }).trimEnd());
  }
  return `${lines.join('\n')}\n`;
}
