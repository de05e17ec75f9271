import { execFile } from 'node:child_process';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectToChromium, describeInChromium } from './browser/chromium.js';
import { inaccessible, tooWide } from './browser/looks.js';
import { root } from './support/docs/blocks.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const site = join(root, 'site/dist');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.md': 'text/plain; charset=utf-8',
};

let server: Server;
let url: string;

/** Builds it, which fails on a dead link, and serves it as a static host does. */
beforeAll(async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'site'], { cwd: root });
  expect(stdout).toMatch(/\d+ pages in site\/dist\n$/);
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const wanted = join(site, path === '/' ? 'index.html' : path);
    const found = existsSync(wanted);
    const file = found ? wanted : join(site, '404.html');
    response.writeHead(found ? 200 : 404, { 'Content-Type': types[extname(file)] ?? 'text/plain' });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe('the documentation site', () => {
  test('has a page and its Markdown for every entry of llms.txt', () => {
    const index = readFileSync(join(site, 'llms.txt'), 'utf8');
    const targets = [...index.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(20);
    for (const target of targets) {
      expect(existsSync(join(site, target.replace(/md$/, 'html'))), target).toBe(true);
      expect(readFileSync(join(site, target), 'utf8')).toMatch(/^(<!--.*-->\n+)?# /);
    }
    expect(readFileSync(join(site, 'llms-full.txt'), 'utf8').match(/^<page path="/gm)?.length).toBeGreaterThan(20);
  });

  test('gives every page a description and its Markdown version', () => {
    const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
    for (const page of pages.filter((name) => name !== '404.html')) {
      const html = readFileSync(join(site, page), 'utf8');
      expect(html, page).toMatch(/<meta name="description" content="[^"]{10,}"/);
      const markdown = /<link rel="alternate" type="text\/markdown" href="([^"]+)"/.exec(html)?.[1] ?? '';
      expect(existsSync(join(site, markdown)), `${page}: ${markdown}`).toBe(true);
    }
  });
});

describeInChromium('the site in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await connectToChromium();
  });
  afterAll(() => browser?.close());

  test.each(['light', 'dark'] as const)('has no axe findings and fits its window, %s', async (colorScheme) => {
    // Colors that fade in would be measured half-way.
    const page = await (await browser.newContext({ colorScheme, reducedMotion: 'reduce' })).newPage();
    const problems: string[] = [];
    for (const path of ['', 'guides/testing.html', 'reference/endpoints.html', 'nowhere.html']) {
      await page.goto(`${url}/${path}`, { waitUntil: 'networkidle' });
      problems.push(...(await tooWide(page)).map((problem) => `${path}: ${problem}`));
      await page.setViewportSize({ width: 1440, height: 800 });
      problems.push(...(await inaccessible(page)).map((problem) => `${path}: ${problem}`));
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('finds a page through search', async () => {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('audit log');
    await page
      .getByRole('option', { name: /Audit log/ })
      .first()
      .click();
    await page.waitForURL('**/guides/server.html#audit-log');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('The reference server');
    await page.close();
  });

  test.each([
    ['pagination', 'pagination', /Lists have 20 items per page/],
    ['idempotency', 'idempotency', /There are no idempotency keys/],
    ['rate limit', 'rate-limit', /Retry-After/],
    ['webhook', 'webhooks', /The API sends no webhooks/],
  ])('answers "%s" with the section about it', async (words, anchor, text) => {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill(words);
    await page.locator(`#localsearch-list a[href$="reference/endpoints.html#${anchor}"]`).click();
    await page.waitForURL(`**/reference/endpoints.html#${anchor}`);
    expect(await page.locator(`#${anchor} + p`).textContent()).toMatch(text);
    await page.close();
  });

  test('has the sidebar, the next page and copy buttons on a phone', async () => {
    const context = await browser.newContext({
      viewport: { width: 360, height: 700 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'networkidle' });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Scripts and CI' }).first().click();
    await page.waitForURL('**/guides/ci.html');
    await page.locator('.pager-link.next').click();
    await page.waitForURL('**/guides/agents.html');
    await page.getByRole('link', { name: 'This page as Markdown' }).click();
    await page.waitForURL('**/guides/agents.md');
    await page.goto(`${url}/start.html`, { waitUntil: 'networkidle' });
    await page.getByRole('button', { name: 'Copy Code' }).first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npx mkt serve');
    await context.close();
  });
});
