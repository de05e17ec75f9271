// Every link of every Markdown file leads somewhere: files and anchors are there, addresses elsewhere are well formed. Nothing
// is requested: whether another site is up is no question for a check of this repository.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { anchorsOf, linksOf } from '../lib/markdown.mjs';

const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md', 'docs/llms.txt'], {
  encoding: 'utf8',
});
if (listed.status !== 0) {
  process.stderr.write(
    `error: Which files are to be checked, git knows, and it failed: ${listed.error?.message ?? listed.stderr.trim()}\n`,
  );
  process.exit(1);
}
const files = listed.stdout
  .split('\n')
  .filter((path) => path !== '' && existsSync(path))
  // Written by changesets from their notes.
  .filter((path) => !/^\.changeset\/|(^|\/)CHANGELOG\.md$/.test(path));

const anchors = new Map();
const anchorsIn = (path) => {
  if (!anchors.has(path)) anchors.set(path, anchorsOf(readFileSync(path, 'utf8')));
  return anchors.get(path);
};

/** Why a link leads nowhere; undefined where it leads somewhere. */
function fault(from, target) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    if (target.startsWith('mailto:')) return undefined;
    if (!URL.canParse(target)) return 'is no address';
    const { protocol, hostname } = new URL(target);
    if (protocol === 'https:') return hostname.includes('.') ? undefined : 'names no host';
    return protocol === 'http:' && /^(127\.0\.0\.1|localhost)$/.test(hostname) ? undefined : 'is not https';
  }
  if (target === '') return 'is empty';
  if (target.startsWith('/')) return 'begins with a slash: code hosts and the site read that differently';
  const [path, anchor] = target.split('#', 2).map(decodeURIComponent);
  const to = path === '' ? from : normalize(join(dirname(from), path)).replaceAll('\\', '/');
  if (to.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(to)) return `leads to ${to}, which is not there`;
  if (anchor === undefined) return undefined;
  if (statSync(to).isDirectory()) return `has an anchor, but ${to} is a folder`;
  if (!to.endsWith('.md')) return undefined;
  return anchorsIn(to).has(anchor) ? undefined : `leads to a heading #${anchor} that ${to} does not have`;
}

const faults = files.flatMap((path) =>
  linksOf(readFileSync(path, 'utf8')).flatMap(({ target, line }) => {
    const why = fault(path, target);
    return why ? [`${path}:${line}: ${target} ${why}`] : [];
  }),
);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
}
