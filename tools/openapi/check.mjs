// Other people's tools judge docs/openapi.json and the server behind it: `node tools/openapi/check.mjs`, after a build.
// What they need is installed on first use from this folder's own lockfile.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../../scripts/lib/installed.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const description = join(folder, '../../docs/openapi.json');
const generated = join(folder, 'generated');
process.chdir(folder);

if (!existsSync('../../packages/server/dist/index.js')) {
  process.stderr.write('error: The server is not built, and it is judged too: `npm run build`, then try again.\n');
  process.exit(1);
}
installOnce('.');

/** Runs a program of this folder, and stops everything when it fails. */
function run(name, ...args) {
  const { status, stdout, stderr } = spawnSync(join('node_modules', '.bin', name), args, { encoding: 'utf8' });
  if (status === 0) return stdout + stderr;
  process.stderr.write(`${name} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  process.exit(1);
}
const say = (text) => process.stdout.write(`${text}\n`);

const linted = run('redocly', 'lint', description);
if (/\d+ warning/.test(linted)) throw new Error(`Redocly has warnings:\n${linted}`);
say('Redocly, recommended rules: no error, no warning');
run('spectral', 'lint', description, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint');
say('Spectral, spectral:oas: no result of any severity');

rmSync(generated, { recursive: true, force: true });
run('openapi-typescript', description, '-o', join(generated, 'types.d.ts'));
run('openapi-ts', '-i', description, '-o', join(generated, 'client'), '-c', '@hey-api/client-fetch');
run('tsc', '-p', '.');
say('openapi-typescript and hey-api: their output compiles, with a program that uses both');

const { prove } = await import('./prove.mjs');
const { requests, operations } = await prove(JSON.parse(readFileSync(description, 'utf8')));
say(`Prism as a validating proxy: no violation in ${requests} answers to ${operations} operations`);
say('The generated client lists, creates and publishes against the server');
