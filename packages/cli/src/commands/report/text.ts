import { chart } from '../../history/chart.js';
import { renderTable } from '../../output/table.js';
import type { Style } from '../../text/style.js';
import { grouped } from '../../text/values.js';
import { wrap } from '../../text/width.js';
import type { Report } from './data.js';
import { pagesOf, type Section } from './sections.js';

interface Layout {
  readonly style: Style;
  /** Columns of the terminal; undefined in a pipe, where nothing is cut. */
  readonly width: number | undefined;
  /** Shows every row, and the figures and series of each currency. */
  readonly verbose: boolean;
}

const CHART_HEIGHT = 5;
const CHART_WIDTH = 80;

function tableLines({ columns, rows }: NonNullable<Section['table']>, { style, width }: Layout): string[] {
  const indent = width === undefined || width >= 60 ? '  ' : '';
  const text = renderTable(
    rows,
    columns.map((each, index) => ({ ...each, field: String(index), header: each.header.toUpperCase() })),
    {
      header: columns.some(({ header }) => header !== ''),
      style,
      width: width && width - indent.length,
      keepColumns: false,
    },
  );
  return text
    .trimEnd()
    .split('\n')
    .map((line) => indent + line);
}

function sectionLines({ title, text, table, most, currency }: Section, layout: Layout): string[] {
  const { style, width, verbose } = layout;
  const shown = width === undefined || verbose ? undefined : most;
  const more = (table?.rows.length ?? 0) - (shown ?? Number.POSITIVE_INFINITY);
  const all = more > 0 ? [...text, `And ${grouped(more)} more: --verbose shows all.`] : text;
  const { used = [], views = [] } = currency?.period?.series ?? {};
  const series = [
    { name: 'Views', points: views },
    { name: 'Used', points: used },
  ].filter(({ points }) => new Set(points.map(({ value }) => value)).size > 1);
  const size = { style, width: width ?? CHART_WIDTH, height: CHART_HEIGHT };
  return [
    '',
    style('bold', title),
    ...(table ? tableLines({ ...table, rows: table.rows.slice(0, shown) }, layout) : []),
    ...all.flatMap((line) => (width === undefined ? [`  ${line}`] : wrap(`  ${line}`, width))),
    ...series.flatMap((line) => ['', chart([line], size).trimEnd()]),
  ];
}

export function reportText(reports: readonly [Report, ...Report[]], begin: string, layout: Layout): string {
  const { style, width, verbose } = layout;
  const pages = pagesOf(reports, begin).map(({ heading, period, sections }) => {
    const periodLines = width === undefined ? [period] : wrap(period, width);
    const shown = sections.filter(({ currency }) => verbose || currency === undefined);
    const lines = [
      style('bold', heading),
      ...(period ? periodLines.map((line) => style('dim', line)) : []),
      ...shown.flatMap((section) => sectionLines(section, layout)),
    ];
    return `${lines.join('\n')}\n`;
  });
  return pages.join('\n');
}
