import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from './support/docs/blocks.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-links-'));
  execFileSync('git', ['init', '--quiet', folder]);
  mkdirSync(join(folder, 'docs'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The link check of `npm run check` over a repository of these files. */
function check(files: Readonly<Record<string, string>>): { readonly code: number | null; readonly faults: string[] } {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const script = join(root, 'scripts/checks/links.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
  return { code: status, faults: stderr.split('\n').filter(Boolean) };
}

test('links to files, folders, headings as a code host names them, and other sites are right', () => {
  const page = [
    '# One & two, `three`',
    '## Again',
    '## Again',
    '[a](#one--two-three) [b](#again-1) [c](docs/) [d](docs/other.md#täg-1-x) <https://example.com>',
    '[e](https://example.com/x) `[no](nowhere.md)`',
    '```md',
    '[no](nowhere.md)',
    '```',
    '![picture](docs/p.svg) <img src="docs/p.svg" alt=""> [f][ref]',
    '',
    '[ref]: docs/other.md',
  ].join('\n');
  const files = { 'README.md': page, 'docs/other.md': '# Täg 1: x\n', 'docs/p.svg': '<svg/>' };
  expect(check(files)).toEqual({ code: 0, faults: [] });
});

test.each([
  ['a file that is not there', '[x](docs/missing.md)', 'leads to docs/missing.md, which is not there'],
  ['a picture that is not there', '<img src="p.png">', 'leads to p.png, which is not there'],
  [
    'a heading that is not there',
    '[x](docs/other.md#second)',
    'leads to a heading #second that docs/other.md does not have',
  ],
  [
    'a heading of its own that is not there',
    '[x](#nothing)',
    'leads to a heading #nothing that README.md does not have',
  ],
  ['a way out of the repository', '[x](../elsewhere.md)', 'leads out of the repository'],
  ['an address without TLS', '[x](http://example.com)', 'is not https'],
  ['no address', '[x](https://)', 'is no address'],
  ['an empty link', '[x]()', 'is empty'],
])('%s is a fault, with its line', (_what, link, why) => {
  const { code, faults } = check({ 'README.md': `# One\n\n${link}\n`, 'docs/other.md': '# First\n' });
  expect(code).toBe(1);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/^README\.md:3: /);
  expect(faults[0]).toContain(why);
});
