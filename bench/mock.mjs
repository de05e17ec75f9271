// `npm run bench -- mock [--rounds N] [--milliseconds N]`: what the mock costs beside what there is without it. Every pair is
// measured in turns, in the same process and on the same machine: figures of one run may be compared, those of two may not.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { createMarketplaceMock } from '@mkt/mock-server';
import { demoSeed, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, milliseconds: { type: 'string', default: '400' } },
});
const rounds = Number(values.rounds);
const span = Number(values.milliseconds);

const median = (numbers) => [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];

/** Calls a second, one after the other, as a test makes them: by the clock, and by this process's own CPU time. */
async function pace(call) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  let calls = 0;
  while (performance.now() < started + span) {
    await call();
    calls += 1;
  }
  const { user, system } = process.cpuUsage(cpu);
  return { wall: (calls * 1000) / (performance.now() - started), cpu: (calls * 1e6) / (user + system) };
}

/** The median pace of each by `measure`, taken in turns. */
async function paces(measure, contenders) {
  const seen = contenders.map(() => []);
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const [place, { before, call, after }] of contenders.entries()) {
      before?.();
      const reached = await pace(call);
      if (round > 0) seen[place].push(reached[measure]);
      after?.();
    }
  }
  return seen.map(median);
}

const read = async (response) => {
  const body = await response.text();
  if (!response.ok || body === '') throw new Error(`answered ${response.status}`);
};

const mock = createMarketplaceMock();
const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };
const list = `${mock.baseUrl}/organizations/5/campaigns.json`;
const show = '/organizations/5/campaigns/3.json';
const lines = [];
const row = (what, figure, goal, met) => lines.push(`| ${what} | ${figure} | ${goal} | ${met ? 'yes' : 'NO'} |`);

// The catch-all against a bare handler that returns the same list, made in advance. Both sides are in this process, so CPU
// time is the fair measure: neighbours on the machine do not count.
const page = await (await mock.fetch(list, { headers })).json();
const ours = setupServer(...mock.handlers);
const bare = setupServer(http.get(list, () => HttpResponse.json(page)));
const call = async () => read(await fetch(list, { headers }));
const inServer = (server) => ({ before: () => server.listen(), call, after: () => server.close() });
const [oursPace, barePace] = await paces('cpu', [inServer(ours), inServer(bare)]);
const share = oursPace / barePace;
row(
  'A list through MSW, part of a bare handler with static data',
  `${share.toFixed(2)} (${Math.round(oursPace)} per CPU-second)`,
  '0.85',
  share >= 0.85,
);

// mock.fetch against the server in the same process, as a test starts it: what both sides of a call cost.
const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
const [direct, overHttp] = await paces('cpu', [
  { call: async () => read(await mock.fetch(mock.baseUrl + show, { headers })) },
  { call: async () => read(await fetch(server.url + show, { headers })) },
]);
await server.close();
const times = direct / overHttp;
row(
  'A show through mock.fetch, times real HTTP',
  `${times.toFixed(1)} (${Math.round(direct)} per CPU-second)`,
  '5',
  times >= 5,
);

// A new mock, until its data is there.
const made = [];
for (let turn = 0; turn < 30; turn++) {
  const started = performance.now();
  await createMarketplaceMock().ready;
  made.push(performance.now() - started);
}
row('A new mock with the demo seed, ms (median of 30)', median(made).toFixed(1), '25', median(made) < 25);

// The first mock of a process, when no code is warm yet: CPU time, in processes of their own.
const first = `const { createMarketplaceMock } = await import('@mkt/mock-server');
const before = process.cpuUsage();
await createMarketplaceMock().ready;
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);`;
const cold = Array.from({ length: 5 }, () =>
  Number(execFileSync(process.execPath, ['--input-type=module', '--eval', first], { encoding: 'utf8' })),
);
row('The first mock of a process, CPU ms (median of 5)', median(cold).toFixed(1), '25', median(cold) < 25);

process.stdout.write(`Node ${process.version}, ${rounds} rounds of ${span} ms, in turns\n\n`);
process.stdout.write(`| What | Measured | Goal | Met |\n|---|---|---|---|\n${lines.join('\n')}\n`);
