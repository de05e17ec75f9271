// Writes every generated file, or with `--check` says which are stale. A generator is a module in scripts/generators/ that
// exports `output` (a path from the root of the repository) and `generate()` (the file's text, or a promise of it).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const check = process.argv.includes('--check');

const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/** Formatted as the rest of the repository, so that the lint and the generator never disagree. Biome has no Markdown. */
function formatted(path, text) {
  if (!/\.(ts|tsx|mjs|js|json|css)$/.test(path)) return text;
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${path} does not parse, so its generator is wrong:\n${stderr}`);
  return stdout;
}

const stale = [];
for (const name of readdirSync('scripts/generators').sort()) {
  if (!name.endsWith('.mjs')) continue;
  const { output, generate } = await import(`./generators/${name}`);
  const text = formatted(output, await generate());
  if (existsSync(output) && readFileSync(output, 'utf8') === text) continue;
  stale.push(output);
  if (check) continue;
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, text);
  process.stdout.write(`wrote ${output}\n`);
}

if (check && stale.length > 0) {
  process.stderr.write(`Stale generated files: ${stale.join(', ')}. Run \`npm run generate\` and commit the result.\n`);
  process.exitCode = 1;
}
