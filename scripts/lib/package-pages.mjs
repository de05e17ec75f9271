// The pages of a package: its README, and in its folder `docs` those of docs/ that the README links to. There they link to each
// other; links to anything else lead to the repository, and are only text while that has no public URL.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const link = /\[([^\]]+)\]\((?!#|[a-z]+:)([^)#\s]+)(#[^)\s]*)?\)/g;
const slashes = (path) => path.replaceAll('\\', '/');

/** @param {string} folder Such as `sdk`. */
function pagesOf(folder) {
  const own = `packages/${folder}`;
  const readme = `${own}/README.md`;
  const { repository } = JSON.parse(readFileSync(join(root, own, 'package.json'), 'utf8'));
  const online = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main`;
  const isPublic = !new URL(online).host.includes('example.');
  const read = (page) => readFileSync(join(root, page), 'utf8');
  /** What a link of a page leads to, from the root of the repository. */
  const targetOf = (page, path) => slashes(relative(root, resolve(root, dirname(page), path)));
  const linked = [...read(readme).matchAll(link)].map(([, , path]) => targetOf(readme, path));
  const pages = new Set(linked.filter((path) => path.startsWith('docs/') && path.endsWith('.md')));
  const placeOf = (path) => (path === readme ? 'README.md' : pages.has(path) ? path : undefined);
  const packed = (page) =>
    read(page).replaceAll(link, (_, label, path, anchor = '') => {
      const target = targetOf(page, path);
      const place = placeOf(target);
      if (place === undefined && !isPublic) return label;
      const address = place ? slashes(relative(dirname(placeOf(page)), place)) : `${online}/${target}`;
      return `[${label}](${address}${anchor})`;
    });
  return { readme, pages, packed };
}

/** Writes the pages of a package into the folder that is packed. */
export function writePackagePages(folder, to) {
  const { readme, pages, packed } = pagesOf(folder);
  for (const page of pages) {
    mkdirSync(dirname(join(to, page)), { recursive: true });
    writeFileSync(join(to, page), packed(page));
  }
  writeFileSync(join(to, 'README.md'), packed(readme));
}
