import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectControl } from '@mkt/mock-server/control';
import { demoSeed, demoTokens } from '@mkt/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { connectToChromium, describeInChromium } from './chromium.js';
import { openSession, serveWebSite, signIn, type WebSite } from './web-site.js';

vi.setConfig({ testTimeout: 90_000 });

const campaigns = '/organizations/5/campaigns';
const collabs = '/organizations/5/collabs';

describeInChromium('forms in a browser without scripts', () => {
  let site: WebSite;
  let browser: Browser;
  let page: Page;
  let problems: readonly string[];

  /** A shop with a product page. */
  const shop = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<html lang="fr-FR"><title>Glow serum</title><meta name="description" content="Two drops a day">');
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    site = await serveWebSite({ prefillAllow: [`127.0.0.1:${(shop.address() as AddressInfo).port}`] });
    browser = await connectToChromium();
  }, 60_000);
  beforeEach(async () => {
    await site.store.load(demoSeed());
    ({ page, problems } = await openSession(browser, site));
    await signIn(page, 'Ada Okafor');
  });
  afterEach(async () => {
    await page.context().close();
    expect(problems.filter((problem) => !problem.includes('a status of 503'))).toEqual([]);
  });
  afterAll(async () => {
    shop.close();
    await browser?.close();
    await site?.close();
  });

  const heading = () => page.getByRole('heading', { level: 1 }).textContent();
  const total = async (path: string) =>
    Number((await site.json(demoTokens.ada_write, `${path}.json`)).headers.get('total-count'));
  const stored = async (path: string) => (await site.json(demoTokens.ada_write, `${path}.json`)).json();
  const faults = () => connectControl({ url: `${site.url}/__mkt/v1`, token: site.controlToken }).faults;

  test('unticked platforms and countries stay empty', async () => {
    await page.goto(`${campaigns}/new`);
    await page.getByLabel('Name').fill('Nowhere');
    for (const name of ['YouTube', 'TikTok', 'United States']) await page.getByRole('checkbox', { name }).uncheck();
    await page.getByRole('button', { name: 'Create campaign' }).click();
    expect(await stored(new URL(page.url()).pathname)).toMatchObject({ platform_ids: [], countries: [] });
  });

  test('Back after a creation leads to what was made; with another name, to another one', async () => {
    await page.goto(campaigns);
    await page.getByRole('link', { name: 'New campaign' }).first().click();
    const create = async (name: string) => {
      await page.getByLabel('Name').fill(name);
      await page.getByRole('button', { name: 'Create campaign' }).click();
      await page.waitForURL(/\/campaigns\/\d+$/);
      return new URL(page.url()).pathname;
    };
    const first = await create('Picnic');
    await page.goBack();
    expect(await create('Picnic')).toBe(first);
    expect(await total(campaigns)).toBe(46);
    await page.goBack();
    expect(await create('Another')).not.toBe(first);
    expect(await total(campaigns)).toBe(47);
  });

  test('publish, pressed twice on a slow server, says that it is published', async () => {
    const slow = await faults().add({ match: { operation: 'campaigns.publish' }, effect: { delay: 400 } });
    await page.goto(`${campaigns}/1/publish/confirm`);
    const button = page.getByRole('button', { name: 'Publish' });
    await button.dblclick({ noWaitAfter: true });
    await page.waitForURL(`${site.url}${campaigns}/1`);
    expect(await page.getByRole('status').textContent()).toBe('Campaign published.');
    await faults().remove(slow.id);
  });

  test('a product page is read when asked; what was typed wins, and nothing is created before', async () => {
    await page.goto(`${collabs}/new`);
    const before = await total(collabs);
    await page.getByLabel('Brief').fill('Typed for an hour');
    await page.getByText('Start from a product page').click();
    const address = page.getByLabel('Product page');
    await address.fill('acme shop');
    await address.press('Enter');
    expect(await page.getByRole('alert').textContent()).toContain('"acme shop" is not a web address');
    await address.fill(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/glow`);
    await page.getByRole('button', { name: 'Use this page' }).click();
    expect(await page.getByRole('status').textContent()).toContain('name and countries');
    expect(await page.getByLabel('Name').inputValue()).toBe('Glow serum');
    expect(await page.getByRole('checkbox', { name: 'France' }).isChecked()).toBe(true);
    expect(await page.getByLabel('Brief').inputValue()).toBe('Typed for an hour');
    expect(await total(collabs)).toBe(before);
    await page.getByLabel('Name').press('Enter');
    expect(await heading()).toBe('Glow serum');
    expect(await total(collabs)).toBe(before + 1);
  });

  test('a logo that is too large leaves the rest of the form', async () => {
    await page.goto('/organizations/new');
    await page.getByLabel('Name').fill('Typed');
    const buffer = Buffer.alloc(12 * 1024 * 1024, 1);
    await page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    await page.getByRole('button', { name: 'Create brand' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('Logo must be at most 5 MiB');
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed');
  });

  test('a fault of campaigns.update strikes the form, which comes back and can be saved', async () => {
    await faults().add({ match: { operation: 'campaigns.update' }, effect: { status: 503 }, times: 1 });
    await page.goto(`${campaigns}/1/edit`);
    await page.getByLabel('Name').fill('Typed for an hour');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('rejected with 503');
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed for an hour');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await heading()).toBe('Typed for an hour');
  });

  test('after a session has ended, signing in leads to the page where it was, with nothing done', async () => {
    await page.goto(`${campaigns}/4`);
    await page.context().clearCookies({ name: /session/ });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Sign in as Ada Okafor, write' }).click();
    expect(new URL(page.url()).pathname).toBe(`${campaigns}/4`);
    expect(await stored(`${campaigns}/4`)).toMatchObject({ status: 'paused' });
  });

  test('another currency hides the old one inside the amounts', async () => {
    await page.goto(`${campaigns}/1/edit`);
    const unit = page.locator('.unit').first();
    expect([await unit.textContent(), await unit.isVisible()]).toEqual(['USD', true]);
    await page.getByLabel('Currency').selectOption('eur');
    expect(await unit.isVisible()).toBe(false);
  });
});
