// What one call costs the program that makes it: CPU time of the client's process only, compared with raw fetch, ky and well-known clients.
//
// The way of measuring was chosen by trying. A round adds up many short turns, so that each contender meets the same moments, garbage
// collection included; each round has new processes, as no two warm up alike. 40 turns were too few on a busy machine: rounds in a row gave the
// SDK 0.92 and 1.31 of bare ky. Node optimizes the code of a call over thousands of calls: after 1,000 the next 500 took twice the CPU time of
// those 1,500 calls later (bare ky 775 and 372 microseconds, the SDK 768 and 388). With a shorter warm-up the ratios say which client V8
// happened to compile first.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { figure, parts, shuffled } from '../lib/measure.mjs';
import { client, contenders as clients } from './clients.mjs';
import { localServer } from './server.mjs';

export const title = 'CPU time of one call';
export const sizes = { rounds: 7, turns: 120, calls: 50, warmUp: 6000 };

const program = fileURLToPath(import.meta.url);

/** Helpers of the garbage collector that wait for a core use CPU time: on a busy machine more than the collection itself. */
const execArgv = ['--single-threaded-gc'];

/** Microseconds a call, by client. */
async function oneRound(url, { turns, calls, warmUp }) {
  const contenders = clients.map((name) => ({
    name,
    process: fork(program, [name, url, warmUp], { execArgv }),
    spent: 0,
  }));
  try {
    await Promise.all(contenders.map((contender) => once(contender.process, 'message')));
    for (let turn = 0; turn < turns; turn += 1)
      for (const contender of shuffled(contenders)) {
        contender.process.send(calls);
        const [microseconds] = await once(contender.process, 'message');
        contender.spent += microseconds / turns;
      }
  } finally {
    for (const contender of contenders) contender.process.kill();
  }
  return Object.fromEntries(contenders.map(({ name, spent }) => [name, spent]));
}

/** In the process of one client: answers each message with the CPU time of so many calls, in microseconds a call. */
async function contend(name, url, warmUp) {
  const { get } = await client(name, url);
  for (let index = 0; index < Number(warmUp); index++) await get();
  process.on('message', async (calls) => {
    const start = process.cpuUsage();
    for (let index = 0; index < calls; index++) await get();
    const { user, system } = process.cpuUsage(start);
    process.send((user + system) / calls);
  });
  process.send('ready');
}

export async function run({ rounds, ...amounts }) {
  // Says at once which package is absent.
  await Promise.all(clients.map((name) => client(name, 'http://127.0.0.1')));
  const server = await localServer();
  const results = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      process.stderr.write(`round ${round + 1} of ${rounds}\n`);
      results.push(await oneRound(server.url, amounts));
    }
  } finally {
    server.stop();
  }
  const of = (name) => results.map((result) => result[name]);
  const ours = of('@mkt/sdk');
  /** The SDK as a part of another client, and the goal for that. */
  const comparedWith = (name, atMost) => ({
    cells: [`@mkt/sdk compared with ${name}`, '', figure(parts(ours, of(name)))],
    goal: { of: 2, atMost },
  });
  return {
    about: `One resource of 0.8 kB, the example of the API document, is read over and over, one call after the other, with each client's defaults:
retries and timeouts on, the SDK's cache too (the response has no ETag). The SDK checks a response when something reads the result: with \`onDrift\`,
always. Microseconds of CPU time, user and system, of a process that has only this client; the server is another one. All clients of a round run in turns
of 50 calls, after the same number of calls that are not counted, in new processes each round. The garbage collector has one thread.`,
    columns: ['client', 'microseconds a call', 'part of bare ky'],
    rows: [
      ...clients.map((name) => ({
        cells: [name, figure(of(name), { digits: 0 }), figure(parts(of(name), of('bare ky')))],
      })),
      comparedWith('bare ky', 1.3),
      comparedWith('openai', 1.25),
    ],
  };
}

if (process.argv[1] === program) await contend(...process.argv.slice(2));
