// What a command needs: the built program, a home of its own, and a server to talk to.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';

/** `close()` when done: Node 20 has no `await using` of its own. */
export async function world() {
  const home = mkdtempSync(join(tmpdir(), 'mkt-bench-'));
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  return {
    bin: fileURLToPath(new URL('../../packages/cli/dist/bin.cjs', import.meta.url)),
    url: server.url,
    token: demoTokens.ada_write,
    env: {
      ...process.env,
      HOME: home,
      MKT_TOKEN: demoTokens.ada_write,
      MKT_BASE_URL: server.url,
      MKT_ORG: '5',
    },
    async close() {
      await server.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
