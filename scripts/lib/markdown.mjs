// Markdown as generators write it.

/** Text in a cell of a table. */
export const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

/** Lines of a table; none where there are no rows. */
export const table = (head, rows) =>
  rows.length === 0
    ? []
    : [
        `| ${head.join(' | ')} |`,
        `|${head.map(() => '---|').join('')}`,
        ...rows.map((row) => `| ${row.join(' | ')} |`),
        '',
      ];

/** Lines of a fenced block; none where there is nothing in it. */
export const fence = (language, lines) => (lines.length === 0 ? [] : [`\`\`\`${language}`, ...lines, '```', '']);
