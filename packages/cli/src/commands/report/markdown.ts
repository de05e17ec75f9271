import type { Report } from './data.js';
import { headingOf, periodText, type Section, sectionsOf } from './sections.js';

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

/** The report as Markdown. */
export function reportMarkdown(report: Report, begin: string): string {
  const sections = sectionsOf(report, begin).flatMap(({ title, text, table }) => [
    `## ${plain(title)}`,
    ...(table ? [tableText(table).join('\n')] : []),
    ...text.map(plain),
  ]);
  return `${[`# ${plain(headingOf(report))}`, plain(periodText(report)), ...sections].join('\n\n')}\n`;
}
