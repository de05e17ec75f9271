// What a call to the mock costs compared with the same call without it. Both sides of a call are in this process, so its CPU time is the
// fair measure: neighbors on the machine do not count.
import { createMarketplaceMock } from '@mkt/mock-server';
import { demoSeed, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { cpuTime, figure, inTurns, parts } from '../lib/measure.mjs';

export const title = 'Calls';
export const sizes = { rounds: 9, milliseconds: 400 };

/** Calls in a second of CPU time, one after the other, as a test makes them. */
async function pace(call, span) {
  const before = cpuTime();
  const end = performance.now() + span;
  let calls = 0;
  while (performance.now() < end) {
    const response = await call();
    const body = await response.text();
    if (!response.ok || body === '') throw new Error(`The answer was ${response.status}.`);
    calls += 1;
  }
  return (calls * 1e6) / (cpuTime() - before);
}

export async function run({ rounds, milliseconds }) {
  const mock = createMarketplaceMock();
  const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };
  const list = `${mock.baseUrl}/organizations/5/campaigns.json`;
  const show = '/organizations/5/campaigns/3.json';
  const page = await (await mock.fetch(list, { headers })).json();
  /** A case whose calls MSW answers. */
  const withMsw =
    (...handlers) =>
    async () => {
      const server = setupServer(...handlers);
      server.listen();
      const reached = await pace(() => fetch(list, { headers }), milliseconds);
      server.close();
      return reached;
    };
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  const cases = {
    'list of 20: bare MSW handler': withMsw(http.get(list, () => HttpResponse.json(page))),
    'list of 20: mock through MSW': withMsw(...mock.handlers),
    'one item: real server over HTTP': () => pace(() => fetch(server.url + show, { headers }), milliseconds),
    'one item: mock.fetch': () => pace(() => mock.fetch(mock.baseUrl + show, { headers }), milliseconds),
  };
  const results = await inTurns(rounds, cases, (measure) => measure(), { warmUp: 1 });
  await server.close();

  const [bare, , overHttp] = Object.keys(cases);
  const row = (name, floor, atLeast) => ({
    cells: [name, figure(results[name], { digits: 0 }), figure(parts(results[name], results[floor]))],
    ...(atLeast && { goal: { of: 2, atLeast } }),
  });
  return {
    about: `Calls in a second of CPU time, one after the other, in one process. The bare handler returns a constant list and checks nothing; the mock has every rule
of the server on. The real server runs in the same process, as a test would start it.`,
    columns: ['what', 'calls per CPU-second', 'times the first'],
    rows: [
      row(bare, bare),
      row('list of 20: mock through MSW', bare, 0.85),
      row(overHttp, overHttp),
      row('one item: mock.fetch', overHttp, 5),
    ],
  };
}
