// What a call to the mock costs compared with the same call without it. Both sides of a call are in this process, so its CPU time is the
// fair measure: neighbors on the machine do not count.
import { createMarketplaceMock } from '@mkt/mock-server';
import { demoSeed, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { figure, inTurns, parts } from '../lib/measure.mjs';

export const title = 'Calls';
export const sizes = { rounds: 9, milliseconds: 400 };
export const quickSizes = { rounds: 1, milliseconds: 50 };

/** Calls in a second of CPU time, one after the other, as a test makes them. */
async function pace(call, span) {
  const cpu = process.cpuUsage();
  const end = performance.now() + span;
  let calls = 0;
  while (performance.now() < end) {
    const response = await call();
    const body = await response.text();
    if (!response.ok || body === '') throw new Error(`The answer was ${response.status}.`);
    calls += 1;
  }
  const { user, system } = process.cpuUsage(cpu);
  return (calls * 1e6) / (user + system);
}

export async function run({ rounds, milliseconds }) {
  const mock = createMarketplaceMock();
  const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };
  const list = `${mock.baseUrl}/organizations/5/campaigns.json`;
  const show = '/organizations/5/campaigns/3.json';
  const page = await (await mock.fetch(list, { headers })).json();
  const listed = () => fetch(list, { headers });
  const withMsw = (...handlers) => {
    const server = setupServer(...handlers);
    return { before: () => server.listen(), call: listed, after: () => server.close() };
  };
  const measure = async ({ before, call, after }) => {
    before?.();
    const reached = await pace(call, milliseconds);
    after?.();
    return reached;
  };
  const lists = await inTurns(
    rounds,
    {
      'bare MSW handler': withMsw(http.get(list, () => HttpResponse.json(page))),
      'mock through MSW': withMsw(...mock.handlers),
    },
    measure,
    { warmUp: 1 },
  );
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  const shows = await inTurns(
    rounds,
    {
      'real server over HTTP': { call: () => fetch(server.url + show, { headers }) },
      'mock.fetch': { call: () => mock.fetch(mock.baseUrl + show, { headers }) },
    },
    measure,
    { warmUp: 1 },
  );
  await server.close();

  const rowsOf = (results, what, floor, goals) =>
    Object.entries(results).map(([name, paces]) => ({
      cells: [`${what}: ${name}`, figure(paces, { digits: 0 }), figure(parts(paces, results[floor]))],
      ...(goals[name] && { goal: { of: 2, atLeast: goals[name] } }),
    }));
  return {
    about: `Calls in a second of CPU time, one after the other, in one process. The bare handler returns a constant list and checks nothing; the mock has every rule
of the server on. The real server runs in the same process, as a test would start it.`,
    columns: ['what', 'calls per CPU-second', 'times the first'],
    rows: [
      ...rowsOf(lists, 'list of 20', 'bare MSW handler', { 'mock through MSW': 0.85 }),
      ...rowsOf(shows, 'one item', 'real server over HTTP', { 'mock.fetch': 5 }),
    ],
  };
}
