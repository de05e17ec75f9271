// Writes every generated file, or with `--check` says which are stale. A generator is a module in scripts/generators/ that
// exports `output` (a path from the root of the repository) and `generate()` (the file's text or its lines, or a promise of them). One that
// reads what others write exports `readsOutputs` and runs after them. Names on the command line choose among them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const check = process.argv.includes('--check');
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

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

const names = readdirSync('scripts/generators')
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => name.slice(0, -'.mjs'.length));
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`error: There is no generator ${unknown.join(', ')}. There are: ${names.join(', ')}.\n`);
  process.exit(2);
}
const generators = await Promise.all(
  (chosen.length > 0 ? chosen : names.sort()).map((name) => import(`./generators/${name}.mjs`)),
);
const later = ({ readsOutputs = false }) => Number(readsOutputs);

async function made({ output, generate }) {
  try {
    const text = await generate();
    return formatted(output, Array.isArray(text) ? `${text.join('\n').trimEnd()}\n` : text);
  } catch (cause) {
    throw new Error(`${output} cannot be made.`, { cause });
  }
}

const stale = [];
for (const generator of generators.sort((one, other) => later(one) - later(other))) {
  const { output } = generator;
  const text = await made(generator);
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
