import { expect, test } from 'vitest';
import { ada, eachWithAda, site } from './support/ada.js';
import { campaigns, collabs } from './support/forms.js';
import type { Page } from './support/visitor.js';

eachWithAda();

const summaryIn = (page: Page) => page.all('.summary dl > div');

test('a form has a summary of what it contains, with what publishing would warn of', async () => {
  const page = await ada.get(`${campaigns}/1/edit`);
  expect(summaryIn(page)).toEqual(
    expect.arrayContaining(['NameSummer UGC Campaign', 'CurrencyUSD (US Dollar)', 'CountriesUnited States']),
  );
  expect(summaryIn(page).some((text) => /^CPM amount[\d,]+ USD$/.test(text))).toBe(true);
  await site.store.transact((writer) => writer.update('campaigns', 1, { countries: [], website: null }));
  expect((await ada.get(`${campaigns}/1/edit`)).all('.summary li')).toEqual(
    expect.arrayContaining(['No country is set.', 'There is no website to promote.']),
  );
  // It is published.
  expect((await ada.get(`${campaigns}/3/edit`)).find('.summary li')).toBeNull();
  await site.store.transact((writer) =>
    writer.update('collabs', 3, { require_spark_ads: false, requires_product_shipment: true }),
  );
  expect(summaryIn(await ada.get(`${collabs}/3/edit`))).toEqual(
    expect.arrayContaining(['Require spark adsNo', 'Requires product shipmentYes']),
  );
  expect((await ada.get('/me/address/edit')).find('.summary')).toBeNull();
});

test('a preview brings the summary up to date, whatever was typed', async () => {
  const form = (await ada.get(`${campaigns}/new`)).form(campaigns);
  const typed = {
    'campaign[name]': '<b>Glow</b>',
    'campaign[cpm_amount]': '1250',
    'campaign[max_payout_amount]': 'many',
    'campaign[currency]': 'no such currency',
    'campaign[countries]': 'Germany, Narnia',
    'campaign[platform_ids]': '',
    preview: '1',
  };
  const page = await ada.post(`${campaigns}/new`, { ...form, ...typed });
  expect([page.status, summaryIn(page)]).toEqual([
    200,
    expect.arrayContaining([
      'Name<b>Glow</b>',
      'CPM amount1,250 NO SUCH CURRENCY',
      'Max payout amountmany NO SUCH CURRENCY',
      'Currencyno such currency',
      'CountriesGermany, Narnia',
      'Platforms–',
    ]),
  ]);
  expect(page.all('.summary li')).toContain('No platform is set.');
});
