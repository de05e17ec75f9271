import { connectControl } from '@mkt/mock-server/control';
import { demoTokens } from '@mkt/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { connectToChromium, describeInChromium } from './chromium.js';
import { inaccessible, tooWide } from './looks.js';
import type { Lab } from './page/main.js';
import { servePage } from './page-server.js';
import { openSession, serveWebSite, type WebSite } from './web-site.js';

vi.setConfig({ testTimeout: 60_000 });

declare global {
  /** What page/main.ts puts there; the functions given to `evaluate` run in the page. */
  var lab: Lab;
}

/** Light and dark, wide and narrow. */
async function problemsOf(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const found = await inaccessible(page);
      problems.push(...found.map((problem) => `${colorScheme}, ${width} px: ${problem}`));
    }
  }
  return [...problems, ...(await tooWide(page))];
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** The message about the last action. */
const says = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const fill = async (page: Page, title: string, values: Readonly<Record<string, string>>, button: string) => {
  const form = page.getByRole('form', { name: title, exact: true });
  for (const [label, value] of Object.entries(values)) {
    const field = form.getByLabel(label, { exact: true });
    if ((await field.evaluate(({ tagName }) => tagName)) === 'SELECT') await field.selectOption(value);
    else await field.fill(value);
  }
  await form.getByRole('button', { name: button }).click();
};

