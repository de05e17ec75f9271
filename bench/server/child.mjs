// A server in its own process, which reports what it costs; no server has code for that.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/lib/free-port.mjs';

const cost = new URL('./cost.mjs', import.meta.url).href;

/** Waits until something answers there, whatever it answers. */
async function answers(url, child, from) {
  for (const deadline = performance.now() + 60_000; ; ) {
    try {
      await (await fetch(url)).text();
      return;
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`${from} ended with ${child.exitCode} before it answered.`);
      if (performance.now() > deadline) throw new Error(`${from} does not answer at ${url}.`, { cause: error });
      await pause(50);
    }
  }
}

/**
 * Starts a server and waits for its first answer.
 * @param {string} file The program, a path or relative to this file.
 * @param {(port: number) => string[]} argumentsFor Its arguments, given the port to listen on at 127.0.0.1.
 */
export async function startServer(file, argumentsFor) {
  const program = file.startsWith('.') ? fileURLToPath(new URL(file, import.meta.url)) : file;
  const port = await freePort();
  const child = fork(program, argumentsFor(port), {
    execArgv: ['--import', cost],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // A run that fails leaves nothing behind.
  const abandon = () => child.kill('SIGKILL');
  process.once('exit', abandon);
  const url = `http://127.0.0.1:${port}`;
  await answers(url, child, file);
  return {
    url,
    async cost() {
      child.send('cost');
      const [message] = await once(child, 'message');
      return message;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.kill();
      const ended = await Promise.race([gone, pause(15_000, undefined, { ref: false })]);
      if (!ended) child.kill('SIGKILL');
      await gone;
      process.off('exit', abandon);
    },
  };
}
