import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectControl } from '@mkt/mock-server/control';
import { demoSeed, demoTokens } from '@mkt/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sampleOf } from '../../packages/server/test/support/long.js';
import { gif } from '../../packages/server/test/support/pictures.js';
import { connectToChromium, connectToWholeChromium, describeInChromium } from './chromium.js';
import { backAndForward, forgetPages, openSession, serveWebSite, signIn, type WebSite } from './web-site.js';

vi.setConfig({ testTimeout: 90_000 });

const campaigns = '/organizations/5/campaigns';
const collabs = '/organizations/5/collabs';

describeInChromium('forms in a browser', () => {
  let site: WebSite;
  let browser: Browser;

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
  beforeEach(() => site.store.load(demoSeed()));
  afterAll(async () => {
    shop.close();
    await browser?.close();
    await site?.close();
  });

  const total = async (path: string) =>
    Number((await site.json(demoTokens.ada_write, `${path}.json`)).headers.get('total-count'));
  const stored = async (path: string) => (await site.json(demoTokens.ada_write, `${path}.json`)).json();
  const change = (campaign: object) =>
    fetch(`${site.url}${campaigns}/43.json`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${demoTokens.ben_write}`, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign }),
    });
  const faults = () => connectControl({ url: `${site.url}/__mkt/v1`, token: site.controlToken }).faults;

  describe('without scripts', () => {
    let page: Page;
    let problems: readonly string[];
    beforeEach(async () => {
      ({ page, problems } = await openSession(browser, site));
      await signIn(page, 'Ada Okafor');
    });
    afterEach(async () => {
      await page.context().close();
      expect(problems.filter((problem) => !problem.includes('a status of 503'))).toEqual([]);
    });

    const heading = () => page.getByRole('heading', { level: 1 }).textContent();

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
      await page.getByText('Campaign published.').waitFor();
      expect(page.url()).toBe(`${site.url}${campaigns}/1`);
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
      // Made in the page: to send it there takes longer than all else.
      await page.getByLabel('Logo').evaluate((input: HTMLInputElement) => {
        const chosen = new DataTransfer();
        chosen.items.add(new File([new Uint8Array(12 * 1024 * 1024)], 'logo.png', { type: 'image/png' }));
        input.files = chosen.files;
      });
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

    test('a slow double click does not press what the next page has in its place', async () => {
      const twice = async (name: string) => {
        const button = page.getByRole('button', { name, exact: true });
        // Waits until it can be pressed.
        await button.click({ trial: true });
        const box = await button.boundingBox();
        const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
        await page.mouse.click(x, y);
        await page.getByRole('status').waitFor();
        await page.waitForTimeout(200);
        await page.mouse.click(x, y);
        await page.waitForTimeout(300);
      };
      await page.goto(`${campaigns}/1/edit`);
      const before = await page.getByLabel('Name').inputValue();
      await page.getByLabel('Name').fill('Renamed');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved: Name.').waitFor();
      await twice('Undo');
      expect(await stored(`${campaigns}/1`)).toMatchObject({ name: before });
      await page.goto(`${campaigns}/4`);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('status').waitFor();
      await twice('Pause');
      expect(await stored(`${campaigns}/4`)).toMatchObject({ status: 'paused' });
    });

    test('a brief that is too large is in the form before', async () => {
      await page.goto(`${campaigns}/1/edit`);
      const brief = page.getByLabel('Brief');
      // Nine bytes each when they are sent.
      const text = `${'日'.repeat(99)}\n`.repeat(1200);
      await brief.evaluate((area: HTMLTextAreaElement, value) => {
        area.value = value;
      }, text);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Go back in your browser: the form has what you typed.').waitFor();
      await page.goBack();
      expect(await brief.inputValue()).toBe(text);
    });

    test('another currency hides the old one inside the amounts', async () => {
      await page.goto(`${campaigns}/1/edit`);
      const unit = page.locator('.unit').first();
      expect([await unit.textContent(), await unit.isVisible()]).toEqual(['USD', true]);
      await page.getByLabel('Currency').selectOption('eur');
      expect(await unit.isVisible()).toBe(false);
    });
  });

  describe.each(
    sampleOf([
      ['with scripts', true],
      ['without scripts', false],
    ]),
  )('after going back, %s', (_, scripts) => {
    let whole: Browser;
    let own: Page;
    beforeAll(async () => {
      whole = await connectToWholeChromium();
    });
    beforeEach(async () => {
      ({ page: own } = await openSession(whole, site, { scripts }));
      await signIn(own, 'Ada Okafor');
    });
    afterEach(() => own.context().close());
    afterAll(() => whole?.close());

    /** Something that is pressed elsewhere keeps the browser from showing the page that it has in memory. */
    const pressElsewhere = async () => {
      await own.goto(`${campaigns}/4`);
      await own.getByRole('button', { name: 'Resume' }).click();
      await own.getByRole('button', { name: 'Pause' }).waitFor();
    };
    const backTo = async (place: RegExp) => {
      while (!place.test(own.url())) {
        const from = own.url();
        // Going back does not end for a page that comes back from memory. For a moment after it, Chromium goes back no further.
        const gone = own.goBack().catch(() => own.waitForTimeout(100));
        const there = own.waitForURL(({ href }) => href !== from, { waitUntil: 'commit' });
        await Promise.race([gone, there].map((end) => end.catch(() => undefined)));
      }
    };

    test('no row of a list is ticked that was not ticked', async () => {
      await own.goto(`${campaigns}?status=draft`);
      const names = async () => own.locator('tbody tr:has(:checked) th').allTextContents();
      for (const row of [0, 2]) await own.locator('tbody input').nth(row).check();
      const ticked = await names();
      await own.locator('tbody th a').first().click();
      await own.getByRole('link', { name: 'Duplicate' }).click();
      await own.getByRole('button', { name: 'Create campaign' }).click();
      await own.getByRole('status').waitFor();
      await backTo(/status=draft/);
      expect([[], ticked]).toContainEqual(await names());
    });

    test.each(
      sampleOf([
        ['from memory', false],
        ['requested again', true],
      ]),
    )('the filter of a list %s is the one that it shows', async (__, isForgotten) => {
      if (isForgotten) await forgetPages(own);
      await own.goto(campaigns);
      const ticked = own.locator('tbody tr:has(:checked) th');
      for (const row of [0, 2]) await own.locator('tbody input').nth(row).check();
      const names = await ticked.allTextContents();
      // The rows of the next page are others.
      expect(await own.getByLabel('Which campaigns').locator('option').first().textContent()).toBe('Ticked on page 1');
      const filter = own.getByLabel('Name', { exact: true });
      await filter.fill('serum');
      await filter.press('Enter');
      await own.waitForURL(/name=serum/);
      await backTo(/campaigns$/);
      await own.getByRole('link', { name: 'Next' }).waitFor();
      // A page that the browser keeps can only be changed by a script.
      if (scripts || isForgotten) await expect.poll(() => filter.inputValue()).toBe('');
      if (scripts) expect(await ticked.allTextContents()).toEqual(names);
    });

    test('what a colleague changed meanwhile is not overwritten', async () => {
      await change({ countries: ['US', 'PH'] });
      await own.goto(`${campaigns}/43/edit`);
      await own.getByRole('checkbox', { name: 'Philippines' }).uncheck();
      await own.getByLabel('Name').fill('Ada name');
      await pressElsewhere();
      await change({ name: 'Ben name', countries: ['PH', 'US', 'DE'] });
      await backTo(/edit/);
      await own.getByRole('button', { name: 'Save' }).click();
      await own.locator('[role=alert], [role=status]').first().waitFor();
      expect(await stored(`${campaigns}/43`)).toMatchObject({ name: 'Ben name', countries: ['PH', 'US', 'DE'] });
      if (!scripts) return;
      expect(await own.getByRole('alert').textContent()).toContain('was changed after you opened this form');
      expect(await own.locator('.versions dd').allTextContents()).toEqual([
        'Ben name',
        'Ada name',
        'Philippines, United States, Germany',
        'United States',
      ]);
    });

    test('what was typed is in the form, if no colleague has changed it', async () => {
      await change({ countries: ['US', 'PH'] });
      await own.goto(`${campaigns}/43/edit`);
      await own.getByRole('checkbox', { name: 'Philippines' }).uncheck();
      if (scripts) await own.getByLabel('Add countries').fill('France');
      await own.getByLabel('Name').fill('Ada name');
      await pressElsewhere();
      await backTo(/edit/);
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: ').waitFor();
      expect(await stored(`${campaigns}/43`)).toMatchObject({
        name: 'Ada name',
        countries: scripts ? ['US', 'FR'] : ['US'],
      });
    });

    test('what was typed into a page that the browser still has is next to what a colleague saved', async () => {
      await own.goto(`${campaigns}/43/edit`);
      await own.getByLabel('Name').fill('Ada name');
      await own.getByLabel('Category').fill('music');
      await own.getByRole('link', { name: 'Campaigns' }).first().click();
      await own.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
      await change({ name: 'Ben name' });
      // It is not loaded again.
      await own.goBack({ waitUntil: 'commit' });
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByRole('alert').waitFor();
      expect(await own.locator('.versions dd').allTextContents()).toEqual(['Ben name', 'Ada name']);
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: ').waitFor();
      expect(await stored(`${campaigns}/43`)).toMatchObject({ name: 'Ada name', category: 'music' });
    });

    test('another user does not see what was typed', async () => {
      await own.goto('/me/address/edit');
      await own.getByLabel('City').fill('Elsewhere');
      await own.goto('/organizations');
      await signIn(own, 'Ben Ito');
      await backTo(/edit/);
      expect(await own.getByLabel('City').inputValue()).toBe('');
    });
  });

  test('with scripts, a form in which nothing was typed has what a colleague saved after reloading', {
    tags: ['long'],
  }, async () => {
    const { page: own } = await openSession(browser, site, { scripts: true });
    await signIn(own, 'Ada Okafor');
    await own.goto(`${campaigns}/43/edit`);
    await change({ name: 'Ben name' });
    await own.reload();
    expect(await own.getByLabel('Name').inputValue()).toBe('Ben name');
    await own.getByLabel('Category').fill('music');
    await own.reload();
    const older = own.getByText('The saved values have changed since you opened this form');
    expect(await older.count()).toBe(0);
    await change({ name: 'Ben name 2' });
    await own.reload();
    await older.waitFor();
    expect(await own.getByLabel('Name').inputValue()).toBe('Ben name');
    await own.context().close();
  });

  test('with scripts, what was typed is there after reloading the page', async () => {
    const { page: own } = await openSession(browser, site, { scripts: true });
    await signIn(own, 'Ada Okafor');
    await own.goto(`${campaigns}/new`);
    await own.getByLabel('Name').fill('Picnic');
    await own.getByRole('checkbox', { name: 'YouTube' }).uncheck();
    await own.getByRole('textbox', { name: 'Brief' }).fill('Bring cake');
    await own.waitForTimeout(500);
    await own.reload();
    expect(await own.getByLabel('Name').inputValue()).toBe('Picnic');
    expect(await own.getByRole('checkbox', { name: 'YouTube' }).isChecked()).toBe(false);
    await expect.poll(() => own.getByRole('textbox', { name: 'Brief' }).textContent()).toBe('Bring cake');
    await own.context().close();
  });

  describe('with scripts, after a rejection', () => {
    let own: Page;
    beforeEach(async () => {
      ({ page: own } = await openSession(browser, site, { scripts: true }));
      await forgetPages(own);
      await signIn(own, 'Ada Okafor');
    });
    afterEach(() => own.context().close());

    const reload = async () => {
      await own.reload();
    };
    const leaveAndReturn = async () => {
      await own.goto('/organizations/5/members');
      await own.goBack();
    };

    test.each(
      sampleOf(
        [
          [`${campaigns}/new`, 'CPM amount', 'Name'],
          [`${campaigns}/1/edit`, 'CPM amount', 'Name'],
          [`${collabs}/1/edit`, 'Website', 'Name'],
          ['/organizations/new', 'Website', 'Name'],
          ['/me/social_accounts/new', 'Account URL', 'Platform'],
          ['/me/address/edit', 'Country code', 'City'],
        ],
        2,
      ),
    )('%s has what was typed after reloading and going back', async (path, wrong, label) => {
      await own.goto(path);
      await own.locator('form[data-user]').evaluate((form: HTMLFormElement) => {
        form.noValidate = true;
      });
      await own.getByLabel(wrong).fill('5,5 0');
      await own
        .getByRole('button', { name: /^(Save|Create|Connect)/ })
        .last()
        .click();
      await own.getByRole('alert').waitFor();
      await leaveAndReturn();
      expect(await own.getByLabel(wrong).inputValue()).toBe('5,5 0');
      await own.getByLabel(label).first().fill('typed');
      await own.waitForTimeout(500);
      for (const go of [reload, leaveAndReturn, () => backAndForward(own)]) {
        await go();
        expect(await own.getByLabel(label).first().inputValue()).toBe('typed');
        expect(await own.getByLabel(wrong).inputValue()).toBe('5,5 0');
      }
    });

    test('a logo that was chosen is still there after reloading', async () => {
      await own.goto('/organizations/5/edit');
      const name = own.getByLabel('Name');
      await name.fill(' ');
      await own
        .getByLabel('Logo', { exact: true })
        .setInputFiles({ name: 'logo.gif', mimeType: 'image/gif', buffer: Buffer.from(gif) });
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('logo.gif is uploaded.').waitFor();
      await name.fill('With a logo');
      await own.reload();
      await own.getByText('logo.gif is uploaded.').waitFor();
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: ').waitFor();
      expect(await stored('/organizations/5')).toMatchObject({ name: 'With a logo', logo_url: expect.any(String) });
    });

    test('what was typed before something else was saved does not replace it', async () => {
      await own.goto(`${campaigns}/43/edit`);
      const save = () => own.getByRole('button', { name: 'Save' }).click();
      await own.getByLabel('Website').fill('not one');
      await own.getByLabel('Name').fill('First name');
      await save();
      await own.getByRole('alert').waitFor();
      await own.getByLabel('Website').fill('one.example');
      await own.getByLabel('Name').fill('Second name');
      await save();
      await own.getByText('Saved: ').waitFor();
      for (let entry = 0; entry < 2; entry += 1) await own.goBack();
      await own.getByLabel('Category').fill('music');
      expect(await own.getByLabel('Name').inputValue()).toBe('First name');
      await save();
      await own.getByText('Name was changed meanwhile.').last().waitFor();
      expect(await own.locator('.versions dd').allTextContents()).toEqual(
        expect.arrayContaining(['Second name', 'First name']),
      );
      expect(await stored(`${campaigns}/43`)).toMatchObject({ name: 'Second name', website: 'https://one.example' });
    });

    test('its messages are there after reloading, until the form is sent again', { tags: ['long'] }, async () => {
      await own.goto(`${campaigns}/1/edit`);
      await own.getByLabel('CPM amount').fill('5,50');
      await own.getByRole('button', { name: 'Save' }).click();
      const message = own.getByRole('alert').getByRole('link', { name: /^"5,50" is not a whole number/ });
      await message.waitFor();
      for (const go of [reload, leaveAndReturn]) {
        await go();
        await message.waitFor();
      }
      await own.getByLabel('CPM amount').fill('550');
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: CPM amount.').waitFor();
      await own.goBack();
      expect(await own.getByLabel('CPM amount').inputValue()).toBe('550');
      expect(await message.count()).toBe(0);
    });

    test('a message is not there after reloading if its value was corrected', { tags: ['long'] }, async () => {
      await own.goto(`${campaigns}/1/edit`);
      await own.getByLabel('CPM amount').fill('5,50');
      await own.getByLabel('Add countries').fill('Atlantis');
      await own.getByRole('button', { name: 'Save' }).click();
      const messages = own.getByRole('alert').getByRole('link');
      await expect.poll(() => messages.count()).toBe(2);
      await own.getByLabel('CPM amount').fill('550');
      await own.reload();
      expect(await messages.allTextContents()).toEqual([expect.stringMatching(/^"Atlantis" is not a country/)]);
      await own.getByLabel('Add countries').fill('');
      await leaveAndReturn();
      expect(await own.getByLabel('CPM amount').inputValue()).toBe('550');
      expect(await own.getByRole('alert').count()).toBe(0);
    });

    test('an amount that was fixed meanwhile is shown with what was typed', { tags: ['long'] }, async () => {
      await own.goto(`${campaigns}/1/edit`);
      await own.getByLabel('CPM amount').fill('777');
      await own.getByLabel('Name').fill('Typed');
      await fetch(`${site.url}${campaigns}/1/publish.json`, {
        method: 'POST',
        headers: { authorization: `Bearer ${demoTokens.ben_write}`, accept: 'application/json' },
      });
      for (const go of [reload, reload, leaveAndReturn]) {
        await go();
        expect(await own.locator('.error').allTextContents()).toEqual([
          'You had "777" here. It can no longer be saved.',
        ]);
      }
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('was published meanwhile').first().waitFor();
      expect(await own.locator('.versions dd').allTextContents()).toEqual(['350', '777']);
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: Name.').waitFor();
      expect(await stored(`${campaigns}/1`)).toMatchObject({ name: 'Typed', cpm_amount: 350 });
    });

    test('a form that was changed by a colleague too', async () => {
      await change({ countries: ['US', 'PH'] });
      await own.goto(`${campaigns}/43/edit`);
      await own.getByRole('checkbox', { name: 'United States' }).uncheck();
      await own.getByLabel('Name').fill('Ada name');
      await change({ name: 'Ben name', website: 'https://ben.example' });
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Name was changed meanwhile.').last().waitFor();
      await own.getByLabel('Name').fill('Both names');
      await own.waitForTimeout(500);
      for (const go of [reload, leaveAndReturn, () => backAndForward(own)]) {
        await go();
        expect(await own.getByLabel('Name').inputValue()).toBe('Both names');
      }
      // Both versions are no longer on the page.
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Name was changed meanwhile.').last().waitFor();
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: ').waitFor();
      const expected = { name: 'Both names', website: 'https://ben.example', countries: ['PH'] };
      expect(await stored(`${campaigns}/43`)).toMatchObject(expected);
    });
  });

  describe('with scripts, what was typed into a form that was left', () => {
    let own: Page;
    beforeEach(async () => {
      ({ page: own } = await openSession(browser, site, { scripts: true }));
      await signIn(own, 'Ada Okafor');
    });
    afterEach(() => own.context().close());

    const brief = () => own.getByRole('textbox', { name: 'Brief' });
    const show = () => own.getByRole('button', { name: 'Show what you typed' });

    test.each(
      sampleOf([
        ['an edit', `${campaigns}/1/edit`, 'Save', async () => own.getByRole('link', { name: 'Cancel' }).click()],
        [
          'a new item',
          `${campaigns}/new`,
          'Create campaign',
          async () => own.getByRole('link', { name: 'Members' }).click(),
        ],
      ]),
    )('is offered when it is opened again, until it is saved: %s', async (_, path, submit, leave) => {
      await own.goto(path);
      await own.getByLabel('Name').fill('Typed for an hour');
      await brief().fill('An hour');
      await leave();
      await own.waitForURL((url) => !url.pathname.endsWith(path));
      await own.goto(path);
      expect(await own.getByLabel('Name').inputValue()).not.toBe('Typed for an hour');
      await show().click();
      await expect.poll(() => own.getByLabel('Name').inputValue()).toBe('Typed for an hour');
      await expect.poll(() => brief().textContent()).toBe('An hour');
      expect(await show().count()).toBe(0);
      await own.getByRole('button', { name: submit }).click();
      await own.getByRole('heading', { name: 'Typed for an hour', level: 1 }).waitFor();
      for (let visit = 0; visit < 2; visit += 1) {
        await own.goto(path);
        await brief().click();
        expect(await show().count()).toBe(0);
        await leave();
      }
    });

    test('stays, with what is typed next to the offer, until it is shown', { tags: ['long'] }, async () => {
      const path = `${campaigns}/2/edit`;
      const again = async () => {
        await own.goto('/organizations');
        await own.goto(path);
      };
      await own.goto(path);
      await brief().fill('An hour');
      await again();
      await own.getByLabel('Website').fill('typed.example');
      await own.getByRole('button', { name: 'Preview' }).click();
      await own.getByRole('heading', { name: 'Preview of the brief' }).waitFor();
      await again();
      await own.getByLabel('Name').fill('A name');
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: Name.').waitFor();
      await own.goto(path);
      await own.getByLabel('Category').fill('toys');
      await own.reload();
      await again();
      await own.getByLabel('Content type').fill('clipping');
      await show().click();
      await expect.poll(() => brief().textContent()).toBe('An hour');
      const values = ['Website', 'Category', 'Content type'].map((name) => own.getByLabel(name).inputValue());
      expect(await Promise.all(values)).toEqual(['typed.example', 'toys', 'clipping']);
    });

    test('stays when the same field is typed into again, until each text was shown', { tags: ['long'] }, async () => {
      const path = `${campaigns}/2/edit`;
      const again = async () => {
        await own.goto('/organizations');
        await own.goto(path);
      };
      const shows = async (name: string, text: string) => {
        await show().click();
        await expect.poll(() => brief().textContent()).toBe(text);
        await expect.poll(() => own.getByLabel('Name').inputValue()).toBe(name);
      };
      await own.goto(path);
      const { name } = await stored(`${campaigns}/2`);
      await brief().fill('Two hours');
      await again();
      await brief().fill('One letter');
      await own.reload();
      await expect.poll(() => brief().textContent()).toBe('One letter');
      await own.getByText(/other values when you left it: Brief\./).waitFor();
      await shows(name, 'Two hours');
      await own.getByText(/other values when you left it: Brief\./).waitFor();
      await shows(name, 'One letter');
      await again();
      await brief().fill('A third');
      await own.getByLabel('Name').fill('A name');
      await again();
      const texts = new Set<string>();
      for (let visit = 0; visit < 3; visit += 1) {
        await show().click();
        await expect.poll(() => own.getByLabel('Name').inputValue()).toBe('A name');
        await expect.poll(async () => texts.has((await brief().textContent()) ?? '')).toBe(false);
        texts.add((await brief().textContent()) ?? '');
      }
      expect(texts).toEqual(new Set(['One letter', 'Two hours', 'A third']));
      await own.getByRole('button', { name: 'Discard' }).click();
      await again();
      await own.getByText(/other values when you left it/).waitFor();
      await show().click();
      await expect.poll(() => own.getByLabel('Name').inputValue()).toBe('A name');
      expect([texts.has((await brief().textContent()) ?? ''), await show().count()]).toEqual([true, 0]);
    });

    test('is not offered after another text of the same field was saved, but with its other fields', {
      tags: ['long'],
    }, async () => {
      const path = `${campaigns}/2/edit`;
      const again = async () => {
        await own.goto('/organizations');
        await own.goto(path);
      };
      await own.goto(path);
      await own.getByLabel('Name').fill('Older name');
      await brief().fill('An hour');
      await again();
      await own.getByText(/other values when you left it: Name, Brief\./).waitFor();
      await own.getByLabel('Name').fill('Newer name');
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: Name.').waitFor();
      await again();
      await own.getByText(/other values when you left it: Brief\./).waitFor();
      await show().click();
      await expect.poll(() => brief().textContent()).toBe('An hour');
      expect(await own.getByLabel('Name').inputValue()).toBe('Newer name');
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: Brief.').waitFor();
      expect(await stored(`${campaigns}/2`)).toMatchObject({ name: 'Newer name', brief: '<p>An hour</p>' });
    });

    test('is not offered after another item was created, but after one was rejected', { tags: ['long'] }, async () => {
      const path = `${campaigns}/new`;
      await own.goto(path);
      await brief().fill('An hour');
      await own.goto(path);
      await own.getByLabel('Name').fill('Another');
      await own.getByLabel('CPM amount').fill('5,50');
      const create = () => own.getByRole('button', { name: 'Create campaign' }).click();
      await create();
      await own.getByRole('alert').waitFor();
      await own.goto(path);
      await own.getByText(/other values when you left it: Name, CPM amount, Brief\./).waitFor();
      await own.getByLabel('Name').fill('A third');
      await create();
      await own.getByText('Campaign created.').waitFor();
      await own.goto(path);
      await brief().click();
      expect(await show().count()).toBe(0);
      // Also on the page that the browser may have kept.
      await own.goBack();
      await own.goBack();
      await own.getByLabel('Name').waitFor();
      await expect.poll(() => show().count()).toBe(0);
    });

    test('is not offered in the form of a duplicate, nor that of a duplicate in another one', {
      tags: ['long'],
    }, async () => {
      const offered = async (path: string) => {
        await own.goto(path);
        await brief().click();
        return show().count();
      };
      const [from1, from2] = [1, 2].map((id) => `${campaigns}/new?from=${id}`) as [string, string];
      await own.goto(`${campaigns}/new`);
      await own.getByLabel('Name').fill('New');
      expect(await offered(from1)).toBe(0);
      await own.getByLabel('Name').fill('Duplicate');
      await own.waitForTimeout(500);
      await own.reload();
      expect(await own.getByLabel('Name').inputValue()).toBe('Duplicate');
      await own.getByRole('button', { name: 'Preview' }).click();
      await own.getByRole('heading', { name: 'Preview of the brief' }).waitFor();
      expect(await offered(from2)).toBe(0);
      for (const [path, name] of [
        [from1, 'Duplicate'],
        [`${campaigns}/new`, 'New'],
      ] as const) {
        await own.goto(path);
        await show().click();
        await expect.poll(() => own.getByLabel('Name').inputValue()).toBe(name);
        await own.getByRole('link', { name: 'Cancel' }).click();
      }
    });

    test('replaces the oldest texts of all forms where the browser has no room for more', {
      tags: ['long'],
    }, async () => {
      const errors: Error[] = [];
      own.on('pageerror', (error) => errors.push(error));
      const [first, second] = [`${campaigns}/1/edit`, `${campaigns}/2/edit`];
      const leave = async (path: string, text: string) => {
        await own.goto(path);
        await brief().fill(text);
        await own.goto('/organizations');
      };
      const fillStorage = (room: number) =>
        own.evaluate((left) => {
          sessionStorage.removeItem('other');
          const used = Object.entries(sessionStorage).flat().join('').length;
          sessionStorage.setItem('other', 'x'.repeat(5 * 1024 * 1024 - 'other'.length - used - left));
        }, room);
      await leave(first, 'Oldest '.repeat(900));
      await leave(second, 'Older '.repeat(900));
      await fillStorage(3000);
      await leave(second, 'Newer '.repeat(900));
      await own.goto(first);
      await brief().click();
      expect(await show().count()).toBe(0);
      await own.goto(second);
      for (const text of ['Older', 'Newer']) {
        await show().click();
        await expect.poll(() => brief().textContent()).toContain(text);
      }
      // Where there is no room for any, nothing else is different.
      await fillStorage(0);
      await brief().fill('Saved '.repeat(9000));
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: Brief.').waitFor();
      await own.goBack();
      await brief().fill('Saved again');
      await own.getByRole('button', { name: 'Save' }).click();
      await own.getByText('Saved: Brief.').waitFor();
      expect(await stored(`${campaigns}/2`)).toMatchObject({ brief: '<p>Saved again</p>' });
      expect(errors).toEqual([]);
    });

    test('is not offered after it was discarded, nor to another user', async () => {
      const again = async () => {
        await own.goto('/organizations');
        await own.goto('/me/address/edit');
      };
      await own.goto('/me/address/edit');
      await own.getByLabel('City').fill('Elsewhere');
      await again();
      await show().waitFor();
      await signIn(own, 'Ben Ito');
      await again();
      expect(await show().count()).toBe(0);
      await own.getByLabel('City').fill('Anywhere');
      await again();
      await own.getByRole('button', { name: 'Discard' }).click();
      expect(await show().count()).toBe(0);
      await again();
      expect([await show().count(), await own.getByLabel('City').inputValue()]).toEqual([0, '']);
    });
  });

  test('cancelling an action on ticked rows leads to the list with its ticks', async () => {
    const { page: own } = await openSession(browser, site, { scripts: true });
    await signIn(own, 'Ada Okafor');
    await own.goto(`${campaigns}?status=draft&sort=name`);
    for (const row of [0, 2]) await own.locator('tbody input').nth(row).check();
    const ticked = own.locator('tbody tr:has(:checked) th');
    const names = await ticked.allTextContents();
    for (const [action, link] of [
      ['Publish', 'Cancel'],
      ['Resume', 'Back to the campaigns'],
    ] as const) {
      await own.getByRole('button', { name: action }).click();
      await own.getByRole('link', { name: link }).click();
      await own.waitForURL(/campaigns\?status=draft&sort=name$/);
      await expect.poll(() => ticked.allTextContents()).toEqual(names);
    }
    // Where the list is not the page before, the link leads to it.
    await own.goto(`${campaigns}/actions?status=draft&action=publish&id=1`);
    await own.getByRole('link', { name: 'Cancel' }).click();
    await own.waitForURL(/campaigns\?status=draft$/);
    await own.context().close();
  });

  test('the box for all rows is ticked while all rows are', async () => {
    const { page: own } = await openSession(browser, site, { scripts: true });
    await signIn(own, 'Ada Okafor');
    await own.goto(`${campaigns}?status=draft`);
    const all = own.getByRole('checkbox', { name: 'Select all' });
    const row = own.locator('tbody input').nth(1);
    await all.check();
    await row.uncheck();
    expect(await all.isChecked()).toBe(false);
    await row.check();
    expect(await all.isChecked()).toBe(true);
    await own.context().close();
  });
});
