import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectToChromium, describeInChromium } from './chromium.js';
import { inaccessible, tooWide } from './looks.js';
import { type ServedPage, serveExample } from './page-server.js';

// A page is loaded in most tests, and machines that run them are busy.
vi.setConfig({ testTimeout: 60_000 });

describeInChromium('examples/react-dashboard', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await connectToChromium();
  }, 60_000);
  afterAll(() => browser?.close());

  describe('on the mock', () => {
    let site: ServedPage;
    let page: Page;
    const problems: string[] = [];

    const see = (text: string) => page.getByText(text, { exact: false }).first().waitFor();
    /** Without the panel of the mock, which has fields with the same names. */
    const app = () => page.locator('#root');
    /** Presses buttons of the panel. */
    const inPanel = async (...names: string[]) => {
      for (const name of ['Mock', ...names, 'Close']) await page.getByRole('button', { name, exact: true }).click();
    };
    const rows = () => page.locator('tbody tr').count();

    beforeAll(async () => {
      site = await serveExample('react-dashboard', { modules: ['api', 'session'] });
      page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      page.on('pageerror', ({ message }) => {
        // MSW's worker unregisters itself when the last page goes, a reload too; MSW then asks it, in the background, to update
        // itself, and lets a refusal of that go unhandled. Nothing depends on it: the page registers the worker again.
        const ofMsw = /^Failed to update a ServiceWorker .*mockServiceWorker\.js'\): Not found$/.test(message);
        if (!ofMsw) problems.push(message);
      });
      page.on('console', (message) => {
        // What the browser itself says of refused and broken requests, which these tests provoke.
        const ofTheNetwork = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !ofTheNetwork) problems.push(message.text());
      });
      await page.goto(site.url);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    }, 60_000);
    // The demo data, all well, Ada at her first brand: where each test begins, also when it is tried again. By the page's own
    // modules, since loading it again takes longer than most tests.
    beforeEach(async () => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.evaluate(`(async () => {
        const [{ mock }, { setToken }] = await Promise.all([import('/api.js'), import('/session.js')]);
        setToken(null);
        await mock.reset();
        location.hash = '';
        setToken(mock.tokens.ada_write);
      })()`);
      await see('45 campaigns');
    });
    afterEach(() => {
      expect(problems.splice(0)).toEqual([]);
    });
    afterAll(async () => {
      await page?.close();
      await site?.close();
    });

    test('shows a wrong token as an error at its field; a correct one opens the first brand', async () => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      const token = app().getByLabel('Access token');
      const right = await token.inputValue();
      await token.fill('nonsense');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await see('This token is unknown or was revoked.');
      expect(await token.getAttribute('aria-invalid')).toBe('true');
      await token.fill(right);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await see('45 campaigns');
      expect(await rows()).toBe(20);
    });

    test('stores the page and the status filter in the URL', async () => {
      await page.getByRole('link', { name: 'Next' }).click();
      await see('Page 2 of 3');
      await app().getByLabel('Status').selectOption('paused');
      await see('3 campaigns');
      expect(await rows()).toBe(3);
      expect(new URL(page.url()).hash).toBe('#/brands/5/campaigns?status=paused');
      await page.reload();
      await see('3 campaigns');
    });

    test('switches to another brand', async () => {
      await app().getByLabel('Brand').selectOption('Initech Audio');
      await see('No campaigns here yet.');
      await app().getByLabel('Brand').selectOption('Acme Cosmetics');
      await see('45 campaigns');
    });

    test('publishes a draft, then pauses it', async () => {
      await page.getByRole('link', { name: 'Summer UGC Campaign' }).click();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      expect(await page.locator('article .status').textContent()).toBe('paused');
    });

    test('shows the validation errors of the API at their fields, then creates the draft', async () => {
      await page.goto(`${site.url}#/brands/5/campaigns/new`);
      await app().getByLabel('Countries').fill('zz');
      await app().getByLabel('Smallest payout').fill('-1');
      await page.getByRole('button', { name: 'Create draft' }).click();
      await page.locator('.errors').first().waitFor();
      const invalid = await page
        .locator('[aria-invalid="true"]')
        .evaluateAll((fields) => fields.map((field) => field.getAttribute('name')));
      expect(invalid).toEqual(['name', 'countries', 'min_payout_amount']);
      expect(await inaccessible(page)).toEqual([]);
      await app().getByLabel('Name').fill('From the dashboard');
      await app().getByLabel('Countries').fill('ca, us');
      await app().getByLabel('Smallest payout').fill('');
      await page.getByRole('button', { name: 'Create draft' }).click();
      await page.getByRole('heading', { name: 'From the dashboard' }).waitFor();
      await see('CA, US');
    });

    test('rejects an amount that is not a number at its field', async () => {
      await page.goto(`${site.url}#/brands/5/campaigns/new`);
      await app().getByLabel('Name').fill('Not made');
      await app().getByLabel('Per thousand views').fill('lots');
      await page.getByRole('button', { name: 'Create draft' }).click();
      await page.locator('[name=cpm_amount][aria-invalid=true]').waitFor();
      await page.getByRole('link', { name: 'All campaigns' }).click();
    });

    test('does not navigate back when the form is left while it is being sent', { tags: ['long'] }, async () => {
      await page.goto(`${site.url}#/brands/5/campaigns/new`);
      await app().getByLabel('Name').fill('Sent in passing');
      await inPanel('Slow 2 s');
      const made = page.waitForResponse((response) => response.status() === 201);
      await page.getByRole('button', { name: 'Create draft' }).click();
      await page.getByRole('link', { name: 'All campaigns' }).click();
      await made;
      await inPanel('Remove all');
      // What an answer does to the page is done long before another one is there.
      await page.getByRole('link', { name: 'Next' }).click();
      await see('Page 2 of 3');
      await page.waitForFunction(() => document.querySelector('[aria-busy=false]') !== null);
      expect(new URL(page.url()).hash).toBe('#/brands/5/campaigns?page=2');
    });

    test('warns that a creation without a response may have succeeded', async () => {
      await page.goto(`${site.url}#/brands/5/campaigns/new`);
      await app().getByLabel('Name').fill('Unknown result');
      await inPanel('No connection');
      await page.getByRole('button', { name: 'Create draft' }).click();
      await see('The change may have been made.');
      await inPanel('Remove all');
    });

    test('shows nothing of the previous brand at the URL of another brand', async () => {
      await page.goto(`${site.url}#/brands/5/campaigns/7`);
      await page.locator('article h1').waitFor();
      await page.evaluate(() => {
        location.hash = '#/brands/7/campaigns/7';
      });
      await see('There is no such campaign');
      expect(await page.locator('article').count()).toBe(0);
    });

    test('Back leaves the page', async () => {
      const desk = await browser.newPage();
      await desk.goto('about:blank');
      await desk.goto(site.url);
      await desk.getByRole('button', { name: 'Sign in' }).click();
      await desk.getByRole('heading', { name: 'Campaigns' }).waitFor();
      await desk.goBack();
      expect(desk.url()).toBe('about:blank');
      await desk.close();
    });

    test('moves the focus to the heading of a new screen and its name to the tab, and keeps the focus on a new page of a list', async () => {
      await page.getByRole('link', { name: 'Summer UGC Campaign' }).click();
      await page.waitForFunction(() => document.title === 'Summer UGC Campaign · Campaign desk');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Summer UGC Campaign');
      await page.goto(`${site.url}#/brands/5/campaigns`);
      await page.getByRole('link', { name: 'Next' }).click();
      await see('Page 2 of 3');
      await page.waitForFunction(() => document.querySelector('[aria-busy=false]') !== null);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Next');
    });

    test('the panel of the mock removes a fault that survived a reload', { tags: ['long'] }, async () => {
      await inPanel('Error 503');
      await page.reload();
      await see('The marketplace cannot be reached');
      await inPanel('Remove all');
      await page.getByRole('button', { name: 'Try again' }).click();
      await see('campaigns');
    });

    test('returns to the sign-in when the token is revoked while the page is open', async () => {
      const token = await page.evaluate(() => sessionStorage.getItem('campaign-desk token'));
      await page.evaluate(() => sessionStorage.setItem('campaign-desk token', 'revoked'));
      await page.reload();
      await see('You are signed out');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await app()
        .getByLabel('Access token')
        .fill(token ?? '');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await see('campaigns');
    });

    test('the panel of the mock signs in as another user', async () => {
      await inPanel('cleo_write');
      await see('39 campaigns');
    });

    test('shows a banner while the API is down', { tags: ['long'] }, async () => {
      for (const name of ['Error 503', 'No connection']) {
        await inPanel(name);
        await app().getByLabel('Status').selectOption('active');
        await see('The marketplace cannot be reached');
        expect(await inaccessible(page)).toEqual([]);
        await inPanel('Remove all');
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.locator('[role=alert]').waitFor({ state: 'detached' });
        await app().getByLabel('Status').selectOption('');
        await see('45 campaigns');
      }
    });

    test('every screen fits from 1440 to 360 px and is accessible according to axe-core', async () => {
      const faults: string[] = [];
      for (const place of ['', '?page=3', '/new', '/3', '/7']) {
        await page.goto(`${site.url}#/brands/5/campaigns${place}`);
        await page.locator('h1').waitFor();
        await page.waitForLoadState('networkidle');
        for (const look of [tooWide, inaccessible])
          faults.push(...(await look(page)).map((fault) => `${place}: ${fault}`));
      }
      await page.getByRole('button', { name: 'Sign out' }).click();
      await app().getByLabel('Access token').waitFor();
      faults.push(...(await tooWide(page)), ...(await inaccessible(page)));
      expect(faults).toEqual([]);
    });
  });

  describe('on a server', () => {
    test('lists, pages and publishes across origins, and reports when the server is gone', async () => {
      const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
      const site = await serveExample('react-dashboard', { apiUrl: server.url });
      const page = await browser.newPage();
      try {
        await page.goto(site.url);
        await page.getByLabel('Access token').fill(demoTokens.ada_write);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('45 campaigns').waitFor();
        expect(await page.getByRole('button', { name: 'Mock' }).count()).toBe(0);
        await page.route('**/campaigns/7.json', (route) =>
          route.fulfill({ json: { id: 7, name: 'No more than that' } }),
        );
        await page.goto(`${site.url}#/brands/5/campaigns/7`);
        await page.getByText('This screen cannot be shown.').waitFor();
        await page.goto(`${site.url}#/brands/5/campaigns`);
        await page.getByRole('link', { name: 'Summer UGC Campaign' }).click();
        await page.getByRole('button', { name: 'Publish' }).click();
        await page.getByRole('button', { name: 'Pause' }).waitFor();
        await server.close();
        await page.getByRole('button', { name: 'Pause' }).click();
        await page.getByText('The marketplace cannot be reached').first().waitFor();
      } finally {
        await page.close();
        await site.close();
        await server.close();
      }
    });
  });
});
