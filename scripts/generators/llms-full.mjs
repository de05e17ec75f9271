// docs/llms-full.txt (llmstxt.org): the pages for users as one text, in the order of the index.
import { readFileSync } from 'node:fs';
import { checkIndex, sections } from '../lib/docs.mjs';

export const output = 'docs/llms-full.txt';
export const readsOutputs = true;

export function generate() {
  checkIndex();
  const pages = sections().flatMap(({ title, pages: listed }) => (title === 'Background' ? [] : listed));
  const texts = pages.map(({ path }) => {
    const text = readFileSync(path, 'utf8').replace(/^<!--.*-->\n+/, '');
    return `<page path="${path}">\n\n${text.trim()}\n\n</page>\n`;
  });
  return `# mkt: the documentation as one text\n\nLinks within a page are relative to its path.\n\n${texts.join('\n')}`;
}
