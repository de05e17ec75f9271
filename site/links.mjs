// Links of the repository as links of the site.
import { existsSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path/posix';
import { addresses } from './pages.mjs';

/** Files that pages show or offer, and that stand in the site as they are. */
const isAsset = (path) => /\.(webp|png|jpe?g|svg|gif)$/.test(path) || path === 'docs/openapi.json';
const assetAddress = (path) => path.replace(/^docs\//, '').replaceAll('/docs/', '/');

export const between = (from, to) => relative(dirname(from), to) || '.';

/**
 * Where a link of a Markdown file leads in the site.
 * @param {string} path The Markdown file, from the root of the repository.
 * @param {string} target The link as it is written.
 * @param {{ repository: string | null, assets: Set<string> }} site Takes in the files that it needs.
 * @returns {string | null} null where the site has nothing to lead to
 */
export function linkInSite(path, target, { repository, assets }) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('#')) return target;
  const [file, anchor] = target.split('#', 2);
  const to = normalize(join(dirname(path), file)).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const here = addresses.get(path);
  const page = addresses.get(to) ?? addresses.get(`${to}/README.md`);
  if (page) return `${between(here, page)}${hash}`;
  if (/^docs\/llms(-full)?\.txt$/.test(to)) return between(here, to.replace(/^docs\//, ''));
  if (isAsset(to) && existsSync(to)) {
    assets.add(to);
    return between(here, assetAddress(to));
  }
  return repository === null ? null : `${repository}/blob/main/${to}${hash}`;
}

/** Where a file stands in the site that `linkInSite` took in. */
export { assetAddress };