describeInChromium('the panel in a page, over a mock', () => {
  let pages: Awaited<ReturnType<typeof servePage>>;
  let browser: Browser;
  let page: Page;

  const open = async (url = `${pages.url}?panel`): Promise<void> => {
    await page.goto(url);
    await page.waitForFunction(() => document.title === 'ready');
  };
  const list = () =>
    page.evaluate(async () => {
      const { baseUrl, tokens } = lab.mock;
      const mkt = new lab.Marketplace({ token: tokens.ada_write, baseUrl, retry: false });
      return mkt.campaigns
        .list(5)
        .count()
        .catch((error: Error) => error.name);
    });

  beforeAll(async () => {
    pages = await servePage();
    browser = await connectToChromium();
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    await open();
    await press(page, 'Mock');
  }, 60_000);
  afterEach(async () => {
    await page.evaluate(() => lab.mock.reset());
  });
  afterAll(async () => {
    await page?.context().close();
    await browser?.close();
    await pages?.close();
  });

  test('is accessible, light and dark, and fits its window', async () => {
    await press(page, 'Slow 2 s');
    await press(page, 'Save');
    await page.evaluate(() => lab.mkt.campaigns.list(5));
    expect(await problemsOf(page)).toEqual([]);
  });

  test('opens and closes with the keyboard, and keeps the focus', async () => {
    await page.keyboard.press('Escape');
    const launch = page.getByRole('button', { name: 'Mock', exact: true });
    expect(await launch.evaluate((button) => button.matches(':focus'))).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Mock panel' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Controls').evaluate((body) => body.matches(':focus'))).toBe(true);
  });

  test('adds and removes faults with one click', async () => {
    await page.getByLabel('For', { exact: true }).selectOption('campaigns.list');
    await press(page, 'Error 503');
    await says(page, 'was added.');
    expect(await list()).toBe('ServerError');
    await page.getByRole('button', { name: /^Remove fault_/ }).click();
    await says(page, 'was removed.');
    expect(await list()).toBe(45);
    await press(page, 'No connection');
    await press(page, 'Remove all');
    await says(page, 'All faults were removed.');
    expect(await list()).toBe(45);
  });

  test('has a button for each status that a front end handles', async () => {
    const statuses = [401, 403, 404, 422, 429, 500, 503];
    await page.getByLabel('For', { exact: true }).selectOption('');
    for (const status of statuses) {
      await press(page, status === 429 ? 'Rate limit 429' : `Error ${status}`);
      await says(page, 'was added.');
    }
    const effects = () => page.evaluate(() => lab.mock.faults.list().map(({ effect }) => effect));
    await expect.poll(effects).toMatchObject(statuses.map((status) => ({ status })));
  });

  test('keeps the styles of the page out', async () => {
    const styles = () =>
      page.getByRole('region', { name: 'Mock panel' }).evaluate((panel) => {
        const { direction, textTransform, letterSpacing, fontSize, textAlign } = getComputedStyle(panel);
        return { direction, textTransform, letterSpacing, fontSize, textAlign };
      });
    const before = await styles();
    const css = 'body { direction: rtl; text-transform: uppercase; letter-spacing: 9px; font-size: 30px }';
    const added = await page.addStyleTag({ content: css });
    expect(await styles()).toEqual(before);
    expect(before).toMatchObject({ direction: 'ltr', textTransform: 'none', letterSpacing: 'normal' });
    await added.evaluate((style) => style.parentNode?.removeChild(style));
  });

  test('shows requests as they come', async () => {
    const requests = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
    await press(page, 'Clear');
    await list();
    await expect.poll(() => requests.count()).toBe(1);
    expect(await requests.first().textContent()).toMatch(
      /GET \/organizations\/5\/campaigns\.json.*campaigns\.list.*200 \d+ ms$/s,
    );
  });

  test('moves the clock, and delays responses', async () => {
    await press(page, 'Freeze');
    const before = await page.evaluate(() => lab.mock.clock.read());
    await press(page, '+1 day');
    await says(page, 'The clock was moved.');
    const after = await page.evaluate(() => lab.mock.clock.read());
    expect([after.frozen, Date.parse(after.now) - Date.parse(before.now)]).toEqual([true, 86_400_000]);
    await press(page, '2 s');
    await says(page, 'Delay of responses: 2 s.');
    expect(await page.getByRole('button', { name: '2 s', exact: true }).getAttribute('aria-pressed')).toBe('true');
    const started = Date.now();
    await list();
    expect(Date.now() - started).toBeGreaterThan(1900);
  });

  test('starts and ends a simulation, and shows one that the code starts', async () => {
    const day = page.getByRole('button', { name: '1 day per second', exact: true });
    const views = () => page.evaluate(async () => (await lab.mkt.campaigns.get(5, 3)).view_count);
    const before = await views();
    await day.click();
    await says(page, 'Simulation: 1 day per second.');
    expect(await day.getAttribute('aria-pressed')).toBe('true');
    await expect.poll(views, { timeout: 20_000 }).toBeGreaterThan(before + 1000);
    await press(page, 'Off');
    await says(page, 'Simulation: Off.');
    expect(await page.evaluate(() => lab.mock.getSimulation())).toBe(false);
    await page.evaluate(() => lab.mock.simulate({ speed: 3600 }));
    const hour = page.getByRole('button', { name: '1 hour per second', exact: true });
    await expect.poll(() => hour.getAttribute('aria-pressed')).toBe('true');
  });

  test('marks the user whose token the last request had', async () => {
    const pressed = (name: string) =>
      page.getByRole('button', { name, exact: true }).evaluate((button) => button.ariaPressed);
    await list();
    await page.getByText('The last request was from usr_ada.').waitFor();
    expect(await Promise.all(['ada_write', 'ada_read', 'cleo_write'].map(pressed))).toEqual(['true', 'false', 'false']);
    await press(page, 'ada_read');
    await expect.poll(() => pressed('ada_write')).toBe('false');
    expect(await pressed('ada_read')).toBe('true');
    await press(page, 'Revoke this token');
    await says(page, 'Revoked ada_read. Its next call gets 401.');
    const statusOf = (token: string) =>
      page.evaluate(async (token) => {
        const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
        return (await fetch(`${lab.mock.baseUrl}/organizations.json`, { headers })).status;
      }, token);
    expect(await statusOf(demoTokens.ada_read)).toBe(401);
  });

  test('saves and restores snapshots, and resets', async () => {
    await press(page, 'Save');
    await page.evaluate(() => lab.mkt.campaigns.delete(5, 1));
    await page
      .getByRole('button', { name: /^Restore Snapshot/ })
      .last()
      .click();
    await says(page, 'was restored.');
    expect(await list()).toBe(45);
    await press(page, 'Load empty');
    await says(page, 'The data is empty.');
    await press(page, 'Reset everything');
    await says(page, 'Everything was reset.');
    expect(await list()).toBe(45);
  });

  test('loads the seed and the snapshot that it downloads', async () => {
    const exported = () => page.evaluate(() => lab.mock.export());
    const before = await exported();
    for (const [button, said] of [
      ['Download', 'The snapshot was restored.'],
      ['Download a seed', 'The seed was loaded.'],
    ] as const) {
      const [file] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
      const chunks: Buffer[] = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk);
      await press(page, 'Load empty');
      await says(page, 'The data is empty.');
      const upload = { name: file.suggestedFilename(), mimeType: 'text/plain', buffer: Buffer.concat(chunks) };
      await page.getByLabel('Restore a snapshot or a seed file').setInputFiles(upload);
      await says(page, said);
      expect(await exported()).toBe(before);
    }
  });

  test('keeps snapshots across a reload, and its keys from the shortcuts of the page', async () => {
    await press(page, 'Save');
    await says(page, 'was saved, until the tab is closed.');
    await page.reload();
    await page.waitForFunction(() => document.title === 'ready');
    await page.evaluate(() => {
      document.addEventListener('keydown', () => document.body.setAttribute('data-shortcut', ''));
    });
    await page.getByLabel('Filter').press('s');
    expect(await page.evaluate(() => document.body.hasAttribute('data-shortcut'))).toBe(false);
    const restore = page.getByRole('button', { name: /^Restore Snapshot/ }).last();
    await restore.click();
    await says(page, 'was restored.');
  });

  test('can be used while a modal dialog is open, and after it was closed or removed', async () => {
    const openDialog = () =>
      page.evaluate(() => {
        const dialog = document.createElement('dialog');
        dialog.textContent = 'A dialog of the page';
        document.body.append(dialog);
        dialog.showModal();
      });
    await openDialog();
    await press(page, 'Error 503');
    await says(page, 'was added.');
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Mock panel' }).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.querySelector('dialog')?.open)).toBe(true);
    await press(page, 'Mock');
    await page.evaluate(() => document.querySelector('dialog')?.close());
    await press(page, 'Close');
    await openDialog();
    await page.evaluate(() => {
      for (const dialog of document.querySelectorAll('dialog')) dialog.remove();
    });
    await press(page, 'Mock');
  });

  test('can undo a reset and a seed, because both save a snapshot first', async () => {
    for (const [label, message] of [
      ['Reset everything', 'Everything was reset.'],
      ['Load demo', 'The data is now demo.'],
    ] as const) {
      await page.evaluate(() => lab.mkt.campaigns.delete(5, 1));
      await press(page, label);
      await says(page, message);
      expect(await list()).toBe(45);
      await page
        .getByRole('button', { name: /^Restore Snapshot/ })
        .last()
        .click();
      await says(page, 'was restored.');
      expect(await list()).toBe(44);
      await page.evaluate(() => lab.mock.reset());
    }
  });

  test('shows changes that the code makes', async () => {
    await page.evaluate(() => {
      lab.mock.faults.add({ match: { operation: 'campaigns.list' }, effect: { status: 503 } });
      lab.mock.setLatency(2000);
      lab.mock.clock.freeze('2030-01-01T00:00:00Z');
    });
    const faults = page.getByRole('list', { name: 'Active faults' });
    await faults.getByText('applied 0 times').waitFor();
    await page.getByText('2030-01-01 00:00:00 UTC, frozen').waitFor();
    const slow = page.getByRole('button', { name: '2 s', exact: true });
    await expect.poll(() => slow.getAttribute('aria-pressed')).toBe('true');
    await page.evaluate(() => lab.mock.setLatency(0));
    await list();
    await faults.getByText('applied 1 time').waitFor();
  });

  test('filters requests, and shows their headers and bodies', async () => {
    await press(page, 'Clear');
    await list();
    await page.evaluate(() => lab.mkt.campaigns.create(5, { name: 'Glow' }));
    const requests = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
    await expect.poll(() => requests.count()).toBe(2);
    await page.getByLabel('Filter').fill('post');
    await expect.poll(() => requests.count()).toBe(1);
    await requests.getByText('POST').click();
    await requests.getByText('x-request-id: ').waitFor();
    const text = await requests.textContent();
    for (const part of ['"accept": "application/json"', '"name": "Glow"', '"status": "draft"'])
      expect(text).toContain(part);
    await page.getByLabel('Filter').fill('');
    await expect.poll(() => requests.count()).toBe(2);
  });

  test('has a badge while faults are active, and nothing that locators of the page find while it is closed', async () => {
    await press(page, 'Close');
    expect(await page.getByLabel('name').count()).toBe(0);
    expect(await page.getByText('Create').count()).toBe(0);
    const launch = page.getByRole('button', { name: 'Mock', exact: true });
    const badge = () =>
      launch.evaluate((button) => getComputedStyle(button.parentElement as Element, '::after').content);
    expect(await badge()).toBe('none');
    await page.evaluate(() => lab.mock.faults.add({ effect: 'malformed' }));
    await expect.poll(badge).toBe('"1 fault"');
    expect(await launch.getAttribute('aria-description')).toBe('1 fault');
    expect(await page.getByText('fault').count()).toBe(0);
    await page.evaluate(() => lab.mock.faults.clear());
    await expect.poll(badge).toBe('none');
    await launch.click();
    await page.getByRole('region', { name: 'Mock panel' }).waitFor();
  });

  test('leaves the lower corners to the buttons of other developer tools', async () => {
    await press(page, 'Close');
    const launch = page.getByRole('button', { name: 'Mock', exact: true });
    const { y = 0, height = 0 } = (await launch.boundingBox()) ?? {};
    // That of TanStack Query is 48 px high, 12 px above the edge, Next's 36 px and 20 px.
    expect((page.viewportSize()?.height ?? 0) - y - height).toBeGreaterThanOrEqual(64);
    await launch.click();
  });

  test('fits a window of 320 px, and covers little of it while it is closed', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const region = page.getByRole('region', { name: 'Mock panel' });
    const { x = -1, y = -1, width = 0, height = 0 } = (await region.boundingBox()) ?? {};
    expect([x >= 0, y >= 0, x + width <= 320, y + height <= 640]).toEqual([true, true, true, true]);
    expect(await tooWide(page)).toEqual([]);
    await press(page, 'Close');
    const launch = page.getByRole('button', { name: 'Mock', exact: true });
    const closed = await launch.boundingBox();
    expect(closed?.width).toBeLessThan(80);
    expect(closed?.height).toBeLessThan(48);
    await launch.click();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('says whether a reload keeps what was changed', async () => {
    await press(page, 'Load empty');
    await says(page, 'A reload of the page would lose it.');
  });

  test('has a corner and a theme, stays open over a reload, and loads data and starts a simulation that survive it', {
    tags: ['long'],
  }, async () => {
    const other = await page.context().newPage();
    const ready = () => other.waitForFunction(() => document.title === 'ready');
    await other.goto(`${pages.url}?panel&left&persist=session`);
    await ready();
    await press(other, 'Mock');
    const region = other.getByRole('region', { name: 'Mock panel' });
    expect(await region.boundingBox()).toMatchObject({ x: 12, y: 12 });
    expect(await region.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe('rgb(22, 24, 28)');
    await press(other, '1 hour per second');
    await press(other, 'Load empty');
    await says(other, 'Reload the page to see it');
    await Promise.all([other.waitForEvent('load'), press(other, 'Reload')]);
    await ready();
    await region.waitFor();
    const hour = other.getByRole('button', { name: '1 hour per second', exact: true });
    await expect.poll(() => hour.getAttribute('aria-pressed')).toBe('true');
    await press(other, 'Load large');
    await says(other, 'The data is now large. Organization 11, Amber Apparel 1, has 10,000 campaigns. Ada owns it.');
    await other.reload();
    await ready();
    expect(await other.evaluate(() => lab.mkt.campaigns.list(11).count())).toBe(10_000);
    await press(other, 'Close');
    await other.reload();
    await ready();
    expect(await region.count()).toBe(0);
    // Another panel replaces the first one.
    await other.evaluate(() => lab.mountPanel());
    expect(await other.locator('mkt-panel').count()).toBe(1);
    await other.close();
  });

  test('signs in: copies a token, and notifies the application', async () => {
    await page.evaluate(() => {
      document.addEventListener('mkt-sign-in', (event) => {
        document.body.dataset.token = (event as CustomEvent<{ token: string }>).detail.token;
      });
    });
    await press(page, 'cleo_write');
    await says(page, 'The token cleo_write is in the clipboard');
    expect(await page.evaluate(() => document.body.dataset.token)).toBe(demoTokens.cleo_write);
    await fill(page, 'Any user', { 'Id or e-mail': 'usr_dan', May: 'read' }, 'Create a token');
    await says(page, 'usr_dan');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^mkt_/);
  });

  test('shares its state as a link', async () => {
    await page.evaluate(() => lab.mkt.campaigns.delete(5, 1));
    await press(page, 'Error 500');
    await press(page, '100 to 300 ms');
    await page.evaluate(() => {
      location.hash = '#/campaigns';
    });
    await press(page, 'Copy link');
    await says(page, 'The link is in the clipboard.');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.evaluate(() => lab.mock.reset());
    // A new address with another fragment only would not load the page again.
    await page.goto('about:blank');
    await open(link);
    expect(new URL(page.url()).hash).toBe('#/campaigns');
    await press(page, 'Restore the state in the link');
    await says(page, 'The state was restored.');
    expect(await page.evaluate(() => lab.mock.getLatency())).toEqual([100, 300]);
    expect(await list()).toBe('ServerError');
    await press(page, 'Remove all');
    expect(await list()).toBe(44);
  });
});

