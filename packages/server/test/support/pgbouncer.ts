import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

/** Debian installs it where not every PATH looks. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

export const hasPgBouncer = spawnSync('pgbouncer', ['--version'], { env }).status === 0;

/** PgBouncer in transaction mode in front of a database. `settings` are further lines of its configuration. */
export async function startPgBouncer(
  database: string,
  ...settings: string[]
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const target = new URL(database);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'mkt-pgbouncer-'));
  // As root it runs as another user, who must read these.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'users.txt'), `"${target.username}" "${target.password}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${target.hostname} port=${target.port}`,
      '[pgbouncer]',
      'pool_mode = transaction',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${join(folder, 'users.txt')}`,
      'default_pool_size = 5',
      'max_client_conn = 200',
      ...settings,
    ].join('\n'),
  );
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const bouncer = spawn('pgbouncer', [...asOther, join(folder, 'pgbouncer.ini')], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await started(bouncer);
  const url = new URL(database);
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      const ended = once(bouncer, 'close');
      bouncer.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** Its log goes to stderr. */
function started(bouncer: ChildProcess): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    bouncer.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('process up')) resolve();
    });
    bouncer.on('error', reject);
    bouncer.on('close', (code) => reject(new Error(`PgBouncer ended with ${code}:\n${log}`)));
  });
}
