// Builds the documentation as a static site into site/dist. Run by scripts/site.mjs, from the root of the repository.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sections } from '../scripts/lib/docs.mjs';
import { linksOf } from '../scripts/lib/markdown.mjs';
import { brokenLinks } from './check.mjs';
import { assetAddress, linkInSite } from './links.mjs';
import { addresses } from './pages.mjs';
import { render } from './render.mjs';
import { pageHtml } from './template.mjs';

const out = 'site/dist';

/** Where readers find the files that are no pages; null as long as the manifests name a place that is not real. */
function repositoryUrl() {
  const { repository } = JSON.parse(readFileSync('packages/sdk/package.json', 'utf8'));
  const url = repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '');
  return url?.startsWith('https://') && !/\.example(\.|\/)/.test(url) ? url : null;
}

const site = { repository: repositoryUrl(), assets: new Set() };

function write(address, text) {
  const path = join(out, address);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Links as the site has them. What leads out of the site, where no repository is known, stays as its text. */
const localised = (html, path) =>
  html
    .replace(/<a href="([^"]*)">([\s\S]*?)<\/a>/g, (_, target, text) => {
      const to = linkInSite(path, target, site);
      return to === null ? text : `<a href="${to}">${text}</a>`;
    })
    .replace(
      /(<(?:img|source)\b[^>]*?\bsrc=")([^"]*)"/g,
      (_, before, target) => `${before}${linkInSite(path, target, site)}" loading="lazy"`,
    );

/** The Markdown of a page for whoever reads that: links lead to the Markdown of other pages. */
function markdownFor(markdown, path) {
  const targets = [...new Set(linksOf(markdown).map(({ target }) => target))];
  return targets.reduce((text, target) => {
    const to = linkInSite(path, target, site)?.replace(/^([^:]*)\.html(#|$)/, '$1.md$2');
    return to ? text.replaceAll(`](${target})`, `](${to})`) : text;
  }, markdown);
}

/** The pages for users as one text, in the order of the index (llmstxt.org). */
function everyUserPage() {
  const pages = sections().flatMap(({ title, pages: listed }) => (title === 'Background' ? [] : listed));
  const texts = pages.map(({ path }) => {
    const text = readFileSync(path, 'utf8').replace(/^<!--.*-->\n+/, '');
    return `<page path="${path}">\n\n${text.trim()}\n\n</page>\n`;
  });
  return `# mkt: the documentation as one text\n\nLinks within a page are relative to its path.\n\n${texts.join('\n')}`;
}

rmSync(out, { recursive: true, force: true });
for (const [path, address] of addresses) {
  const markdown = readFileSync(path, 'utf8');
  const { html, title, headings } = render(markdown);
  const source = address.replace(/html$/, 'md');
  const { repository } = site;
  write(address, pageHtml({ address, title, html: localised(html, path), headings, source, repository }));
  write(source, markdownFor(markdown, path));
}
write('llms.txt', markdownFor(readFileSync('docs/llms.txt', 'utf8'), 'docs/README.md'));
write('llms-full.txt', everyUserPage());
for (const [from, to] of [
  ['site/style.css', 'style.css'],
  ['site/icon.svg', 'icon.svg'],
  ...[...site.assets].map((path) => [path, assetAddress(path)]),
]) {
  mkdirSync(dirname(join(out, to)), { recursive: true });
  copyFileSync(from, join(out, to));
}

const broken = brokenLinks(out);
if (broken.length > 0) {
  process.stderr.write(`${broken.join('\n')}\n`);
  process.exitCode = 1;
} else process.stdout.write(`${addresses.size} pages in ${out}\n`);
