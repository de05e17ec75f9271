// Other people's tools read docs/openapi.json and generate clients from it: `node tools/openapi/check.mjs`, after a build.
// What they need is installed on first use from this folder's own lockfile.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { demoSeed, demoTokens, memoryStore } from '../../packages/server/dist/index.js';
import { serve } from '../../packages/server/dist/node.js';
import { installOnce } from '../../scripts/lib/installed.mjs';

process.chdir(import.meta.dirname);
installOnce('.');

const description = '../../docs/openapi.json';

/** Runs a program of this folder, and stops everything when it fails. */
function run(name, ...args) {
  const { status, stdout, stderr } = spawnSync(`node_modules/.bin/${name}`, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${name} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout + stderr;
}

assert.doesNotMatch(run('redocly', 'lint', description), /\d+ warning/);
console.log('Redocly, recommended rules: no error, no warning');
run('spectral', 'lint', description, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint');
console.log('Spectral, spectral:oas: no result of any severity');

rmSync('generated', { recursive: true, force: true });
run('openapi-typescript', description, '-o', 'generated/types.d.ts');
run('openapi-ts', '-i', description, '-o', 'generated/client', '-c', '@hey-api/client-fetch');
run('tsc', '-p', '.');
const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
await build({
  entryPoints: ['client.ts'],
  absWorkingDir: import.meta.dirname,
  bundle: true,
  format: 'esm',
  outfile: 'generated/client.mjs',
});
const { listCreatePublish } = await import('./generated/client.mjs');
const { listed, created, published } = await listCreatePublish(server.url, demoTokens.ada_write);
assert.deepEqual([listed > 0, created.status, published.status, published.id], [true, 'draft', 'active', created.id]);
console.log('openapi-typescript and hey-api: their output compiles, and lists, creates and publishes');

await server.close();
