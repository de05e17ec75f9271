// Other people's tools read docs/openapi.json without a warning, and generate clients from it that compile and work:
// `node tools/openapi/check.mjs`. What they need is installed on first use from this folder's own lockfile.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { fromSource } from '../../scripts/lib/from-source.mjs';
import { installOnce } from '../../scripts/lib/installed.mjs';
import { npm } from '../../scripts/lib/npm.mjs';

process.chdir(import.meta.dirname);
installOnce('.');
rmSync('generated', { recursive: true, force: true });
for (const name of ['redocly', 'spectral', 'types', 'client', 'compile']) {
  const { status, stdout, stderr } = npm(['run', '--silent', name], {});
  assert.equal(status, 0, `${name} failed:\n${stdout}${stderr}`);
}
console.log('Redocly and Spectral: no warning; openapi-typescript and hey-api: their output compiles');

const { demoSeed, demoTokens, memoryStore, serve, listCreatePublish } = await fromSource(
  ...['../../packages/server/src/index.ts', '../../packages/server/src/node/index.ts', 'client.ts'],
);
const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
const { listed, created, published } = await listCreatePublish(server.url, demoTokens.ada_write);
assert.deepEqual([listed > 0, created.status, published.status, published.id], [true, 'draft', 'active', created.id]);
console.log('A client made by them lists, creates and publishes');
await server.close();
