import { demoSeed } from '@mkt/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectToChromium, describeInChromium } from './chromium.js';
import { inaccessible, invalidHtml, misfits, tooWide } from './looks.js';
import { openSession, serveWebSite, signIn, type WebSite } from './web-site.js';

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
  `${brand}/campaigns?status=active&used=80&currency=usd&from=2026-01-01&sort=-used_percent`,
  `${brand}/campaigns/actions?action=pause&id=3&id=4&id=7`,
  `${brand}/campaigns/actions?action=publish&id=1&id=2`,
  `${brand}/campaigns?print=1`,
  `${brand}/collabs?status=none`,
  `${brand}/search?name=w`,
  `${brand}/search?name=nothing`,
  `${brand}/members/mem_5_ben/edit`,
  `${brand}/campaigns/new?from=6`,
  `${brand}/campaigns?page=x`,
  `${brand}/campaigns?as=json`,
  `${brand}/campaigns/new`,
  `${brand}/campaigns/6`,
  `${brand}/campaigns/7/edit`,
  `${brand}/campaigns/1/delete`,
  `${brand}/campaigns/1/publish/confirm`,
  `${brand}/campaigns/3/delete`,
  `${brand}/collabs?page=2`,
  `${brand}/collabs/new?website=https%3A%2F%2Fshop.example`,
  ...[1, 2, 3].map((id) => `${brand}/collabs/${id}`),
  '/organizations/7/collabs',
  '/organizations/6',
  '/me/social_accounts',
  '/me/social_accounts/1',
  '/me/social_accounts/new',
  '/me/address',
  '/me/address/edit',
  '/me/address/delete',
  '/me/access_tokens',
  '/me/access_tokens/new',
  '/me/access_tokens/2/delete',
  '/docs',
  '/nowhere',
  '/sign_out',
  '/__mkt',
];

/** The contrast of a control's border to the page around it (WCAG 1.4.11). */
const borderContrast = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((control) => {
      const luminance = (color: string): number => {
        const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
          const value = Number(part) / 255;
          return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const around = luminance(getComputedStyle(document.body).backgroundColor);
      const border = luminance(getComputedStyle(control).borderTopColor);
      return (Math.max(around, border) + 0.05) / (Math.min(around, border) + 0.05);
    });

/** Opens filters, menus and all else that is folded. */
const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    for (const box of document.querySelectorAll<HTMLInputElement>('.fold input')) box.checked = true;
  });

/** The boxes that touch what is above or below them. Columns of boxes end with a margin. */
const touching = (page: Page): Promise<string[]> =>
  page.locator('main .sheet:not(.sheets *), main .sheets').evaluateAll((boxes) =>
    boxes.flatMap((box) => {
      const { top, bottom } = box.getBoundingClientRect();
      const above = box.previousElementSibling?.getBoundingClientRect().bottom ?? top - 8;
      const below = box.nextElementSibling?.getBoundingClientRect().top ?? bottom + 8;
      return top - above < 8 || (below - bottom < 8 && box.matches('.sheet')) ? box.className : [];
    }),
  );

// Some thirty pages in a row, on busy machines.
vi.setConfig({ testTimeout: 180_000 });

