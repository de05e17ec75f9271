import { HttpError } from '@mkt/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../packages/server/test/support/long.js';
import { chaosEnvironment } from './support/chaos-environment.js';
import {
  cutRequest,
  cutResponse,
  delayResponse,
  dropResponse,
  gatewayError,
  type NetworkFault,
  neverRespond,
  passThrough,
  resetOnConnect,
} from './support/network-faults.js';
import { outcomeOf } from './support/outcome.js';

/** What a bad afternoon does to connections; most of them are well. */
const weather: fc.Arbitrary<NetworkFault> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(passThrough) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 300 }).map(delayResponse) },
  { weight: 1, arbitrary: fc.constantFrom(neverRespond, dropResponse, resetOnConnect) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(2000), fc.constantFrom('reset' as const, 'end' as const, 'stall' as const))
      .map((cut) => cutResponse(...cut)),
  },
  { weight: 1, arbitrary: fc.nat(600).map(cutRequest) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(500, 502, 503).map((status) => gatewayError(status, { 'Retry-After': '0' })),
  },
);

/** A user's afternoon. Creations have names of their own, so that each can be counted. */
const steps = ['create', 'create', 'show', 'list', 'rename', 'publish', 'delete', 'account', 'address'] as const;

const calls = isLong ? 2000 : 60;
/** Long enough for a busy machine to answer what the weather lets through. */
const options = { timeout: 1000, totalTimeout: 6000, retry: { limit: 3, minDelay: 5 } };

test('every call of a storm ends in time with a typed outcome, and each write happens once or not at all', async () => {
  const seed = Number(process.env.CHAOS_SEED ?? 20_260_105);
  const environment = await chaosEnvironment();
  const proxy = await environment.proxy();
  const faults = fc.sample(weather, { seed, numRuns: 20 * calls });
  const plan = fc.sample(fc.tuple(fc.constantFrom(...steps), fc.integer({ min: 1, max: 45 })), {
    seed,
    numRuns: calls,
  });
  proxy.plan((connection) => faults[connection % faults.length] ?? passThrough);
  const mkt = environment.client(proxy, options);

  const acknowledged: string[] = [];
  const tally: Record<string, number> = {};
  const play = async (step: (typeof steps)[number], id: number, index: number): Promise<void> => {
    const name = `storm ${index}`;
    const url = `https://www.tiktok.com/@storm${index}`;
    const call = {
      create: () => mkt.campaigns.create(5, { name }),
      show: () => mkt.campaigns.get(5, id),
      list: () => mkt.campaigns.list(5).all(),
      rename: () => mkt.campaigns.update(5, id, { website: 'https://renamed.example' }),
      publish: () => mkt.campaigns.publish(5, id),
      delete: () => mkt.campaigns.delete(5, id),
      account: () => mkt.socialAccounts.create({ platform_id: 'tiktok', account_url: url }),
      address: () => mkt.address.update({ city: name }),
    }[step];
    // A walk has three pages and a web action two calls, each with a total time of its own.
    const outcome = await outcomeOf<unknown>(call(), 3 * options.totalTimeout);
    const what = outcome.error?.name ?? 'success';
    tally[what] = (tally[what] ?? 0) + 1;
    if (outcome.error === undefined && step === 'create') acknowledged.push(name);
    if (outcome.error === undefined && step === 'account') acknowledged.push(url);
    if (outcome.error instanceof HttpError) expect([404, 422, 500, 502, 503]).toContain(outcome.error.status);
  };
  const waiting = [...plan.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await play(next[1][0], next[1][1], next[0]);
  };
  await Promise.all(Array.from({ length: 8 }, worker));

  const { campaigns, social_accounts } = (await environment.dump()).tables;
  const made = [...campaigns.map(({ name }) => name), ...social_accounts.map(({ account_url }) => account_url)];
  const stormy = made.filter((name) => name.includes('storm'));
  expect(stormy.length, 'nothing was made twice').toBe(new Set(stormy).size);
  for (const name of acknowledged) expect(stormy, 'what was acknowledged is there').toContain(name);
  // The storm was one, and the calls got through it.
  expect(tally.success ?? 0).toBeGreaterThan(calls / 4);
  expect(Object.keys(tally).length).toBeGreaterThan(2);
}, 600_000);
