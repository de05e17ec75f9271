import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { demoSeed, demoTokens } from '@mkt/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { mktFile } from '../support/mkt.js';
import { connectToChromium, describeInChromium } from './chromium.js';
import { type BrowserSession, openSession, serveWebSite, type WebSite } from './web-site.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

vi.setConfig({ testTimeout: 60_000 });

/** As people do: by the button next to the name. */
async function signIn(page: Page, name: string): Promise<void> {
  await page.goto('/sign_in');
  await page.getByRole('button', { name: `Sign in as ${name}, write` }).click();
}

describeInChromium('the web pages in a browser without scripts', () => {
  let site: WebSite;
  let browser: Browser;
  let session: BrowserSession;
  let home: string;

  /** The program as it is shipped, signed in by environment. */
  const mkt = async (token: string, ...args: string[]): Promise<string> => {
    const env = { PATH: process.env.PATH, HOME: home, MKT_NO_KEYRING: '1', MKT_TOKEN: token, MKT_BASE_URL: site.url };
    return (await promisify(execFile)(process.execPath, [mktFile, ...args], { env, cwd: home })).stdout;
  };

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'mkt-web-'));
    site = await serveWebSite();
    browser = await connectToChromium();
  }, 60_000);
  beforeEach(async () => {
    await site.store.load(demoSeed());
    session = await openSession(browser, site);
  });
  afterEach(async () => {
    await session.context.close();
    expect(session.problems).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    if (home) await rm(home, { recursive: true });
  });

  const heading = () => session.page.getByRole('heading', { level: 1 }).textContent();

  test('sign in, create a campaign, publish and pause it; the JSON and the command line say the same', async () => {
    const { page } = session;
    await page.goto('/organizations/5/campaigns');
    expect(new URL(page.url()).pathname).toBe('/sign_in');
    await page.getByRole('button', { name: 'Sign in as Ada Okafor, write' }).click();
    expect(new URL(page.url()).pathname).toBe('/organizations/5/campaigns');

    await page.getByRole('link', { name: 'New campaign' }).click();
    await page.getByLabel('Name').fill('Picnic with friends');
    await page.getByLabel('CPM amount').fill('700');
    await page.getByLabel('Countries').fill('US XX');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    expect(await page.locator('#field-countries-error').textContent()).toContain('XX');
    expect(await page.getByLabel('Name').inputValue()).toBe('Picnic with friends');
    await page.getByLabel('Add countries').fill('France');
    await page.getByRole('button', { name: 'Create campaign' }).click();

    expect(await heading()).toBe('Picnic with friends');
    await page.getByRole('link', { name: 'Publish' }).click();
    expect(await heading()).toBe('Publish Picnic with friends?');
    await page.getByRole('button', { name: 'Publish' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Campaign published.');
    await page.getByRole('button', { name: 'Pause' }).click();
    expect(await page.locator('.head .badge').textContent()).toBe('paused');

    const path = new URL(page.url()).pathname;
    const told = { name: 'Picnic with friends', status: 'paused', cpm_amount: 700, countries: ['US', 'FR'] };
    expect(await (await site.json(demoTokens.ada_write, `${path}.json`)).json()).toMatchObject(told);
    const id = path.split('/').at(-1) ?? '';
    expect(JSON.parse(await mkt(demoTokens.ada_write, 'campaigns', 'show', id, '--org', '5', '--json'))).toMatchObject(
      told,
    );
  });

  test('explains why a button on an outdated page did nothing', async () => {
    const { page } = session;
    await signIn(page, 'Ada Okafor');
    await page.goto('/organizations/5/campaigns/1/publish/confirm');
    await mkt(demoTokens.ben_write, 'campaigns', 'publish', '1', '--org', '5', '--yes');
    await page.getByRole('button', { name: 'Publish' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('nothing was done');
    expect(await heading()).toBe('Summer UGC Campaign cannot be published');
    await page.waitForLoadState();
    expect(await page.locator('.changes dd').allTextContents()).toEqual(['draft', 'active']);
  });

  test('goes back to the question after an outdated one was asked again', async () => {
    const { page, context } = await openSession(browser, site, { scripts: true });
    await signIn(page, 'Ada Okafor');
    const created = await mkt(demoTokens.ada_write, ...'campaigns create --org 5 --name Old --json'.split(' '));
    const path = `/organizations/5/campaigns/${JSON.parse(created).id}`;
    for (const [question, button] of [
      [`${path}/publish/confirm`, 'Publish'],
      [`/organizations/5/campaigns/actions?id=${path.split('/').at(-1)}&action=pause`, 'Pause 1 campaign'],
    ] as const) {
      await page.goto(question);
      await site.store.transact((writer) => writer.update('campaigns', JSON.parse(created).id, { name: question }));
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('alert').waitFor();
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('status').waitFor();
      await page.goBack();
      expect(page.url()).toBe(site.url + question);
    }
    await context.close();
  });

  test('issue a token, use it, revoke it', async () => {
    const { page } = session;
    await signIn(page, 'Ada Okafor');
    await page.locator('.account summary').click();
    await page.getByRole('link', { name: 'Access tokens' }).click();
    await page.getByRole('link', { name: 'New access token' }).click();
    await page.getByLabel('Description').fill('Nightly report');
    await page.getByLabel('Permission').selectOption('read');
    await page.getByRole('button', { name: 'Create access token' }).click();
    const secret = (await page.locator('.secret').textContent()) ?? '';
    expect(JSON.parse(await mkt(secret, 'orgs', 'list', '--json'))).toHaveLength(2);

    await page.reload();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('link', { name: 'Revoke Nightly report' }).click();
    expect(await heading()).toBe('Revoke Nightly report?');
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Access token revoked.');
    expect((await site.json(secret, '/organizations.json')).status).toBe(401);
  });

  test('shows members no drafts and no admin actions', async () => {
    const { page } = session;
    await signIn(page, 'Cleo Martin');
    await page.getByRole('link', { name: 'Acme Cosmetics' }).click();
    await page.waitForURL('**/organizations/5');
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    // In a wide window the two columns start at the same height.
    const places = await page.locator('.sheet').evaluateAll((sheets) =>
      sheets.map((sheet) => {
        const { left, top } = sheet.getBoundingClientRect();
        return { left, top };
      }),
    );
    const columns = [...new Set(places.map(({ left }) => left))];
    const tops = columns.map((column) =>
      Math.min(...places.filter(({ left }) => left === column).map(({ top }) => top)),
    );
    expect(columns).toHaveLength(2);
    expect(new Set(tops).size).toBe(1);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Campaigns' }).click();
    await page.waitForURL('**/organizations/5/campaigns');
    expect(await page.locator('.pager p').textContent()).toBe('1–20 of 39');
    expect(await page.getByRole('link', { name: 'New campaign' }).count()).toBe(0);
    expect(await page.getByText('Summer UGC Campaign').count()).toBe(0);
    expect((await page.goto('/organizations/5/campaigns/1'))?.status()).toBe(404);
  });

  test('creates a private brand with a logo', async () => {
    const { page } = session;
    await signIn(page, 'Eve Novak');
    await page.getByRole('link', { name: 'New brand' }).click();
    await page.getByLabel('Name').fill('Umbrella');
    await page.getByLabel('Privacy setting').selectOption('private');
    await page.getByRole('button', { name: 'Create brand' }).click();
    expect(await page.locator('#field-logo-error').textContent()).toContain('needs a logo');
    await page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png });
    await page.getByRole('button', { name: 'Create brand' }).click();
    expect(await heading()).toBe('Umbrella');
    const logo = page.getByRole('img', { name: 'Logo of Umbrella' });
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  });

  test('shows hostile names as text and runs nothing of them', async () => {
    const { page } = session;
    const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
    const { tables, serials } = demoSeed();
    const rename = <Row extends object>(row: Row) => ({ ...row, name: hostile });
    await site.store.load({
      serials,
      tables: {
        ...tables,
        users: tables.users.map((row) => (row.id === 'usr_ada' ? row : rename(row))),
        organizations: tables.organizations.map(rename),
        campaigns: tables.campaigns.map((row) => ({
          ...rename(row),
          brief: `<p>Brief</p>${hostile}`,
          website: 'javascript:alert(3)',
        })),
      },
    });
    await signIn(page, 'Ada Okafor');
    for (const path of ['/organizations', '/organizations/5/campaigns/3', '/organizations/5/members']) {
      await page.goto(path);
      expect(await page.getByText(hostile).count()).toBeGreaterThan(0);
      expect(await page.locator('script:not([src^="/assets/pages-"]), a[href^="javascript:"]').count()).toBe(0);
    }
  });

  test('works by keyboard only', async () => {
    const { page } = session;
    await page.goto('/sign_in?return_to=/organizations/5');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toContain('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type(demoTokens.ada_write);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/organizations/5');
    await page.getByRole('link', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/delete?*');
    expect(await heading()).toBe('Delete Acme Cosmetics?');

    await page.goto('/organizations/5/campaigns/new');
    await page.getByLabel('Countries').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('XX');
    await page.getByLabel('Name').focus();
    await page.keyboard.type('Picnic');
    await page.keyboard.press('Enter');
    // A refusal has the focus; its first reason is next, and leads to its field.
    await page.getByRole('alert').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toContain('XX');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('FR');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect(await heading()).toBe('Picnic');
  });

  test('Back shows no private page after signing out', async () => {
    const { page } = session;
    await signIn(page, 'Ada Okafor');
    await page.goto('/organizations/5/members');
    await page.locator('.account summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.getByRole('status').textContent()).toBe('You are signed out.');
    await page.goBack();
    expect(await heading()).toBe('Sign in');
    expect(await page.getByText('ben@acme.example').count()).toBe(1);
  });
});
