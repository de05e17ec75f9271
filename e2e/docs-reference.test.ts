import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './support/docs/blocks.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);

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

test('docs/reference/exit-codes.md lists the exit codes of mkt', () => {
  const promised = [...read('packages/cli/test/surface.txt').matchAll(/^exit (\d+)$/gm)].map(([, code]) => code);
  const listed = [...read('docs/reference/exit-codes.md').matchAll(/^\| `(\d+)` \|/gm)].map(([, code]) => code);
  expect(promised.length).toBeGreaterThan(5);
  expect(listed).toEqual(promised);
});
