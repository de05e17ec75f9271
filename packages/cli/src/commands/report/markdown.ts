import type { Report } from './data.js';
import { pagesOf, type Section } from './sections.js';

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

export function reportMarkdown(reports: readonly [Report, ...Report[]], begin: string): string {
  const parts = pagesOf(reports, begin).flatMap(({ heading, period, sections }) => [
    `# ${plain(heading)}`,
    ...(period ? [plain(period)] : []),
    ...sections.flatMap(sectionText),
  ]);
  return `${parts.join('\n\n')}\n`;
}
