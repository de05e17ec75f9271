// The scripts `prepack` and `postpack` of each package, in its folder. npm always packs README.md itself, so it has the links of the
// package while npm packs, and is put back afterwards.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packedReadme } from './lib/package-pages.mjs';

const scripts = dirname(fileURLToPath(import.meta.url));
const folder = basename(process.cwd());
const saved = join(scripts, `../node_modules/.cache/mkt-pack/${folder}.md`);

/** By renaming, so that README.md is complete at any time. */
function writeReadme(text) {
  writeFileSync('README.md.next', text);
  renameSync('README.md.next', 'README.md');
}

if (process.env.npm_lifecycle_event === 'prepack') {
  execFileSync(process.execPath, [join(scripts, 'build.mjs'), folder], { stdio: 'inherit' });
  if (existsSync(saved))
    throw new Error(
      `${folder} is being packed. If that was interrupted: git checkout packages/${folder}/README.md, and delete ${saved}.`,
    );
  mkdirSync(dirname(saved), { recursive: true });
  copyFileSync('README.md', saved);
  writeReadme(packedReadme(folder));
} else {
  writeReadme(readFileSync(saved));
  rmSync(saved);
}
