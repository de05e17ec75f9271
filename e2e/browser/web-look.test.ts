import { demoSeed } from '@mkt/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInChromium, launch } from './chromium.js';
import { inaccessible, tooWide } from './looks.js';
import { serveWebSite, signIn, sitDown, type WebSite } from './web-site.js';

const brand = '/organizations/5';
const paths = [
  '/sign_in',
  '/organizations',
  '/organizations/new',
  brand,
  `${brand}/edit`,
  `${brand}/delete`,
  `${brand}/members`,
  `${brand}/members/mem_5_ben/delete`,
  `${brand}/campaigns`,
  `${brand}/campaigns?page=99`,
  `${brand}/campaigns?page=x`,
  `${brand}/campaigns?as=json`,
  `${brand}/campaigns/new`,
  `${brand}/campaigns/6`,
  `${brand}/campaigns/7/edit`,
  `${brand}/campaigns/1/delete`,
  `${brand}/collabs?page=2`,
  `${brand}/collabs/new?website=https%3A%2F%2Fshop.example`,
  `${brand}/collabs/3`,
  '/organizations/7/collabs',
  '/organizations/6',
  '/me/social_accounts',
  '/me/social_accounts/1',
  '/me/social_accounts/new',
  '/me/address',
  '/me/address/edit',
  '/me/access_tokens',
  '/me/access_tokens/new',
  '/__mkt',
  '/__mkt/faults',
  '/__mkt/acts',
  '/__mkt/data',
];

describeInChromium('every page of the web face', () => {
  let site: WebSite;
  let browser: Browser;

  beforeAll(async () => {
    site = await serveWebSite();
    browser = await launch();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  /** What is wrong, page by page. */
  const wrong = async (colorScheme: 'light' | 'dark', ...looks: readonly ((page: Page) => Promise<string[]>)[]) => {
    const { page, context, complaints } = await sitDown(browser, site, { colorScheme, scripts: true });
    await signIn(page, 'Ada Okafor');
    await page.goto(`/__mkt?token=${encodeURIComponent(site.controlToken)}`);
    const seen: string[] = [];
    for (const path of paths) {
      await page.goto(path);
      for (const look of looks) seen.push(...(await look(page)).map((fault) => `${path}: ${fault}`));
    }
    await context.close();
    return [...seen, ...complaints];
  };

  test('fits its window, and axe-core objects to nothing, light and wide', async () => {
    const wide = (page: Page) => page.setViewportSize({ width: 1440, height: 800 }).then(() => inaccessible(page));
    expect(await wrong('light', tooWide, wide)).toEqual([]);
  }, 120_000);

  // `tooWide` leaves the window at 360 px.
  test('the same, dark and narrow', async () => {
    expect(await wrong('dark', tooWide, inaccessible)).toEqual([]);
  }, 120_000);

  test('fits its window with the longest unbroken names there can be', async () => {
    const { tables, serials } = demoSeed();
    const long = <Row extends object>(row: Row) => ({ ...row, name: 'W'.repeat(255) });
    const { users, organizations, campaigns, collabs } = tables;
    const people = users.map((row) => (row.id === 'usr_ada' ? row : long(row)));
    const rows = { organizations: organizations.map(long), campaigns: campaigns.map(long), collabs: collabs.map(long) };
    await site.store.load({ serials, tables: { ...tables, ...rows, users: people } });
    expect(await wrong('light', tooWide)).toEqual([]);
  }, 120_000);
});
