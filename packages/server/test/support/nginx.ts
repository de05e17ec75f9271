import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from './free-port.js';

/** Debian installs it where not every PATH looks. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

export const hasNginx = spawnSync('nginx', ['-v'], { env }).status === 0;

/** nginx in front of servers at these ports of this machine, with the configuration in compose.yaml. */
export async function startNginx(
  ports: readonly number[],
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const { configs } = parse(await readFile(new URL('../../../../compose.yaml', import.meta.url), 'utf8'));
  const folder = await mkdtemp(join(tmpdir(), 'mkt-nginx-'));
  const port = await freePort();
  const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join('\n');
  const content = String(configs.nginx.content)
    .replaceAll('$$', '$')
    .replace(/resolver .*;/, '')
    .replace(/server server:4010 .*;/, servers)
    .replace('listen 80;', `listen 127.0.0.1:${port};`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    [
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      `daemon off;\nworker_processes auto;\npid ${join(folder, 'pid')};\nerror_log ${join(folder, 'errors')};`,
      'events { worker_connections 2048; }',
      `http {\naccess_log off;\n${temporary.join('\n')}\n${content}\n}`,
    ].join('\n'),
  );
  const proxy = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let tried = 0; !(await answers()); tried += 1) {
    if (tried > 100) throw new Error(`nginx does not answer: ${await readFile(join(folder, 'errors'), 'utf8')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    stop: async () => {
      const ended = once(proxy, 'close');
      proxy.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
