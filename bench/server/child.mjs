// A server in a process of its own, which tells what it costs.
import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Asks a child made by `report()` for its CPU seconds and memory. */
async function ask(child) {
  const answer = once(child, 'message');
  child.send('cost');
  const [cost] = await answer;
  return cost;
}

/**
 * @param {string} file A module that calls `report(url)` once it serves.
 * @param {string[]} [args] Its arguments.
 * @param {string[]} [execArgv] Flags of Node, such as `--cpu-prof`.
 */
export async function startServer(file, args = [], execArgv = []) {
  const child = fork(new URL(file, import.meta.url), args, {
    execArgv,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ url }] = await once(child, 'message');
  return {
    url,
    cost: () => ask(child),
    async stop() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}

/** In the child: says where it serves, answers for its cost, ends when asked. */
export function report(url, close) {
  process.on('message', async (message) => {
    if (message === 'cost') {
      const { user, system } = process.cpuUsage();
      process.send({ cpuSeconds: (user + system) / 1e6, rss: process.memoryUsage.rss() });
    }
    if (message === 'stop') {
      await close();
      process.disconnect();
    }
  });
  process.send({ url });
}
