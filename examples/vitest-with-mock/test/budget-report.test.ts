import { createMarketplaceMock } from '@mkt/mock-server/fetch';
import { Marketplace, ServerError } from '@mkt/sdk';
import { afterEach, expect, test } from 'vitest';
import { budgetReport } from '../src/budget-report.js';

// If your code takes a client, MSW is not needed: pass the mock's fetch to the client.
const mock = createMarketplaceMock({ strict: true });
const mkt = new Marketplace({ token: mock.tokens.ada_write, baseUrl: mock.baseUrl, fetch: mock.fetch });

afterEach(() => mock.verifyAndReset());

test('adds up the campaigns of all pages, separately for each currency', async () => {
  const before = await budgetReport(mkt, 5);
  expect(before.campaigns).toBe(45);
  expect(Object.keys(before.budgets).length).toBeGreaterThan(1);
  const { currency } = await mkt.campaigns.get(5, 4);
  await mock.act.fundCampaign(4, 100_000);
  const { budgets } = await budgetReport(mkt, 5);
  const { total = 0, unused = 0 } = before.budgets[currency] ?? {};
  expect(budgets).toEqual({ ...before.budgets, [currency]: { total: total + 100_000, unused: unused + 100_000 } });
  expect(mock.requests.list({ operation: 'campaigns.list' })).toHaveLength(6);
});

test('lists the campaigns that run out of budget', async () => {
  const { id, name } = await mkt.campaigns.create(5, { name: 'Almost spent' });
  await mkt.campaigns.publish(5, id);
  await mock.act.fundCampaign(id, 1000);
  await mock.act.addCampaignResults(id, { used_amount: 950 });
  expect((await budgetReport(mkt, 5)).runningDry).toContain(name);
});

test('counts fewer campaigns for a member, who sees no drafts', async () => {
  const cleo = mkt.withOptions({ token: mock.tokens.cleo_write });
  expect((await budgetReport(cleo, 5)).campaigns).toBe(39);
});

test('retries a failure on the second page', async () => {
  const fault = mock.faults.add({
    match: { operation: 'campaigns.list' },
    effect: { status: 503, retryAfter: 0 },
    after: 1,
    times: 1,
  });
  expect((await budgetReport(mkt, 5)).campaigns).toBe(45);
  expect(mock.faults.get(fault.id).hits).toBe(1);
});

test('throws instead of reporting too little when the server stays down', async () => {
  mock.faults.add({ match: { operation: 'campaigns.list' }, effect: { status: 503, retryAfter: 0 }, after: 1 });
  await expect(budgetReport(mkt, 5)).rejects.toThrow(ServerError);
});
