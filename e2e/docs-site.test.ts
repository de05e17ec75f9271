import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { describeInChromium, launch } from './browser/chromium.js';
import { inaccessible, tooWide } from './browser/looks.js';
import { root } from './support/docs/blocks.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const site = join(root, 'site/dist');
const pagesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort();

/** Builds it as `npm run site` does; a link within it that leads nowhere fails the build. */
beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'scripts/site.mjs')]);
  expect(stdout).toMatch(/^\d+ pages in site\/dist\n$/);
});

describe('the documentation as a site', () => {
  test('has a page and its Markdown for everything in llms.txt', () => {
    const index = readFileSync(join(site, 'llms.txt'), 'utf8');
    const targets = [...index.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(20);
    const pages = pagesOf(site);
    expect(targets.filter((target) => !pages.includes(target.replace(/md$/, 'html')))).toEqual([]);
    const whole = readFileSync(join(site, 'llms-full.txt'), 'utf8');
    expect(whole.match(/^<page path="/gm)?.length).toBeGreaterThan(20);
    for (const target of targets) expect(readFileSync(join(site, target), 'utf8')).toMatch(/^(<!--.*-->\n+)?# /);
  });

  test('loads nothing from elsewhere and runs nothing', () => {
    for (const page of pagesOf(site)) {
      const html = readFileSync(join(site, page), 'utf8');
      expect(html, page).not.toMatch(/<script|<iframe|\bon\w+="|\bstyle="|<(?:link|img)[^>]+(?:href|src)="https?:/);
      expect(html, page).toContain("default-src 'none'");
    }
  });
});

describeInChromium('the site in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  /** Pages of each kind; the others are made of the same parts. */
  const kinds = {
    light: ['guides/testing.html'],
    dark: ['index.html', 'guides/web.html'],
  };

  test.each(['light', 'dark'] as const)('fits its window and is accessible, %s', async (colorScheme) => {
    const page = await (await browser.newContext({ colorScheme })).newPage();
    const faults: string[] = [];
    const complain = (message: { text(): string }) => faults.push(message.text());
    for (const name of kinds[colorScheme]) {
      page.on('console', complain);
      await page.goto(pathToFileURL(join(site, name)).href);
      faults.push(...(await tooWide(page)).map((fault) => `${name}: ${fault}`));
      // axe-core asks for the stylesheet again, which the policy of the page forbids to scripts.
      page.off('console', complain);
      if (colorScheme === 'light') await page.setViewportSize({ width: 1440, height: 800 });
      faults.push(...(await inaccessible(page)).map((fault) => `${name}: ${fault}`));
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('has its longest page no wider than a phone', async () => {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(join(site, 'reference/endpoints.html')).href);
    expect(await tooWide(page)).toEqual([]);
    await page.close();
  });

  test('leads through all pages on a phone without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 700 } });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(site, 'index.html')).href);
    await page.getByText('All pages', { exact: true }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Exit codes' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Exit codes');
    await page.getByRole('link', { name: /^Next:/ }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Environment variables');

    await page.goto(pathToFileURL(join(site, 'guides/server.html')).href);
    await page.locator('summary', { hasText: 'On this page' }).click();
    await page.getByRole('link', { name: 'Keeping data' }).click();
    expect(new URL(page.url()).hash).toBe('#keeping-data');
    await context.close();
  });
});
