import type { Report } from './data.js';
import { headingOf, overviewOf, periodText, type Section, sectionsOf } from './sections.js';

/** Text from the network as plain text: no markup, no links, no cells. */
const plain = (text: string): string =>
  text
    .replace(/[\\`*_[\]<>|~&@#]/g, (character) => `&#${character.charCodeAt(0)};`)
    // Addresses would become links by themselves.
    .replace(/\b(https?|www)\b/gi, (word) => `${word.charAt(0)}&#8203;${word.slice(1)}`);

const row = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;

const tableText = ({ columns, rows }: NonNullable<Section['table']>): string[] => [
  row(columns.map(({ header }) => header)),
  `|${columns.map(({ align }) => (align === 'right' ? '---:|' : '---|')).join('')}`,
  ...rows.map(row),
];

const sectionText = ({ title, text, table }: Section): string[] => [
  `## ${plain(title)}`,
  ...(table ? [tableText(table).join('\n')] : []),
  ...text.map(plain),
];

/** The reports as Markdown; of several organizations with a table of all first. */
export function reportMarkdown(reports: readonly [Report, ...Report[]], begin: string): string {
  const overview = reports.length > 1 ? [`# ${plain(headingOf(...reports))}`, ...sectionText(overviewOf(reports))] : [];
  const parts = reports.flatMap((report) => [
    `# ${plain(headingOf(report))}`,
    plain(periodText(report)),
    ...sectionsOf(report, begin).flatMap(sectionText),
  ]);
  return `${[...overview, ...parts].join('\n\n')}\n`;
}