describeInChromium('every page of the web pages', () => {
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

  test.each([
    { which: 'of a brand', pages: paths.filter((path) => path.startsWith(brand)) },
    { which: 'outside of it', pages: paths.filter((path) => !path.startsWith(brand)) },
  ])(
    'pages $which: valid HTML, fits its window, needs at most 5 requests and is accessible: light, dark, at 400 %, with text of 200 % and all filters open, with the longest unbroken names',
    async ({ pages }) => {
      const { tables, serials } = demoSeed();
      const long = <Row extends object>(row: Row) => ({ ...row, name: 'W'.repeat(255) });
      const { users, organizations, campaigns, collabs } = tables;
      const people = users.map((row) => (row.id === 'usr_ada' ? row : long(row)));
      const rows = {
        organizations: organizations.map(long),
        campaigns: campaigns.map(long),
        collabs: collabs.map(long),
      };
      await site.store.load({ serials, tables: { ...tables, ...rows, users: people } });

      const left = [...pages];
      const faults: string[] = [];
      /** Looks at pages until none is left. Several windows do so at the same time. */
      const lookAtPages = async () => {
        const { page, context, problems } = await openSession(browser, site, { scripts: true });
        // Colors that fade from one scheme to the other would be looked at half-way.
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await signIn(page, 'Ada Okafor');
        await page.goto(`/__mkt#token=${encodeURIComponent(site.controlToken)}`);
        await page.getByRole('button', { name: 'Reset everything' }).waitFor();
        for (let path = left.shift(); path !== undefined; path = left.shift()) {
          await page.emulateMedia({ colorScheme: 'light' });
          await page.setViewportSize({ width: 1440, height: 800 });
          const response = await page.goto(path);
          // With those from the cache, and the page itself, but not what the console asks for.
          const requests = await page.evaluate(() => {
            const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
            return 1 + loaded.filter(({ initiatorType }) => initiatorType !== 'fetch').length;
          });
          const html = (await response?.text()) ?? '';
          const [invalid, light] = await Promise.all([invalidHtml(html), inaccessible(page)]);
          await page.emulateMedia({ colorScheme: 'dark' });
          // It ends at the narrowest width, which is a window of 1280 px at 400 %.
          const wide = await misfits(page);
          const dark = await inaccessible(page);
          await unfold(page);
          await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
          const large = (await misfits(page)).map((fault) => `text of 200 %: ${fault}`);
          // At least the page and its stylesheet.
          const many = requests < 2 || requests > 5 ? [`${requests} requests`] : [];
          faults.push(
            ...[...invalid, ...light, ...dark, ...wide, ...large, ...many].map((fault) => `${path}: ${fault}`),
          );
        }
        await context.close();
        faults.push(...problems);
      };
      await Promise.all(Array.from({ length: 3 }, lookAtPages));
      expect(faults).toEqual([]);
    },
  );

  test('the form to jump to a page fits a phone with text of 200 %', async () => {
    const { tables, serials } = demoSeed();
    const [campaign] = tables.campaigns.filter(({ organization_id: organization }) => organization === 5);
    if (!campaign) throw new Error('The demo data has no campaign.');
    const copies = Array.from({ length: 150 }, (_, place) => ({ ...campaign, id: 1000 + place }));
    await site.store.load({ serials, tables: { ...tables, campaigns: [...tables.campaigns, ...copies] } });
    const { page, context } = await openSession(browser, site, { scripts: true, width: 320 });
    await signIn(page, 'Ada Okafor');
    await page.goto(`${brand}/campaigns`);
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    await page.getByRole('button', { name: 'Go', exact: true }).waitFor();
    expect(await tooWide(page)).toEqual([]);
    await context.close();
  });

  test.each([320, 375])(
    'two values next to each other fit a phone of %i px with text twice as large',
    async (width) => {
      await site.store.load(demoSeed());
      const { page, context } = await openSession(browser, site, { scripts: true, width });
      await signIn(page, 'Ada Okafor');
      await page.goto(`${brand}/campaigns/1`);
      await site.store.transact((writer) => writer.update('campaigns', 1, { countries: ['JP'], cpm_amount: 9999 }));
      await page.getByRole('link', { name: 'Publish' }).click();
      await page.getByText('When you opened the page').first().waitFor();
      await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
      expect(await tooWide(page)).toEqual([]);
      await context.close();
    },
  );

  test('lists in any order fit their windows, with long names and large amounts', { tags: ['long'] }, async () => {
    const { tables, serials } = demoSeed();
    const name = 'Autumn launch of the waterproof mascara with all creators of the first season';
    const large = <Row extends object>(row: Row) => ({
      ...row,
      name,
      ...Object.fromEntries(
        Object.entries(row)
          .filter(([field]) => /^(?:total_budget_amount|used_amount|.*_count)$/.test(field))
          .map(([field, value]) => [field, 1000 * Number(value)]),
      ),
    });
    const rows = { campaigns: tables.campaigns.map(large), collabs: tables.collabs.map(large) };
    await site.store.load({ serials, tables: { ...tables, ...rows } });
    const { page, context } = await openSession(browser, site);
    await signIn(page, 'Ada Okafor');
    const hidden: string[] = [];
    for (const list of ['campaigns', 'collabs']) {
      await page.goto(`${brand}/${list}`);
      const orders = await page
        .locator('[name=sort] option')
        .evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value));
      expect(orders.length).toBeGreaterThan(4);
      for (const order of orders) {
        await page.goto(`${brand}/${list}?sort=${order}`);
        for (const width of [1280, 1024, 768, 375, 320]) {
          await page.setViewportSize({ width, height: 800 });
          const over = await page
            .locator('html, .scroll')
            .evaluateAll((all) => all.map((box) => box.scrollWidth - box.clientWidth));
          if (over.some((pixels) => pixels > 0)) hidden.push(`${list} ${order} ${width}: ${over}`);
        }
      }
    }
    expect(hidden).toEqual([]);
    await context.close();
  });

  test('has borders of 3:1 around controls, all columns in any window, and a current page without colors', {
    tags: ['long'],
  }, async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site, { scripts: true });
    await signIn(page, 'Ada Okafor');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${brand}/campaigns/new`);
      await page.getByRole('checkbox', { name: 'tiktok' }).uncheck();
      await page.getByLabel('Website').focus();
      const boxes = ['[type=checkbox]:checked', '[type=checkbox]:not(:checked)'];
      for (const selector of ['#field-name', 'select', ...boxes, 'textarea', 'button.quiet']) {
        expect([colorScheme, selector, await borderContrast(page, selector)]).toEqual([
          colorScheme,
          selector,
          expect.toSatisfy((contrast: number) => contrast >= 3),
        ]);
      }
      await page.goto(`${brand}/campaigns`);
      expect(await borderContrast(page, 'meter')).toBeGreaterThanOrEqual(3);
      const track = await page
        .locator('meter')
        .first()
        .evaluate((meter) => getComputedStyle(meter).backgroundColor);
      expect(track).toBe({ light: 'rgb(236, 239, 244)', dark: 'rgb(38, 45, 58)' }[colorScheme]);
    }
    for (const width of [1280, 1024]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${brand}/campaigns`);
      const table = page.getByRole('region', { name: 'Campaigns' });
      expect(await table.getByRole('columnheader').count()).toBe(8);
      // With the keyboard, the last column comes into the window, and the names of the rows stay.
      await table.focus();
      await page.keyboard.press('End');
      for (let presses = 0; presses < 30; presses += 1) await page.keyboard.press('ArrowRight');
      const isVisible = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((cell) => {
            const { left, right } = cell.getBoundingClientRect();
            return left >= 0 && right <= innerWidth;
          });
      await expect.poll(() => isVisible('thead th:last-child')).toBe(true);
      expect(await isVisible('tbody th')).toBe(true);
    }
    // What a list is sorted by is in the window of a laptop, and a row has one line.
    await page.setViewportSize({ width: 1366, height: 768 });
    await page.goto(`${brand}/campaigns?sort=-effective_cpm`);
    const sorted = await page.locator('thead th[aria-sort]').boundingBox();
    const shown = await page.getByRole('region', { name: 'Campaigns' }).boundingBox();
    const rightOf = (box: typeof shown) => (box?.x ?? 0) + (box?.width ?? 0);
    expect([sorted !== null, rightOf(sorted) <= rightOf(shown)]).toEqual([true, true]);
    // With its column, all of them still fit, and no row has more than two lines.
    await page.setViewportSize({ width: 1280, height: 800 });
    const table = page.getByRole('region', { name: 'Campaigns' });
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    const tall = await table
      .locator('tbody tr')
      .evaluateAll((rows) => rows.filter((row) => row.clientHeight > 65).length);
    expect(tall).toBe(0);
    await page.goto(brand);
    expect((await page.locator('.spending tbody tr').first().boundingBox())?.height).toBeLessThan(50);
    // On tablets, all of them are in the window.
    for (const list of ['campaigns', 'collabs']) {
      await page.goto(`${brand}/${list}`);
      for (const width of [641, 700, 750, 768]) {
        await page.setViewportSize({ width, height: 800 });
        const hidden = await page.locator('.scroll').evaluate((table) => table.scrollWidth - table.clientWidth);
        expect([list, width, hidden]).toEqual([list, width, 0]);
      }
      const active = await page
        .locator('.badge', { hasText: /^(active|published)$/ })
        .first()
        .boundingBox();
      expect(active?.height).toBeLessThan(30);
    }
    await page.goto(`${brand}/campaigns`);
    // On a phone, each row is a card with all of its values.
    await page.setViewportSize({ width: 320, height: 800 });
    const card = page.locator('tbody tr').first();
    const box = await card.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
    expect(
      await card.locator('td[data-label]').evaluateAll((cells) => cells.map((cell) => cell.clientWidth > 0)),
    ).toEqual(Array(7).fill(true));
    expect(box?.height).toBeLessThan(200);
    expect((await card.locator('th').boundingBox())?.width).toBeGreaterThan((box?.width ?? 0) - 40);
    // It is ticked in its corner, which is as large as a finger.
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 4, (box?.y ?? 0) + 4);
    expect(await card.locator('input').isChecked()).toBe(true);
    // Actions stay in view: those for ticked rows, of a confirmation and of a form.
    const isInView = (selector: string) =>
      page.locator(selector).evaluate((bar) => {
        const { top, bottom } = bar.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight && document.documentElement.scrollHeight > 2 * innerHeight;
      });
    expect(await isInView('.selection')).toBe(true);
    await card.locator('input').uncheck();
    await page.setViewportSize({ width: 320, height: 500 });
    const many = Array.from({ length: 20 }, (_, index) => `&id=${3 + index}`).join('');
    await page.goto(`${brand}/campaigns/actions?action=pause${many}`);
    expect(await isInView('.actions.bar')).toBe(true);
    await page.goto(`${brand}/campaigns/1/edit`);
    expect(await isInView('.actions.bar')).toBe(true);
    // Filters are folded, so that the first row is on the first screen.
    await page.setViewportSize({ width: 375, height: 667 });
    await page.goto(`${brand}/campaigns`);
    const order = page.getByRole('combobox', { name: 'Order' });
    const firstRow = await card.boundingBox();
    expect([await order.isVisible(), (firstRow?.y ?? 0) + (firstRow?.height ?? 0) < 667]).toEqual([false, true]);
    await page.getByText('Filter and sort').click();
    expect(await order.isVisible()).toBe(true);
    for (const path of [...['campaigns', 'collabs', 'members'].map((list) => `${brand}/${list}`), '/organizations']) {
      await page.goto(path);
      const heights = await page
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map(({ clientHeight }) => clientHeight));
      expect([path, heights.length > 0, heights.filter((height) => height > 160)]).toEqual([path, true, []]);
    }
    // A number is on one line.
    for (const width of [1280, 1024, 375]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(brand);
      const heights = await page.locator('.tile .big').evaluateAll((all) => all.map((one) => one.clientHeight));
      expect([width, new Set(heights).size, heights.length]).toEqual([width, 1, 3]);
    }
    await page.goto(`${brand}/campaigns/3`);
    const figures = page.locator('.figures dd:not(:has(meter))');
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      expect(new Set(await figures.evaluateAll((all) => all.map((one) => one.clientHeight))).size).toBe(1);
    }
    // The card of a member: its name is where its other values begin.
    await page.goto(`${brand}/members`);
    const member = page.locator('tbody tr').nth(1);
    expect((await member.boundingBox())?.height).toBeLessThanOrEqual(160);
    const left = async (selector: string) => {
      const [x, padding] = await member
        .locator(selector)
        .first()
        .evaluate((cell) => [cell.getBoundingClientRect().left, getComputedStyle(cell).paddingLeft] as const);
      return x + Number.parseFloat(padding);
    };
    expect(await left('th')).toBe(await left('td'));
    // On the first screen of a phone: what needs attention.
    await page.setViewportSize({ width: 375, height: 667 });
    await page.goto(brand);
    const first = await page.locator('.attention li').first().boundingBox();
    expect((first?.y ?? 0) + (first?.height ?? 0)).toBeLessThan(667);
    await page.goto(`${brand}/campaigns`);
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await page.locator('.pager [aria-current]').evaluate((link) => getComputedStyle(link).outlineStyle)).toBe(
      'solid',
    );
    const colors = await page
      .locator('tbody th > a')
      .first()
      .evaluate((link) => [getComputedStyle(link).borderTopColor, getComputedStyle(document.body).backgroundColor]);
    expect(new Set(colors).size).toBe(1);
    await page.goto(`${brand}/campaigns/new`);
    const pictureOf = (name: string) => page.getByRole('checkbox', { name }).screenshot();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, forcedColors: 'active' });
      expect([colorScheme, (await pictureOf('YouTube')).equals(await pictureOf('Instagram'))]).toEqual([
        colorScheme,
        false,
      ]);
    }
    await context.close();
  });

  test('text of twice the size, as set in the browser, fits windows and breaks no heading', {
    tags: ['long'],
  }, async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site);
    await signIn(page, 'Ada Okafor');
    const settings = await context.newCDPSession(page);
    await settings.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    await page.goto(`${brand}/campaigns`);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px');
    expect((await page.locator('header.top').boundingBox())?.height).toBeLessThan(200);
    await page.goto('/docs');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
    for (const width of [375, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${brand}/campaigns`);
      expect((await page.getByRole('heading', { level: 1 }).boundingBox())?.height).toBeLessThan(70);
    }
    await context.close();
  });

  test('a state on the card of a phone is as high as its text, also next to two lines', async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site, { width: 320 });
    await signIn(page, 'Ada Okafor');
    await page.goto('/organizations');
    const badges = page.locator('td .badge');
    expect(await badges.count()).toBeGreaterThan(1);
    const heights = await badges.evaluateAll((all) => all.map((badge) => badge.clientHeight));
    expect([...new Set(heights)]).toHaveLength(1);
    await context.close();
  });

  test("hides no column behind the window's edge, whatever the size of text in the browser's settings", {
    tags: ['long'],
  }, async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site);
    await signIn(page, 'Ada Okafor');
    const settings = await context.newCDPSession(page);
    const lists = [`${brand}/campaigns`, `${brand}/collabs`, `${brand}/campaigns/actions?id=2&action=publish`];
    for (const standard of [16, 24, 32]) {
      await settings.send('Page.setFontSizes', { fontSizes: { standard } });
      for (const list of lists) {
        await page.goto(list);
        const hidden = await page.locator('section.scroll').evaluate((box) => box.scrollWidth - box.clientWidth);
        expect([standard, list, hidden]).toEqual([standard, list, 0]);
      }
    }
    await context.close();
  });

  test('shows the names on top whole, with large text too, and of a long one two lines', {
    tags: ['long'],
  }, async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site);
    await signIn(page, 'Ada Okafor');
    await page.goto(`${brand}/campaigns`);
    const names = page.locator('.menu summary > span');
    for (const text of ['100%', '200%'])
      for (const width of [1280, 800, 390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        await page.locator('html').evaluate((root, size) => root.style.setProperty('font-size', size), text);
        const closed = page.locator('.all:not([open]) > summary');
        if (await closed.isVisible()) await closed.click();
        const shown = await names.evaluateAll((all) =>
          all.map((name) => {
            const arrow = Number.parseFloat(getComputedStyle(name.parentElement!, '::after').width);
            const isWhole = name.scrollWidth <= name.clientWidth && name.scrollHeight <= name.clientHeight;
            // A line break is only between words.
            const range = document.createRange();
            const words = [...name.textContent!.matchAll(/\S+/g)].map(({ 0: word, index }) => {
              range.setStart(name.firstChild!, index);
              range.setEnd(name.firstChild!, index + word.length);
              return range.getClientRects().length;
            });
            return { isWhole, hasArrow: arrow >= 16, words };
          }),
        );
        const whole = { isWhole: true, hasArrow: true, words: [1, 1] };
        expect([text, width, shown]).toEqual([text, width, [whole, whole]]);
        const places = await Promise.all([names.first().boundingBox(), names.last().boundingBox()]);
        const [left, right] = places.map((box) => (box?.y ?? 0) + (box?.height ?? 0) / 2);
        if (text === '100%') expect([width, Math.round(left! - right!)]).toEqual([width, 0]);
      }
    await site.store.transact((writer) => writer.update('organizations', 5, { name: `${'Acme '.repeat(12)}Holding` }));
    await page.reload();
    const [lines, arrow] = await names.first().evaluate((name) => {
      const { height, lineHeight } = getComputedStyle(name);
      const { width } = getComputedStyle(name.parentElement!, '::after');
      return [Number.parseFloat(height) / Number.parseFloat(lineHeight), Number.parseFloat(width)];
    });
    expect([Math.round(lines!), arrow! >= 16]).toEqual([2, true]);
    await context.close();
  });

  test.each([
    { list: 'campaigns', text: '100%', highest: 112 },
    { list: 'collabs', text: '100%', highest: 112 },
    { list: 'campaigns', text: '200%', highest: 240 },
    { list: 'collabs', text: '200%', highest: 240 },
  ])('the bar for ticked $list fits a phone with text of $text, for fingers', async ({ list, text, highest }) => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site, { scripts: true });
    await signIn(page, 'Ada Okafor');
    for (const width of [375, 320]) {
      await page.setViewportSize({ width, height: 667 });
      await page.goto(`${brand}/${list}`);
      await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), text);
      await page.locator('tbody td.select input').first().check();
      const bar = page.locator('.selection');
      const box = await bar.boundingBox();
      // It is at the bottom of the window, as wide as it.
      expect([width, box?.x, box?.width, Math.round((box?.y ?? 0) + (box?.height ?? 0))]).toEqual([
        width,
        0,
        width,
        667,
      ]);
      expect(box?.height).toBeLessThanOrEqual(highest);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await bar.evaluate((form) => form.scrollWidth - form.clientWidth)).toBe(0);
      const controls = await bar.locator('select, button').evaluateAll((all) =>
        all.map((control) => {
          const { left, right, width, height } = control.getBoundingClientRect();
          const { font, paddingLeft, paddingRight } = getComputedStyle(control);
          const canvas = document.createElement('canvas').getContext('2d')!;
          canvas.font = font;
          const chosen = control instanceof HTMLSelectElement ? (control.selectedOptions[0]?.text ?? '') : '';
          const needed =
            canvas.measureText(chosen).width + Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight);
          return {
            isIn: left >= 0 && right <= innerWidth,
            isLarge: width >= 44 && height >= 44,
            isWhole: control.scrollWidth <= control.clientWidth && needed <= control.clientWidth,
          };
        }),
      );
      expect([width, controls]).toEqual([width, Array(5).fill({ isIn: true, isLarge: true, isWhole: true })]);
      const corner = await page.locator('tbody td.select').first().boundingBox();
      expect([corner!.width >= 44, corner!.height >= 44]).toEqual([true, true]);
      // What the last one is called is the same as in wide windows.
      await bar.getByRole('button', { name: 'Delete…' }).click();
      await page.waitForURL(/action=delete/);
    }
    await context.close();
  });

  test('the keyboard moves to nothing that the bar with the actions covers', { tags: ['long'] }, async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site, { scripts: true });
    await signIn(page, 'Ada Okafor');
    await page.setViewportSize({ width: 375, height: 667 });
    const lists = [`${brand}/campaigns/actions?action=pause&select=all`, `${brand}/collabs`];
    for (const path of [...lists, `${brand}/campaigns/1/edit`]) {
      await page.goto(path);
      const boxes = page.locator('tbody td.select input');
      if ((await boxes.count()) > 0) await boxes.first().check();
      const covered: string[] = [];
      for (let presses = 0; presses < 45; presses += 1) {
        await page.keyboard.press('Tab');
        const name = await page.evaluate(() => {
          const focused = document.activeElement!;
          const bar = document.querySelector('.actions.bar')!.getBoundingClientRect();
          const { top, bottom } = focused.getBoundingClientRect();
          const isOver = bottom > bar.top && top < bar.bottom && !focused.matches('body, .bar *, .scroll');
          return isOver ? `${focused.localName} "${focused.textContent?.trim()}"` : '';
        });
        if (name) covered.push(name);
      }
      expect([path, covered]).toEqual([path, []]);
    }
    await context.close();
  });

  test('a confirmation for selected campaigns shows their names whole, and their numbers', async () => {
    await site.store.load(demoSeed());
    const name = 'Autumn launch of the waterproof mascara with all creators of the first season in the ';
    await site.store.transact(async (writer) => {
      await writer.update('campaigns', 1, { name: `${name}north`, total_budget_amount: 0 });
      await writer.update('campaigns', 2, { name: `${name}south`, total_budget_amount: 0 });
    });
    const { page, context } = await openSession(browser, site, { width: 375 });
    await signIn(page, 'Ada Okafor');
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 667 });
      await page.goto(`${brand}/campaigns/actions?action=delete&id=1&id=2`);
      const rows = page.locator('.plan tbody th');
      expect(await rows.allInnerTexts()).toEqual([
        expect.stringMatching(/north\s#1$/),
        expect.stringMatching(/south\s#2$/),
      ]);
      const cut = await rows.locator('a').evaluateAll((all) => all.map((a) => a.scrollHeight - a.clientHeight));
      expect([width, cut]).toEqual([width, [0, 0]]);
    }
    await context.close();
  });

  test('a printed list is light, whole, with totals, on at most three pages', async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site, { colorScheme: 'dark', scripts: true });
    await signIn(page, 'Ada Okafor');
    await page.goto(`${brand}/campaigns`);
    await page.getByRole('link', { name: 'Print view' }).click();
    await page.waitForURL(/print=1/);
    expect(await page.locator('tbody tr').count()).toBe(45);
    expect(await page.locator('main input, main button, main form').count()).toBe(0);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('tfoot tr').first().isVisible()).toBe(true);
    const cut = page
      .locator('tbody th > a')
      .evaluateAll((all) => all.filter((a) => a.scrollHeight > a.clientHeight + 1));
    expect(await cut).toHaveLength(0);
    expect(await page.locator('header.top').isVisible()).toBe(false);
    expect(await page.locator('.crumbs').textContent()).toContain('Acme Cosmetics');
    expect(await page.locator('.crumbs').isVisible()).toBe(true);
    // Names begin where their head does.
    const [head, name] = await page.locator('thead th:first-child, tr:nth-child(2) th > a').evaluateAll((all) =>
      all.map((element) => {
        const text = document.createRange();
        text.selectNodeContents(element);
        return text.getClientRects()[0]?.left;
      }),
    );
    expect(name).toBe(head);
    const colors = await page
      .locator('tbody td')
      .nth(1)
      .evaluate((cell) => [getComputedStyle(cell).color, getComputedStyle(document.body).backgroundColor]);
    expect(colors).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    const pages = async () => {
      const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
      return pdf.match(/\/Type\s*\/Page\b/g)?.length;
    };
    expect(await pages()).toBeLessThanOrEqual(3);
    // Of rows with one line, 40 are on a page.
    const { tables, serials } = demoSeed();
    const copies = Array.from({ length: 400 }, (_, index) => ({
      ...tables.campaigns[3]!,
      id: index + 1,
      name: 'Glow',
    }));
    await site.store.load({ serials: { ...serials, campaigns: 401 }, tables: { ...tables, campaigns: copies } });
    await page.reload();
    expect(await page.locator('tbody tr').count()).toBe(400);
    expect(await pages()).toBeLessThanOrEqual(10);
    await context.close();
  });

  test('scripts group amounts, show local times, close menus, tick all rows and continue a form', async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site, { scripts: true, timezoneId: 'America/Los_Angeles' });
    await signIn(page, 'Ada Okafor');
    await page.goto(`${brand}/campaigns/1/edit`);
    const amount = page.getByLabel('Max payout amount');
    await amount.fill('25000');
    await amount.hover();
    await page.mouse.wheel(0, 300);
    await page.getByLabel('Name').focus();
    expect(await amount.inputValue()).toBe('25,000');
    await amount.focus();
    expect(await amount.inputValue()).toBe('25000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('dd', { hasText: '25,000 USD' }).waitFor();

    const menu = page.locator('details.menu').first();
    const heading = page.getByRole('heading', { level: 1 });
    const before = await heading.boundingBox();
    await menu.locator('summary').click();
    expect([await menu.getAttribute('open'), await heading.boundingBox()]).toEqual(['', before]);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect([colorScheme, await inaccessible(page)]).toEqual([colorScheme, []]);
    }
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('open')).toBeNull();

    await page.goto(`${brand}/campaigns`);
    expect(await page.locator('time').first().textContent()).not.toContain('UTC');
    // Each time names its zone, because the filter by dates is in UTC.
    await site.store.transact((writer) => writer.update('campaigns', 45, { published_at: '2026-01-10T05:00:00.000Z' }));
    await page.goto(`${brand}/campaigns?from=2026-01-10&to=2026-01-10`);
    await page.goto(`${brand}/campaigns?from=2026-01-10&to=2026-01-10`);
    const time = page.locator('tr:has(#row-45) time');
    expect([await time.textContent(), await time.getAttribute('title')]).toEqual([
      '9 Jan 2026, 21:00 GMT-8',
      '10 Jan 2026, 05:00 UTC',
    ]);
    await site.store.transact((writer) => writer.update('campaigns', 45, { published_at: '2036-01-10T05:00:00.000Z' }));
    await page.goto(brand);
    const day = page.locator('.activity time').first();
    expect([await day.textContent(), await day.getAttribute('title')]).toEqual(['9 Jan 2036', '10 Jan 2036 UTC']);
    await page.goto(`${brand}/campaigns`);
    await page.getByLabel('Select all campaigns on this page').check();
    expect(await page.locator('tbody input:checked').count()).toBe(20);
    await page.getByRole('button', { name: 'Pause…' }).click();
    expect(await heading.textContent()).toMatch(/^Pause \d+ campaigns\?$/);

    await page.goto(`${brand}/campaigns/3/edit`);
    await page.getByLabel('Name').fill('Typed for an hour');
    await context.clearCookies({ name: /session/ });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    const entries = await page.evaluate(() => history.length);
    await page.getByRole('button', { name: 'Sign in as Ada Okafor, write' }).click();
    await page.waitForURL('**/campaigns/3/edit');
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed for an hour');
    // Going back leads to the form that signs in, not to a page that leads here again.
    expect(await page.evaluate(() => history.length)).toBe(entries + 1);
    await context.close();
  });

  test('the same after a form was sent: refused fields, a new secret, a flash, what is not permitted', async () => {
    await site.store.load(demoSeed());
    const { page, context } = await openSession(browser, site, { colorScheme: 'dark', scripts: true });
    const seen: string[] = [];
    const look = async (what: string) => {
      const invalid = await invalidHtml(await page.content());
      for (const fault of [...invalid, ...(await misfits(page)), ...(await inaccessible(page))])
        seen.push(`${what}: ${fault}`);
    };
    await signIn(page, 'Ben Ito');
    await page.goto(`${brand}/campaigns/new`);
    await page.getByLabel('Name').fill('x'.repeat(300));
    await page.getByLabel('Countries').fill('XX');
    await page.getByLabel('CPM amount').fill('1k');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('.error').count()).toBe(3);
    // The currency covers no digit.
    const unit = await page.locator('#field-cpm_amount-unit').boundingBox();
    const start = await page.locator('#field-cpm_amount').evaluate((input) => {
      return input.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(input).paddingLeft);
    });
    expect(unit!.x + unit!.width).toBeLessThan(start);
    // What marks it is visible in both schemes, as all borders of controls are.
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect([colorScheme, (await borderContrast(page, '#field-cpm_amount')) >= 3]).toEqual([colorScheme, true]);
    }
    await page.setViewportSize({ width: 375, height: 667 });
    expect(await touching(page)).toEqual([]);
    await look('422 at the fields');
    expect(await page.locator(':focus').getAttribute('role')).toBe('alert');

    await page.goto('/me/access_tokens/new');
    await page.getByLabel('Description').fill('CI');
    await page.getByLabel('Permission').selectOption('read');
    await page.getByRole('button', { name: 'Create access token' }).click();
    await page.locator('.secret').waitFor();
    await look('a new secret');

    await signIn(page, 'Ada Okafor');
    for (const path of [`${brand}/campaigns/6`, `${brand}/campaigns/1/publish/confirm`]) {
      await page.goto(path);
      expect([path, await touching(page)]).toEqual([path, []]);
    }
    await page.goto(`${brand}/campaigns/actions?action=pause&id=3&id=4&id=6`);
    await site.store.transact((writer) => writer.update('campaigns', 6, { name: 'Changed' }));
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('alert').waitFor();
    expect(await touching(page)).toEqual([]);
    // Each value is below its name.
    const [opened, value] = await page
      .locator('.versions :is(dt, dd)')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    expect(value!.top).toBeGreaterThanOrEqual(opened!.bottom);
    await look('422 on a page for selected campaigns');
    await page.goto(`${brand}/delete`);
    expect(await touching(page)).toEqual([]);
    await page.getByLabel('Name of the brand').fill('Other');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alert').waitFor();
    await look('422 on a confirmation page');

    await page.goto(`${brand}/campaigns/1/edit`);
    const category = page.getByLabel('Category');
    await category.fill('beauty');
    await site.store.transact((writer) => writer.update('campaigns', 1, { category: 'toys', name: 'Changed' }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('.versions').count()).toBe(2);
    await look('422 because of a change elsewhere');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
    await look('a preview');
    const preview = await page.locator('form > .brief').boundingBox();
    const actions = await page.locator('form > .actions').boundingBox();
    expect(actions!.y - preview!.y - preview!.height).toBeGreaterThan(10);
    await page.context().clearCookies({ name: /session/ });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await look('an expired session');
    await page.route('**/assets/pages-*.js', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign in as Ben Ito, write' }).click();
    await page.getByRole('heading', { name: 'You are signed in again' }).waitFor();
    await look('signed in again, without scripts');

    expect((await page.goto(`${brand}/delete`))?.status()).toBe(403);
    await look('403');
    await signIn(page, 'Ada Okafor', 'read');
    expect((await page.goto(`${brand}/campaigns/new`))?.status()).toBe(401);
    await look('401');
    await context.close();
    expect(seen).toEqual([]);
  });
});
