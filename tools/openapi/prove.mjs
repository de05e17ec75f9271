// Real traffic: every operation of the document through Prism, which compares each answer with it; and the generated client.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { demoSeed, demoTokens, memoryStore } from '../../packages/server/dist/index.js';
import { serve } from '../../packages/server/dist/node.js';
import { freePort } from '../../scripts/lib/free-port.mjs';

const token = demoTokens.ada_write;
const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };

/** Ids of the demo data that a path's parameters stand for. */
const ids = { campaigns: 4, collabs: 4, organizations: 5, members: 'mem_5_cleo', social_accounts: 1, access_tokens: 6 };
const bodies = {
  'accessTokens.create': { access_token: { description: 'proof', permission: 'read' } },
  'organizations.create': { organization: { name: 'Proof' } },
  'organizations.update': { organization: { website: 'https://acme.example' } },
  'members.update': { membership: { role: 'member' } },
  'campaigns.create': { campaign: { name: 'Proof' } },
  'campaigns.update': { campaign: { name: 'Proof again' } },
  'collabs.create': { collab: { name: 'Proof' } },
  'collabs.update': { collab: { name: 'Proof again' } },
  'socialAccounts.create': { social_account: { platform_id: 'tiktok', account_url: 'https://www.tiktok.com/@proof' } },
  'address.update': { address: { city: 'Cupertino' } },
};

async function prism(upstream) {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      join('node_modules', '@stoplight/prism-cli/dist/index.js'),
      'proxy',
      '../../docs/openapi.json',
      upstream,
      '--port',
      port,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => /listening/i.test(text) && resolve());
    child.once('exit', (code) => reject(new Error(`Prism ended with ${code} before it listened.`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** @throws when an answer is not as the document says. */
async function send(url, method, path, body, more = {}) {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }), ...more },
    ...(body && { body: JSON.stringify(body) }),
  });
  const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]').filter(
    ({ location }) => location[0] === 'response',
  );
  assert.deepEqual(violations, [], `${method} ${path} answered ${response.status}: ${JSON.stringify(violations)}`);
  await response.arrayBuffer();
  return response;
}

/** Runs every operation of the document, and what refuses it. */
export async function prove(document) {
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  const proxy = await prism(server.url);
  let requests = 0;
  let operations = 0;
  const sent = async (...request) => {
    requests += 1;
    return send(proxy.url, ...request);
  };
  try {
    const invalid = { campaign: { name: '', cpm_amount: -1, countries: ['XX'] } };
    assert.equal((await sent('POST', '/organizations/5/campaigns.json', invalid)).status, 422);
    assert.equal((await sent('GET', '/organizations.json?page=0')).status, 400);

    const bundle = await build({
      entryPoints: ['client.ts'],
      bundle: true,
      write: false,
      format: 'esm',
      logLevel: 'error',
    });
    const source = Buffer.from(bundle.outputFiles[0].contents).toString('base64');
    const { listCreatePublish } = await import(`data:text/javascript;base64,${source}`);
    const { listed, created, published } = await listCreatePublish(server.url, token);
    assert.ok(listed > 0);
    assert.deepEqual([created.status, published.status], ['draft', 'active']);
    assert.equal(published.id, created.id);
    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
    );
    // What deletes comes last, the organization after all that it holds: the others need what is there.
    const last = ({ operationId, method }) =>
      operationId === 'organizations.delete' ? 2 : method === 'DELETE' ? 1 : 0;
    all.sort((left, right) => last(left) - last(right));
    for (const { path, method, operationId } of all) {
      operations += 1;
      const resource = /(\w+)\/\{id\}/.exec(path)?.[1] ?? '';
      const actual = path.replace('{organization_id}', '5').replace('{id}', ids[resource]);
      const body = bodies[operationId];
      const response = await sent(method, actual, body);
      assert.ok(response.status < 400 || method === 'DELETE', `${operationId} answered ${response.status}`);
      const etag = response.headers.get('etag');
      if (etag && method === 'GET')
        assert.equal((await sent(method, actual, undefined, { 'If-None-Match': etag })).status, 304);
      assert.equal((await sent(method, actual, body, { Authorization: 'Bearer wrong' })).status, 401);
      if (path.includes('{id}')) await sent(method, actual.replace(`${ids[resource]}`, '999999'), body);
      if (body)
        assert.equal((await sent(method, actual, { wrong: {} })).status >= 400, operationId !== 'collabs.create');
    }
    // What others have.
    assert.equal((await sent('GET', '/organizations/6.json')).status, 404);

    return { requests, operations };
  } finally {
    await proxy.stop();
    await server.close();
  }
}
