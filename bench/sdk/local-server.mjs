import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the server that all clients talk to, in a process of its own. */
export async function localServer() {
  const child = fork(fileURLToPath(new URL('./server.mjs', import.meta.url)));
  const [{ port }] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    /** How many requests it has had, and how many 304s it gave. */
    async counts() {
      child.send('counts');
      return (await once(child, 'message'))[0];
    },
    stop: () => child.kill(),
  };
}
