// Which Markdown files are pages of the site, and where each of them stands there.
import { existsSync, readdirSync } from 'node:fs';
import { index, sections } from '../scripts/lib/docs.mjs';

/** The address of a page within the site: `guides/cli.html`. */
const addressOf = (path) => {
  if (path === index) return 'index.html';
  return `${path
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '')
    .replace(/\.md$/, '')
    .toLowerCase()}.html`;
};

/** The navigation: sections of the index, with the address of each page. */
export const navigation = sections().map(({ title, pages }) => ({
  title,
  pages: pages.map((page) => ({ ...page, address: addressOf(page.path) })),
}));

/** Pages that the documentation leads to, without a place in the navigation. */
const aside = [
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ROADMAP.md',
  'CODE_OF_CONDUCT.md',
  ...readdirSync('examples').map((name) => `examples/${name}/README.md`),
].filter((path) => existsSync(path));

/** By path from the root of the repository: where the page stands in the site. */
export const addresses = new Map([
  [index, 'index.html'],
  ...navigation.flatMap(({ pages }) => pages.map(({ path, address }) => [path, address])),
  ...aside.map((path) => [path, addressOf(path)]),
]);

/** In the order of the navigation: for "next" and "previous". */
export const sequence = [
  { title: 'Documentation', path: index, address: 'index.html' },
  ...navigation.flatMap(({ pages }) => pages),
];
