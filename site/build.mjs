// Builds the documentation site into site/dist with VitePress: `npm run site`.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { sections } from '../scripts/lib/docs.mjs';
import { assetInSite, markdownInSite, pages } from './pages.mjs';

const source = 'site/pages';
const output = 'site/dist';
const write = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

rmSync(source, { recursive: true, force: true });
const assets = new Set(['site/icon.svg']);
const texts = [...pages].map(([path, page]) => ({ page, text: markdownInSite(path, assets) }));
for (const { page, text } of texts) write(join(source, page), text);
for (const asset of assets) {
  // VitePress copies `public` as it is, and the rest with the pages that use it.
  const to = join(source, /\.json$|^site/.test(asset) ? 'public' : '', assetInSite(asset));
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(asset, to);
}
await build('site');
const userPages = sections().flatMap((section) => (section.title === 'Background' ? [] : section.pages));
const everything = userPages.map(
  ({ path }) =>
    `<page path="${path}">\n\n${readFileSync(path, 'utf8')
      .replace(/^<!--.*-->\n+/, '')
      .trim()}\n\n</page>\n`,
);
write(
  join(output, 'llms-full.txt'),
  `# mkt: the documentation in one file\n\nLinks are relative to the path of their page.\n\n${everything.join('\n')}`,
);
write(join(output, 'llms.txt'), markdownInSite('docs/llms.txt', assets));
for (const { page, text } of texts) write(join(output, page), text);
process.stdout.write(`${pages.size} pages in ${output}\n`);
