import { expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { ada, eachWithAda, site } from './support/ada.js';
import { campaigns, collabs } from './support/forms.js';

eachWithAda();

const brand = '/organizations/5';
const rows = demoSeed().tables.campaigns.filter(({ organization_id }) => organization_id === 5);
const number = (value: number): string => value.toLocaleString('en-US');

test('has how much is spent and left by currency, with links to the lists that the numbers count', async () => {
  const page = await ada.get(brand);
  const usd = rows.filter(({ currency }) => currency === 'usd');
  const sum = (field: 'total_budget_amount' | 'used_amount' | 'unused_amount') =>
    usd.reduce((total, row) => total + row[field], 0);
  const [budget, used, left] = [sum('total_budget_amount'), sum('used_amount'), sum('unused_amount')];
  const row = [left, used, budget].map(number).join('');
  expect(page.all('.spending tbody tr')).toContain(`USD${row}${Math.round((used * 1000) / budget) / 10} %`);
  expect(page.text.indexOf('class="attention"')).toBeLessThan(page.text.indexOf('class="tiles"'));
  const views = rows.reduce((total, { view_count }) => total + view_count, 0);
  expect(page.all('.tile')).toContain(`Views${number(views)}`);
  const active = rows.filter(({ status }) => status === 'active').length;
  expect(page.find('.tile')).toBe(`Active campaigns${active}`);
  const list = await ada.get(page.attribute('.tile a', 'href') ?? '');
  expect(list.find('.pager p')).toMatch(new RegExp(` of ${active}$`));
});

test('names what needs attention, with its next step, and nothing else', async () => {
  await site.store.transact(async (writer) => {
    await writer.update('campaigns', 3, { used_amount: 375_000 });
    await writer.update('campaigns', 8, { total_budget_amount: 0, used_amount: 0 });
  });
  const items = (await ada.get(brand)).all('.attention li');
  expect(items[0]).toMatch(/^<b>Bold<\/b> launch ?budget used up ?Ask the operator/);
  expect(items.filter((text) => /\d+ % used/.test(text)).length).toBeGreaterThan(1);
  expect(items.some((text) => /^Sunscreen for runners ?no budget/.test(text))).toBe(true);
  expect(items.some((text) => text.includes('in review'))).toBe(true);
  expect(items.some((text) => /^Summer UGC Campaign ?draft since 6 Jan 2026 UTC/.test(text))).toBe(true);
  const collab = demoSeed().tables.collabs.find(
    ({ organization_id, state }) => organization_id === 5 && state === 'draft',
  );
  expect(
    items.some((text) => text.startsWith(`${collab?.name} `) || text.startsWith(`${collab?.name}collab, draft`)),
  ).toBe(true);
  // A draft with a budget cannot be deleted, and users without permission get no advice to change anything.
  const stepOf = (name: string) => items.find((text) => text.startsWith(name))?.replace(/.*2026 UTC ?/, '');
  expect([stepOf('Summer UGC'), stepOf('Hydra Serum')]).toEqual(['Finish it, or delete it.', 'Finish it.']);
  const readOnly = await (await site.signedIn('ada_read')).get(brand);
  expect(readOnly.find('.attention')).not.toMatch(/Ask|Finish/);
  expect((await ada.get('/organizations/7')).find('.attention')).toContain('Nothing needs attention now.');
});

test('does not call a budget used up as long as a part of it is left (D298)', async () => {
  const almost = { total_budget_amount: 1_000_000, used_amount: 999_600, unused_amount: 400, currency: 'chf' };
  await site.store.transact((writer) => writer.update('campaigns', 3, almost));
  const page = await ada.get(brand);
  expect(page.all('.attention li').find((text) => text.startsWith('<b>Bold</b> launch'))).toMatch(/99\.9 % used/);
  expect(page.all('.spending tbody tr').find((text) => text.startsWith('CHF'))).toMatch(/99\.9\s%$/);
  const usedUp = await ada.get(`${campaigns}?used=100`);
  expect(usedUp.all('tbody th').some((name) => name.includes('launch'))).toBe(false);
});

test('ranks campaigns by views and by cost per thousand views, within a currency', async () => {
  const page = await ada.get(brand);
  const best = rows
    .toSorted((one, other) => other.view_count - one.view_count || Number(other.id) - Number(one.id))
    .slice(0, 5);
  expect(page.all('.ranking:first-child tbody th')).toEqual(best.map(({ name }) => name));
  const costs = (wanted: string) =>
    rows
      .filter(({ currency, view_count }) => currency === wanted && view_count > 0)
      .map(({ used_amount, view_count }) => Math.round((used_amount * 100_000) / view_count) / 100)
      .sort((one, other) => one - other)
      .slice(0, 5);
  for (const currency of ['usd', 'gbp']) {
    const chosen = await ada.get(`${brand}?cost=${currency}`);
    expect(chosen.all('#cost [aria-current]')).toEqual([currency.toUpperCase()]);
    expect(chosen.all('#cost td')).toEqual(costs(currency).map(number));
  }
  expect(page.all('#cost')).toHaveLength(1);
});

test('links to lists of exactly those that it counts', async () => {
  const { tables, ...rest } = demoSeed();
  const copies = <Row extends object>(row: Row | undefined, first: number, changes: Partial<Row>) =>
    Array.from({ length: 7 }, (_, index) => ({ ...(row as Row), id: first + index, ...changes }));
  const ofBrand = <Row extends { organization_id: number | string }>(all: readonly Row[]) =>
    all.find(({ organization_id }) => organization_id === 5);
  const campaign = tables.campaigns.find(({ id }) => id === 3);
  const more = {
    campaigns: [
      ...copies(campaign, 1000, { total_budget_amount: 0, used_amount: 0 }),
      ...copies(campaign, 1100, { total_budget_amount: 10, used_amount: 8, unused_amount: 2 }),
      ...copies(campaign, 1200, { status: 'draft' }),
    ],
    collabs: [
      ...copies(ofBrand(tables.collabs), 1000, { state: 'submitted_for_review' }),
      ...copies(ofBrand(tables.collabs), 1100, { state: 'draft' }),
    ],
  };
  const campaignRows = [...tables.campaigns, ...more.campaigns];
  const collabRows = [...tables.collabs, ...more.collabs];
  await site.store.load({ ...rest, tables: { ...tables, campaigns: campaignRows, collabs: collabRows } });
  const page = await ada.get(brand);
  const totalOf = async (href: string) => / of (\S+)$/.exec((await ada.get(href)).find('.pager p') ?? '')?.[1];
  const links = [...page.text.matchAll(/href="([^"]*)">Show all (\d+): ([^<]*)</g)];
  expect(links.map(([, , , text]) => text)).toEqual(['80 % used or more', 'no budget', 'in review']);
  for (const [, href = '', count, text] of links)
    expect([text, await totalOf(href.replaceAll('&amp;', '&'))]).toEqual([text, count]);
  expect(page.find('.tile')).toBe(`Active campaigns${await totalOf(page.attribute('.tile a', 'href') ?? '')}`);
  for (const list of ['campaigns', 'collabs']) {
    const href = new RegExp(`href="([^"]*)">Show all drafts of ${list}, oldest first`).exec(page.text)?.[1] ?? '';
    const drafts = await ada.get(href.replaceAll('&amp;', '&'));
    expect(new Set(drafts.all('tbody .badge'))).toEqual(new Set(['draft']));
    expect(drafts.find('.pager p')).toMatch(/^1–\d+ of \d+$/);
  }
  // A currency leads to its campaigns.
  for (const [place, currency] of page.all('.spending tbody th').entries()) {
    const own = campaignRows.filter((row) => row.organization_id === 5 && row.currency === currency.toLowerCase());
    const href = page.attribute(`.spending tbody tr:nth-child(${place + 1}) a`, 'href') ?? '';
    expect([currency, await totalOf(href)]).toEqual([currency, String(own.length)]);
  }
});

test('has the totals per status, with links', async () => {
  const page = await ada.get(brand);
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  expect(page.find('.totals')).toBe(
    `Campaigns${['draft', 'active', 'paused', 'finished'].map((status) => status + count(status)).join('')}`,
  );
  for (const status of ['draft', 'active', 'paused', 'finished']) {
    expect(page.find(`.totals a[href="${campaigns}?status=${status}"]`)).toBe(status);
    const list = await ada.get(`${campaigns}?status=${status}`);
    expect(list.find('.pager p')).toMatch(new RegExp(` of ${count(status)}$`));
  }
});

test('shows members nothing of drafts', async () => {
  await site.store.transact((writer) => writer.update('campaigns', 2, { currency: 'chf', view_count: 9_999_999 }));
  const cleo = await (await site.signedIn('cleo_write')).get(brand);
  expect([cleo.find('.totals'), cleo.find('.attention')].join()).not.toContain('draft');
  expect([cleo.find('.tiles'), cleo.find('.spending'), cleo.all('.ranking').join()].join()).not.toMatch(
    /CHF|9,999,999/,
  );
  expect((await ada.get(brand)).find('.spending')).toContain('CHF450,000');
  expect(cleo.find('main')).toContain('Drafts are left out of these numbers. Only admins see them.');
  expect((await ada.get(brand)).find('main')).not.toContain('Drafts are left out');
  expect((await (await site.signedIn('eve_write')).get(brand)).status).toBe(404);
});

test('says what the API cannot do, where people look for it', async () => {
  expect((await ada.get(`${brand}/members`)).find('main')).toContain('ask the operator of this server');
  expect((await ada.get(`${campaigns}/1`)).find('main')).toContain('Only the operator of this server can fund');
  expect((await ada.get(`${campaigns}/4`)).find('main')).not.toContain('operator');
  expect((await ada.get(`${collabs}/3`)).find('main')).toContain('Ask the operator of this server to see');
});

test('lists what was created and published, the latest first, and says where trends are', async () => {
  const newest = Math.max(...rows.map(({ id }) => Number(id)));
  await site.store.transact(async (writer) => {
    await writer.update('campaigns', 3, { published_at: '2026-08-02T10:00:00.000Z' });
    await writer.update('collabs', 3, { name: 'Samples', published_at: '2026-08-03T10:00:00.000Z' });
    await writer.update('campaigns', newest, { name: 'Newest', created_at: '2026-08-04T10:00:00.000Z' });
  });
  const page = await ada.get(brand);
  expect(page.all('.activity dl > div').slice(0, 3)).toEqual([
    '4 Aug 2026 UTCNewest created',
    '3 Aug 2026 UTCSamples published',
    '2 Aug 2026 UTC<b>Bold</b> launch published',
  ]);
  expect(page.all('.activity dl > div')).toHaveLength(8);
  expect(page.find('.activity .hint')).toContain('mkt campaigns trend');

  const cleo = await (await site.signedIn('cleo_write')).get(brand);
  expect(cleo.find('.activity .hint')).toBeNull();
  for (const { name } of rows.filter(({ status }) => status === 'draft'))
    expect(cleo.find('.activity')).not.toContain(name);
});
