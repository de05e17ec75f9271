import { chart } from '../../history/chart.js';
import { renderTable } from '../../output/table.js';
import { grouped } from '../../text/row.js';
import type { Style } from '../../text/style.js';
import { wrap } from '../../text/width.js';
import type { Report } from './data.js';
import { headingOf, overviewOf, periodText, type Section, sectionsOf } from './sections.js';

interface Layout {
  readonly style: Style;
  /** Columns of the terminal; undefined in a pipe, where nothing is cut. */
  readonly width: number | undefined;
  /** Shows every row, and the figures and series of each currency. */
  readonly verbose: boolean;
}

const CHART_HEIGHT = 5;
/** Columns of a chart in a pipe. */
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

/** The reports for a terminal or a pipe; of several organizations with a table of all first. */
export function reportText(reports: readonly [Report, ...Report[]], begin: string, layout: Layout): string {
  const parts = reports.map((report) => oneText(report, begin, layout));
  if (reports.length === 1) return parts.join('');
  const overview = [layout.style('bold', headingOf(...reports)), ...sectionLines(overviewOf(reports), layout)];
  return [`${overview.join('\n')}\n`, ...parts].join('\n');
}

function oneText(report: Report, begin: string, layout: Layout): string {
  const { style, width, verbose } = layout;
  const period = periodText(report);
  const lines = [
    style('bold', headingOf(report)),
    ...(width === undefined ? [period] : wrap(period, width)).map((line) => style('dim', line)),
  ];
  const sections = sectionsOf(report, begin).filter(({ currency }) => verbose || currency === undefined);
  return `${[...lines, ...sections.flatMap((section) => sectionLines(section, layout))].join('\n')}\n`;
}
