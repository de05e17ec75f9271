// The mock in @msw/playwright, in Chromium. Arguments: playwright-core's entry and the URL of a browser.
import { createServer } from 'node:http';
import { createMarketplaceMock } from '@mkt/mock-server';
import { withMswPlaywright } from '@mkt/mock-server/playwright';

const [playwright, url] = process.argv.slice(2);
const { chromium } = (await import(playwright)).default;
const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<h1>A page</h1>'));
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const browser = await chromium.connect(url);
const page = await browser.newPage();
const mock = createMarketplaceMock();
const { tokens, baseUrl } = mock;
await withMswPlaywright(page, mock);
await page.goto(`http://127.0.0.1:${site.address().port}/`);

const headers = { Accept: 'application/json', Authorization: `Bearer ${tokens.ada_write}` };
const call = (path, method = 'GET', origin = baseUrl) =>
  page.evaluate(
    ([url, init]) =>
      fetch(url, init).then(
        async (response) =>
          `${response.status} ${response.headers.get('Total-Count')} ${(await response.text()).length > 0}`,
        (error) => error.message,
      ),
    [origin + path, { method, headers }],
  );
const list = '/organizations/5/campaigns.json';
console.log(await call(list));
console.log(await call('/organizations/5/campaigns/1/publish', 'POST'));
for (const effect of ['drop', { truncate: 20 }, { slowBody: 50_000 }, 'malformed', { status: 503 }]) {
  mock.faults.add({ effect });
  console.log(await call(list));
  mock.faults.clear();
}
console.log(await call(list, 'GET', 'https://api.exmaple.com'));
await browser.close();
site.close();
