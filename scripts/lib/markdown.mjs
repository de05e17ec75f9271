// Markdown as this repository writes it: what generators write, and what the site reads.

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

const fenced = /^( *)(`{3,})(.*)\n([\s\S]*?)^\1\2 *$/gm;

/** The same text with every fenced block and every inline code blank, line for line. */
function withoutCode(text) {
  const blank = (part) => part.replace(/[^\n]/g, ' ');
  return text
    .replace(fenced, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, blank);
}

/** Links and images of a text: `[text](target)`, `![](target)`, `[name]: target`, `<a href>`, `<img src>`. */
export function linksOf(text) {
  const bare = withoutCode(text);
  const found = [];
  const take = (pattern) => {
    for (const match of bare.matchAll(pattern)) {
      found.push({ target: match[1], line: bare.slice(0, match.index).split('\n').length });
    }
  };
  take(/\]\(<?([^)\s>]*)>?(?: +"[^"]*")?\)/g);
  take(/^ {0,3}\[[^\]]+\]: +<?(\S+?)>?(?: +"[^"]*")?$/gm);
  take(/<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"\s]+)"/g);
  return found;
}
