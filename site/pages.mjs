// Which Markdown files are pages of the site, their paths there, and links between them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path/posix';
import { index, sections } from '../scripts/lib/docs.mjs';

/** The path of a page in the site: `guides/cli.md`. */
const pathInSite = (path) => {
  if (path === index) return 'index.md';
  return `${path
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '')
    .replace(/\.md$/, '')
    .toLowerCase()}.md`;
};

/** The sections of the index, with the path of each page in the site. */
export const navigation = sections().map(({ title, pages }) => ({
  title,
  pages: pages.map((page) => ({ ...page, page: pathInSite(page.path) })),
}));

/** Pages that others link to, but that the navigation omits. */
const unlisted = [
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ROADMAP.md',
  'CODE_OF_CONDUCT.md',
  ...readdirSync('examples').map((name) => `examples/${name}/README.md`),
].filter((path) => existsSync(path));

const listed = navigation.flatMap(({ pages }) => pages.map(({ path }) => path));

/** Paths in the site by path in the repository. */
export const pages = new Map([index, ...listed, ...unlisted].map((path) => [path, pathInSite(path)]));

/** The repository's URL, or null while the packages name an example host. */
const repository = (() => {
  const { url } = JSON.parse(readFileSync('packages/sdk/package.json', 'utf8')).repository ?? {};
  const https = url?.replace(/^git\+/, '').replace(/\.git$/, '');
  return https?.startsWith('https://') && !/\.example(\.|\/)/.test(https) ? https : null;
})();

/** Where images and the OpenAPI document are in the site. */
export const assetInSite = (path) => path.replace(/^(docs|site)\//, '').replaceAll('/docs/', '/');
const isAsset = (path) => /\.(webp|png|jpe?g|svg|gif)$/.test(path) || path === 'docs/openapi.json';

/** A link of a repository file as a link of the site; null if it leads out of the site and the repository has no URL. */
function linkInSite(from, target, assets) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('#')) return target;
  const [file, anchor] = target.split('#', 2);
  const to = normalize(join(dirname(from), file)).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const within = (path) => {
    const link = relative(dirname(pages.get(from) ?? 'index.md'), path) || '.';
    return `${link.startsWith('.') ? '' : './'}${link}${hash}`;
  };
  const page = pages.get(to) ?? pages.get(`${to}/README.md`);
  if (page) return within(page);
  if (/^docs\/llms(-full)?\.txt$/.test(to)) return within(assetInSite(to));
  if (isAsset(to) && existsSync(to)) {
    assets.add(to);
    return within(assetInSite(to));
  }
  return repository && `${repository}/blob/main/${to}${hash}`;
}

/**
 * The Markdown of a page with links that work in the site. Blocks of code stay as they are.
 * @param {Set<string>} assets Receives the files that the page needs.
 */
export function markdownInSite(path, assets) {
  const moved = (target) => linkInSite(path, target, assets);
  const inSite = (text) =>
    text
      .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, label, target) => (moved(target) === null ? label : link))
      .replace(/(\]\(|src=")([^)"\s]+)(?=[)"])/g, (_, start, target) => start + moved(target));
  const parts = readFileSync(path, 'utf8').split(/(^ *```[\s\S]*?^ *```$)/m);
  return parts.map((part, at) => (at % 2 === 0 ? inSite(part) : part)).join('');
}
