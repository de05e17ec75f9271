import { demoSeed } from '@mkt/server';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { connectToChromium, describeInChromium } from './chromium.js';
import { inaccessible, tooWide } from './looks.js';
import { openSession, serveWebSite, signIn, type WebSite } from './web-site.js';

const brand = '/organizations/5';

const setTextSize = (page: Page, size: string) =>
  page.evaluate((value) => document.documentElement.style.setProperty('font-size', value), size);

/** How many lines each word of the elements has. Addresses may break after a slash. */
const linesOfWords = (elements: Locator): Promise<number[]> =>
  elements.evaluateAll((all) =>
    all.flatMap((element) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const lines: number[] = [];
      for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const { 0: word, index } of (text.nodeValue ?? '').matchAll(/[^\s/-]+/g)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          lines.push(range.getClientRects().length);
        }
      return lines;
    }),
  );

// Many pages in a row, on busy machines.
vi.setConfig({ testTimeout: 180_000 });

describeInChromium('pages on a phone', () => {
  let site: WebSite;
  let browser: Browser;

  beforeAll(async () => {
    site = await serveWebSite();
    browser = await connectToChromium();
  }, 60_000);
  beforeEach(() => site.store.load(demoSeed()));
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const openPhone = async ({ scripts = false, width = 375, height = 667 } = {}) => {
    const { page, context } = await openSession(browser, site, { scripts, width });
    await page.setViewportSize({ width, height });
    await signIn(page, 'Ada Okafor');
    return { page, context };
  };

  test('large text leaves two thirds of the first screen to the page: the rest is in a menu that needs no scripts', async () => {
    const { page, context } = await openPhone();
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    for (const { width, size, isFolded } of [
      { width: 320, size: '100%', isFolded: false },
      { width: 375, size: '125%', isFolded: false },
      { width: 320, size: '150%', isFolded: true },
      { width: 375, size: '200%', isFolded: true },
      { width: 320, size: '200%', isFolded: true },
    ]) {
      await page.setViewportSize({ width, height: 640 });
      await page.goto(`${brand}/campaigns`);
      await setTextSize(page, size);
      const { height } = (await page.locator('header.top').boundingBox())!;
      expect([width, size, height < 640 / 3]).toEqual([width, size, true]);
      const menu = page.getByText('Menu', { exact: true });
      expect([width, size, await menu.isVisible()]).toEqual([width, size, isFolded]);
      if (isFolded) await menu.click();
      expect(await links.filter({ visible: true }).count()).toBe(5);
    }
    await links.filter({ hasText: 'Members' }).click();
    await page.waitForURL('**/members');
    await context.close();
  });

  test('breaks no name on top and no web address', async () => {
    const { page, context } = await openPhone();
    await page.goto(`${brand}/delete`);
    const names = await page
      .locator('.menu summary > span')
      .evaluateAll((all) =>
        all.map((name) => name.clientHeight / Number.parseFloat(getComputedStyle(name).lineHeight)),
      );
    expect(names.map(Math.round)).toEqual([1, 1]);
    for (const width of [375, 320])
      for (const path of [`${brand}/delete`, `${brand}/campaigns/3`, `${brand}/collabs/1`, '/organizations']) {
        await page.setViewportSize({ width, height: 667 });
        await page.goto(path);
        const lines = await linesOfWords(page.locator('main :is(dd, td)').filter({ visible: true }));
        expect([width, path, lines.length > 0, new Set(lines)]).toEqual([width, path, true, new Set([1])]);
      }
    await context.close();
  });

  test('a table of many columns in a brief scrolls in its own box, and breaks no word', {
    tags: ['long'],
  }, async () => {
    const cells = 'Creator Platform Deadline Deliverable Fee Status Comment Approval'.split(' ');
    const row = `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
    const brief = `<p>Before</p><table><tbody>${row.repeat(3)}</tbody></table>`;
    await site.store.transact((writer) => writer.update('campaigns', 1, { brief }));
    const { page, context } = await openPhone({ scripts: true });
    const table = page.locator('.prose table');
    const isScrolled = (box: Locator) => box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    for (const path of [`${brand}/campaigns/1`, `${brand}/campaigns/1/edit`]) {
      await page.setViewportSize({ width: 375, height: 667 });
      await page.goto(path);
      expect(new Set(await linesOfWords(table))).toEqual(new Set([1]));
      expect(await inaccessible(page)).toEqual([]);
      expect(await tooWide(page)).toEqual([]);
      const isEditor = path.endsWith('edit');
      expect([await isScrolled(table), await isScrolled(page.locator('.prose'))]).toEqual([!isEditor, isEditor]);
    }
    await context.close();
  });

  test('the button that deletes a brand covers neither the field for its name nor its label', async () => {
    const { page, context } = await openPhone();
    await page.goto(`${brand}/delete`);
    for (const width of [375, 320])
      for (let height = 500; height <= 1000; height += 50) {
        await page.setViewportSize({ width, height });
        const [field, bar] = await Promise.all([
          page.locator('form.fields .field').boundingBox(),
          page.locator('.actions.bar').boundingBox(),
        ]);
        expect([width, height, bar!.y >= field!.y + field!.height]).toEqual([width, height, true]);
      }
    await context.close();
  });

  test('buttons of a form stay in view only where they have one line', { tags: ['long'] }, async () => {
    const { page, context } = await openPhone();
    const bar = page.locator('.actions.bar');
    for (const path of [`${brand}/campaigns/1/edit`, `${brand}/campaigns/1/publish/confirm`])
      for (const size of ['100%', '150%', '200%'])
        for (const width of [375, 320]) {
          await page.setViewportSize({ width, height: 640 });
          await page.goto(path);
          await setTextSize(page, size);
          const [position, lines] = await bar.evaluate((element) => {
            const middles = [...element.children].map((child) => {
              const { top, bottom } = child.getBoundingClientRect();
              return Math.round((top + bottom) / 2);
            });
            return [getComputedStyle(element).position, Math.max(...middles) - Math.min(...middles) > 8 ? 2 : 1];
          });
          if (size === '100%') expect([path, width, position]).toEqual([path, width, 'sticky']);
          expect([path, size, width, position === 'static' || lines === 1]).toEqual([path, size, width, true]);
        }
    await context.close();
  });
});
