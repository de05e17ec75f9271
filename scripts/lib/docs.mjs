// The pages of the documentation, in the order of its index, docs/README.md.
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

export const index = 'docs/README.md';

/** @typedef {{ title: string, path: string, about: string }} Page `path` from the root of the repository, `about` without links. */

const item = /^- \[([^\]]+)\]\(([^)#]+\.md)\): (.+)$/;

/**
 * Sections of the index with the pages that they list.
 * @returns {{ title: string, pages: Page[] }[]}
 */
export function sections() {
  const parts = readFileSync(index, 'utf8').split(/^## /m).slice(1);
  const found = parts.map((part) => ({
    title: part.slice(0, part.indexOf('\n')),
    pages: part.split('\n').flatMap((line) => {
      const [, title, target, about] = item.exec(line) ?? [];
      const path = target && normalize(join('docs', target)).replaceAll('\\', '/');
      return target ? [{ title, path, about: about.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1') }] : [];
    }),
  }));
  return found.filter(({ pages }) => pages.length > 0);
}

/**
 * Checks that the index lists every page of docs/.
 * @throws Error with those that it lacks
 */
export function checkIndex() {
  const listed = new Set(sections().flatMap(({ pages }) => pages.map(({ path }) => path)));
  const missing = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && path !== index && !listed.has(path));
  if (missing.length > 0) throw new Error(`${index} does not list ${missing.join(', ')}.`);
}
