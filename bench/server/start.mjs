// From nothing to the first answer, and what memory a hundred thousand requests leave behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './child.mjs';
import { headers, load } from './load.mjs';
import { spread } from './statistics.mjs';

const bin = fileURLToPath(new URL('../../packages/server/dist/bin.js', import.meta.url));

/** Milliseconds until a fresh process has answered a list. */
async function firstAnswer() {
  const began = performance.now();
  const child = spawn(process.execPath, [bin, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(line).split('\n', 1)[0]);
  const response = await fetch(`${url}/organizations/5/campaigns.json`, { headers });
  await response.text();
  const span = performance.now() - began;
  child.kill();
  await once(child, 'exit');
  return span;
}

/** Milliseconds of a Node process that does nothing: what the machine makes of the same work now. */
async function emptyProcess() {
  const began = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - began;
}

export async function start({ rounds }) {
  const spans = [];
  const floors = [];
  await firstAnswer();
  for (let round = 0; round < rounds * 2; round += 1) {
    floors.push(await emptyProcess());
    spans.push(await firstAnswer());
  }
  const folder = await mkdtemp(join(tmpdir(), 'mkt-start-'));
  const memory = [];
  for (const db of [join(folder, 'start.db'), 'memory:']) {
    const server = await startServer('./our-server.mjs', [db]);
    for (const path of ['/organizations/5/campaigns.json', '/organizations/5/campaigns/1.json'])
      await load(server, { path }, { amount: 50_000 });
    const { rss } = await server.cost();
    memory.push(`${db === 'memory:' ? 'memory' : 'SQLite'} ${(rss / 1024 / 1024).toFixed(0)} MB`);
    await server.stop();
  }
  await rm(folder, { recursive: true });
  return `cold start to the first answer: ${spread(spans, 0)} ms, goal 300; node -e 0 in between: ${spread(floors, 0)} ms
resident memory after 100,000 requests: ${memory.join(', ')}; goal 120 MB`;
}
