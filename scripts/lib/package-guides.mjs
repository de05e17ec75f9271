// Copies the pages about the SDK into its package: `node_modules/@mkt/sdk/docs` has them then. Links to
// what is not in the package become text.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const pages = ['guides/sdk.md', 'guides/stacks.md', 'reference/endpoints.md', 'reference/errors.md'];
const target = join(root, 'packages/sdk/docs');

/** Where a file of the repository is in the package; undefined if it is not. */
function inPackage(path) {
  const page = relative(join(root, 'docs'), path);
  if (pages.includes(page)) return join(target, page);
  const file = relative(join(root, 'packages/sdk'), path);
  return file === 'README.md' ? path : undefined;
}

export function packageGuides() {
  rmSync(target, { recursive: true, force: true });
  for (const page of pages) {
    const from = join(root, 'docs', page);
    const to = join(target, page);
    const text = readFileSync(from, 'utf8').replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, label, address) => {
      const [path, anchor] = address.split('#');
      if (/^[a-z]+:/.test(address) || path === '') return link;
      const there = inPackage(resolve(dirname(from), path));
      if (!there || !(existsSync(there) || there.startsWith(target))) return label;
      return `[${label}](${relative(dirname(to), there)}${anchor ? `#${anchor}` : ''})`;
    });
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}