describeInChromium("the server's console", () => {
  let site: WebSite;
  let browser: Browser;
  beforeAll(async () => {
    site = await serveWebSite();
    browser = await connectToChromium();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test('asks for the control token', async () => {
    const { page, context, problems } = await openSession(browser, site, { scripts: true });
    await page.goto('/__mkt');
    await fill(page, 'Control token', { 'The server printed it at startup': 'wrong' }, 'Open the console');
    await page.getByRole('alert').filter({ hasText: 'Send the control token' }).waitFor();
    await fill(page, 'Control token', { 'The server printed it at startup': site.controlToken }, 'Open the console');
    await page.getByRole('button', { name: 'Reset everything' }).waitFor();
    await context.close();
    expect(problems).toEqual([]);
  });

  test('is the same panel; its token does not stay in the URL, and its requests are not logged', async () => {
    const { page, context, problems } = await openSession(browser, site, { scripts: true });
    await page.goto(`/__mkt#token=${encodeURIComponent(site.controlToken)}`);
    await page.getByRole('button', { name: 'Reset everything' }).waitFor();
    expect(page.url()).toBe(`${site.url}/__mkt`);
    await press(page, 'Freeze');
    await page.getByText('UTC, frozen').waitFor();
    expect((await site.json(demoTokens.ada_write, '/organizations/5/campaigns/1.json')).status).toBe(200);
    const requests = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
    await expect.poll(() => requests.count(), { timeout: 5000 }).toBe(1);
    await press(page, 'No connection');
    await page.reload();
    await page.getByRole('button', { name: 'Remove fault_1' }).click();
    await press(page, 'Reset everything');
    await says(page, 'Everything was reset.');
    expect(await problemsOf(page)).toEqual([]);
    await context.close();
    expect(problems).toEqual([]);
  });

  test('shows what others change', async () => {
    const { page, context } = await openSession(browser, site, { scripts: true });
    await page.goto(`/__mkt#token=${encodeURIComponent(site.controlToken)}`);
    await page.getByRole('button', { name: 'Reset everything' }).waitFor();
    const control = connectControl({ url: `${site.url}/__mkt/v1`, token: site.controlToken });
    await control.faults.add({ match: { operation: 'address.get' }, effect: 'drop' });
    await control.setLatency(2000);
    await page.getByText('drop for address.get, applied 0 times').waitFor();
    const slow = page.getByRole('button', { name: '2 s', exact: true });
    await expect.poll(() => slow.getAttribute('aria-pressed'), { timeout: 5000 }).toBe('true');
    await control.reset();
    await context.close();
  });

  test('other pages allow no scripts, and other sites none of it', async () => {
    const policy = async (path: string) =>
      (await fetch(site.url + path, { headers: { accept: 'text/html' } })).headers.get('content-security-policy');
    expect(await policy('/__mkt')).toContain("script-src 'self'; connect-src 'self'");
    expect(await policy('/sign_in')).not.toContain('script-src');
    expect((await fetch(`${site.url}/__mkt`, { method: 'POST' })).status).toBe(405);
    const rebound = await fetch(`${site.url}/__mkt/v1/clock`, { headers: { authorization: 'Bearer wrong' } });
    expect(rebound.status).toBe(401);
  });
});
