// Each path in .dependency-cruiser.cjs matches something: a rule about files that were renamed or deleted forbids nothing.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');

const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
const files = stdout.split('\n');
const packages = files
  .filter((path) => /(^|\/)package\.json$/.test(path))
  .flatMap((path) => {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(path));
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies });
  })
  .flatMap((name) => [name, `${name}/index.js`, `node_modules/${name}`, `node_modules/${name}/index.js`]);
const importable = [...files, ...packages, ...builtinModules.flatMap((name) => [name, `node:${name}`])];

/** Each alternative by itself: `(a|b)/` is `a/` and `b/`. */
function alternatives(pattern) {
  const group = /\((?!\?)([^()]*)\)/.exec(pattern);
  if (!group) return [pattern];
  const [before, after] = [pattern.slice(0, group.index), pattern.slice(group.index + group[0].length)];
  return group[1].split('|').flatMap((one) => alternatives(`${before}(?:${one})${after}`));
}

const found = forbidden.flatMap(({ name, from, to }) =>
  [from.path, from.pathNot, to.path, to.pathNot]
    .flat()
    .filter((pattern) => pattern !== undefined)
    // `$1` is what a group of `from` matched.
    .flatMap((pattern) => alternatives(pattern.replace('$1', '.+')))
    .filter((pattern) => !importable.some((path) => new RegExp(pattern).test(path)))
    .map((pattern) => `.dependency-cruiser.cjs: nothing is called ${pattern} (rule ${name})`),
);
if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\n`);
  process.exitCode = 1;
}
