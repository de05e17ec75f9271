// Every link within the built site leads to a file of it, and to an anchor that this file has.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const idsOf = (html) => new Set([...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id));

/** @returns {string[]} What is wrong, by page. */
export function brokenLinks(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const texts = new Map(pages.map((name) => [normalize(name), readFileSync(join(folder, name), 'utf8')]));
  return [...texts].flatMap(([name, html]) =>
    [...html.matchAll(/\b(?:href|src)="([^"]*)"/g)].flatMap(([, target]) => {
      if (/^(https?|mailto):/.test(target)) return [];
      const [path, anchor] = target.replaceAll('&amp;', '&').split('#', 2).map(decodeURIComponent);
      const to = path === '' ? name : normalize(join(dirname(name), path));
      if (!existsSync(join(folder, to))) return [`${name}: ${target} leads to nothing`];
      const ids = anchor === undefined || !texts.has(to) ? null : idsOf(texts.get(to));
      return ids && !ids.has(anchor) ? [`${name}: ${target} leads to no heading`] : [];
    }),
  );
}
