import { readFileSync } from 'node:fs';
import { endpoints } from '@mkt/sdk/contract';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../src/openapi/document.js';
import { costRatio } from './support/cpu-time.js';
import { yieldsOf } from './support/turns.js';
import { demoSite, origin, type Page, type Site } from './support/visitor.js';

let site: Site;
let page: Page;
let yields: number;
beforeAll(async () => {
  site = await demoSite();
  // Another test file may have asked for the reference, which is made once.
  vi.resetModules();
  ({ result: page, yields } = await yieldsOf(() => site.visitor().get('/docs')));
});

const document = await openApiDocument({ server: origin });

/** The HTML from the heading of an operation to the next heading. */
function sectionOf(anchor: string): string {
  const [, section = ''] = page.text.split(`<h3 id="${anchor}">`);
  return section.replace(/<h[23] .*/s, '');
}
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

describe('each operation has its request, response and errors:', () => {
  test.each(endpoints.map((endpoint) => [endpoint.operation, endpoint] as const))('%s', (_, { method, path }) => {
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const { summary = '', requestBody, responses = {} } = operation ?? {};
    const section = sectionOf(summary.toLowerCase().replaceAll(' ', '-'));
    expect(section).toContain(`<code>${method} ${path}</code>`);
    expect(section).toContain(`curl ${method === 'GET' ? '' : `-X ${method} `}${escaped(`"${origin}/`)}`);
    for (const example of Object.values(requestBody?.content['application/json']?.example ?? {}))
      for (const field of Object.keys(example)) expect(section).toContain(escaped(`"${field}": `));
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) >= 400) expect(section).toContain(`<a href="#${status}-`);
      const example = 'content' in response && response.content?.['application/json']?.example;
      if (example) expect(section).toContain(`<pre><code>${escaped(JSON.stringify(example, null, 2))}</code></pre>`);
    }
  });
});

test('the first page is made in pieces, between which other requests have their turn', () => {
  expect(yields).toBeGreaterThanOrEqual(10);
});

test('the page has the headings and bodies of docs/reference/endpoints.md', () => {
  const markdown = readFileSync(new URL('../../../docs/reference/endpoints.md', import.meta.url), 'utf8');
  const headings = [...markdown.matchAll(/^##+ (.*)$/gm)].map(([, title]) => title);
  expect(headings.length).toBeGreaterThan(50);
  expect(page.all('.reference :is(h2, h3)')).toEqual(headings);
  const bodies = [...markdown.matchAll(/```json\n(.*?)\n```/gs)].map(([, body = '']) => body.replace(/\s+/g, ' '));
  expect(bodies.length).toBeGreaterThan(25);
  expect(page.all('pre').filter((text) => /^[[{]/.test(text))).toEqual(bodies);
});

test('every link inside the page has its target, and every heading an anchor of its own', () => {
  const ids = page.attributes().flatMap(([name, value]) => (name === 'id' ? [value] : []));
  expect(new Set(ids).size).toBe(ids.length);
  const targets = page.attributes().filter(([name, value]) => name === 'href' && value.startsWith('#'));
  expect(targets.length).toBeGreaterThan(200);
  for (const [, target] of targets) expect(ids).toContain(target.slice(1));
  expect(page.all('h1')).toEqual(['API reference']);
});

test.each([
  ['pagination', 'Pagination', /Lists have 20 items per page/],
  ['idempotency keys', 'Idempotency', /There are no idempotency keys/],
  ['Rate limits', 'Rate limit', /429/],
  ['webhook', 'Webhooks', /The API sends no webhooks/],
  ['create campaign', 'Create a campaign', /draft/],
])('a search for %j finds "%s" first, without scripts', async (query, title, text) => {
  const found = await site.visitor().get(`/docs?q=${encodeURIComponent(query)}`);
  expect([found.find('.results a'), found.find('.results p')]).toEqual([title, expect.stringMatching(text)]);
  const [, anchor] = found.attribute('.results a', 'href')?.split('#') ?? [];
  expect(page.text).toContain(`id="${anchor}"`);
});

test('a search without results says so', async () => {
  const found = await site.visitor().get('/docs?q=%3Cb%3Equux');
  expect(found.find('.reference [role=status]')).toBe('0 results for <b>quux. Show the whole reference');
});

test('each operation has its request for curl, the command line and the SDK, one at a time without scripts', () => {
  expect(page.all('.codes fieldset')).toHaveLength(endpoints.length);
  expect(page.all('.codes fieldset:first-of-type label').slice(0, 3)).toEqual(['curl', 'mkt', 'SDK']);
  for (const text of page.all('.codes pre:nth-of-type(2)').slice(0, 1)) expect(text).toMatch(/^mkt /);
});

test('the page has the style of the web pages, one script of its own, and nothing from other sites', async () => {
  const { headers, text } = page;
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; connect-src 'self'; style-src 'self'.*; script-src 'self'$/,
  );
  expect(text.match(/<script.*?>/g)).toEqual(['<script type="module" src="/assets/docs.js">']);
  expect((await site.visitor().get('/assets/docs.js')).headers.get('content-type')).toContain('text/javascript');
  expect(text).not.toMatch(/<style|\s(on\w+|style)=|(src|href)="(https?:)?\/\//);
  const style = (from: Page) => from.attribute('link[rel=stylesheet]', 'href');
  expect(style(page)).toBe(style(await site.visitor().get('/sign_in')));
});

test('the sign-in page and the other pages link to it', async () => {
  const ada = await site.signedIn('ada_write');
  for (const from of [await site.visitor().get('/sign_in'), await ada.get('/organizations'), await ada.get('/nowhere')])
    expect(from.attribute('nav a[href="/docs"]', 'href')).toBe('/docs');
  const signedIn = await ada.get('/docs');
  expect(signedIn.find('nav a[aria-current]')).toBe('API reference');
  expect(signedIn.find('.account')).toContain('Ada Okafor');
});

test('is built once, whatever the Host of a request', async () => {
  const text = async (host: string) => (await site.app.fetch(new Request(`http://${host}/docs`))).text();
  let port = 5000;
  const another = () => text(`localhost:${++port}`);
  expect(await costRatio(another, () => text('localhost:1'), 3)).toBeLessThan(3);
  const html = await another();
  expect(html).toContain(`http://localhost:${port}/organizations`);
  expect(html).not.toMatch(/base\.invalid|localhost:1\b/);
});
