// Packs packages for npm: `pack.mjs FOLDER [PACKAGE ...]` writes what each package publishes into FOLDER/PACKAGE and its tarball into
// FOLDER, and prints what `npm pack --json` does. The packages' own folders only give: an interrupted run changes nothing in them.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { npm } from './lib/npm.mjs';
import { writePackagePages } from './lib/package-pages.mjs';

const [destination, ...named] = process.argv.slice(2);
if (destination === undefined) {
  // The script `prepack` of each package leads here.
  process.stderr.write(
    'error: Packages are packed from a folder of their own. In the root folder: node scripts/pack.mjs FOLDER\n',
  );
  process.exit(2);
}
const folder = resolve(destination);
process.chdir(join(import.meta.dirname, '..'));
const names = named.length > 0 ? named : readdirSync('packages');

/** Writes what a package publishes. Its scripts are for this repository, and so is the place where it is packed. */
function writePackage(name, to) {
  const from = join('packages', name);
  const { scripts, publishConfig, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const { directory, ...config } = publishConfig;
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  // Except its pages, whose links differ.
  const files = manifest.files.filter((file) => !['README.md', 'docs'].includes(file) && existsSync(join(from, file)));
  for (const file of files) cpSync(join(from, file), join(to, file), { recursive: true });
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ ...manifest, publishConfig: config }, null, 2)}\n`);
  writePackagePages(name, to);
  for (const file of readdirSync(to, { recursive: true }).map((path) => join(to, path)))
    chmodSync(file, statSync(file).mode & 0o100 ? 0o755 : 0o644);
}

execFileSync(process.execPath, ['scripts/build.mjs', ...names], { stdio: ['ignore', 2, 'inherit'] });
const folders = names.map((name) => join(folder, name));
for (const [index, name] of names.entries()) writePackage(name, folders[index]);
const { status, stdout } = npm(['pack', '--json', '--pack-destination', folder, ...folders], {
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 64 * 1024 * 1024,
});
process.stdout.write(stdout);
process.exitCode = status ?? 1;
