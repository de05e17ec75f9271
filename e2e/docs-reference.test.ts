import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './support/docs/blocks.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);

test.each(readdirSync(join(root, 'docs/guides')))(
  'docs/guides/%s begins with what it is for, and a command',
  (name) => {
    const [, title = '', opening = ''] = /^# (.+)\n\n([\s\S]*?)(?=\n## |\n\|)/.exec(read(`docs/guides/${name}`)) ?? [];
    expect(title).not.toBe('');
    expect(opening).toMatch(/^[A-Za-z][^|]{40}/);
    expect(opening).toMatch(/(`|^```sh\n)(mkt|npm|docker compose) \w/m);
  },
);

test('docs/dependencies.md gives a reason for every dependency, and for nothing else', () => {
  const used = ['.', ...packages].flatMap((folder) => {
    const manifest = JSON.parse(read(`${folder}/package.json`));
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
    return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
  });
  const listed = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
  expect([...new Set(listed)].sort()).toEqual([...new Set(used)].filter((name) => !name.startsWith('@mkt/')).sort());
});

test('docs/reference/environment.md describes every variable that the source reads', () => {
  const source = packages.flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => read(`${folder}/src/${path}`).match(/\bMKT_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []),
  );
  const described = read('docs/reference/environment.md').match(/(?<=`)MKT_[A-Z_]+(?=`)/g) ?? [];
  expect([...new Set(described)].sort()).toEqual([...new Set(source)].sort());
});

test('docs/reference/errors.md has the comment of every error class of the SDK', () => {
  const classes = [
    ...read('packages/sdk/src/errors.ts').matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport class (\w+) extends (\w+)/g,
    ),
  ].map(([, comment = '', name, parent]) => [name, parent, comment.replace(/\s*\n \*\s*/g, ' ').trim()]);
  const listed = read('docs/reference/errors.md').matchAll(/^\| `(\w+)` \| `(\w+)` \| (.*) \| .*\|$/gm);
  expect([...listed].map(([, ...row]) => row)).toEqual(classes);
});
