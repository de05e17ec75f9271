// Other people's tools judge docs/openapi.json and the server behind it: `node tools/openapi/check.mjs`, after a build.
// What they need is installed on first use from this folder's own lockfile.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';
import { demoSeed, demoTokens, memoryStore } from '../../packages/server/dist/index.js';
import { serve } from '../../packages/server/dist/node.js';
import { freePort } from '../../scripts/lib/free-port.mjs';
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

const port = await freePort();
const prism = spawn('node_modules/.bin/prism', ['proxy', description, server.url, '--port', port]);
await new Promise((ready, fail) => {
  prism.stdout.setEncoding('utf8').on('data', (text) => /listening/i.test(text) && ready());
  prism.once('exit', (code) => fail(new Error(`Prism ended with ${code} before it listened.`)));
});

let requests = 0;
/** Sends a request through Prism, which compares the response with the document. */
async function send(method, path, body, more = {}) {
  requests += 1;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      Accept: 'application/json',
      Authorization: `Bearer ${demoTokens.ada_write}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...more,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]').filter(
    ({ location }) => location[0] === 'response',
  );
  assert.deepEqual(violations, [], `${method} ${path} answered ${response.status}: ${JSON.stringify(violations)}`);
  await response.arrayBuffer();
  return response;
}

const { paths } = JSON.parse(readFileSync(description, 'utf8'));
const operations = Object.entries(paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
    method: method.toUpperCase(),
    pathWith: (id) =>
      template.replace(/\{(\w+)\}/g, (_, name) =>
        name === 'id' && id ? id : parameters.find((parameter) => parameter.name === name).example,
      ),
    body: requestBody?.content['application/json'].example,
  })),
);
// What deletes comes last: the others need what is there.
operations.sort((one, other) => (one.method === 'DELETE') - (other.method === 'DELETE'));
for (const { method, pathWith, body } of operations) {
  const path = pathWith();
  const response = await send(method, path, body);
  assert.ok(response.status < 400 || method === 'DELETE', `${method} ${path} answered ${response.status}`);
  const etag = response.headers.get('etag');
  if (etag && method === 'GET')
    assert.equal((await send(method, path, undefined, { 'If-None-Match': etag })).status, 304);
  assert.equal((await send(method, path, body, { Authorization: 'Bearer wrong' })).status, 401);
  if (path !== pathWith('999999')) await send(method, pathWith('999999'), body);
  if (body) await send(method, path, { wrong: {} });
}
assert.equal(
  (await send('POST', '/organizations/5/campaigns.json', { campaign: { name: '', cpm_amount: -1 } })).status,
  422,
);
assert.equal((await send('GET', '/organizations.json?page=0')).status, 400);
// Another user's.
assert.equal((await send('GET', '/organizations/6.json')).status, 404);
prism.kill();
await once(prism, 'exit');
await server.close();
console.log(`Prism as a validating proxy: no violation in ${requests} answers to ${operations.length} operations`);
