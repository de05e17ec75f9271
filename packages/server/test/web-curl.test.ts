import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoSeed, demoTokens, memoryStore } from '../src/index.js';
import { type Server, serve } from '../src/node/index.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let server: Server;
beforeAll(async () => {
  server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
});
afterAll(() => server?.close());

const bearer = { authorization: `Bearer ${demoTokens.ada_write}` };
const plain = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

test.each([
  '/organizations',
  '/organizations/5',
  '/organizations/5/members',
  '/organizations/5/campaigns?page=3',
  '/organizations/5/campaigns?page=2&as=json',
  "/organizations/5/campaigns?page=2&x[]={a,b}&y='$(exit 1)`!!",
  '/organizations/5/campaigns/7',
  '/organizations/5/collabs',
  '/organizations/5/collabs/3?as=json',
  '/me/social_accounts',
  '/me/social_accounts/1',
  '/me/address',
  '/me/access_tokens',
])('the curl command on the page %s returns its JSON', async (path) => {
  const page = await (await fetch(server.url + path, { headers: bearer })).text();
  const command = plain(/<footer.*?<code>(.*?)<\/code>/s.exec(page)?.[1] ?? '');
  const env = { PATH: process.env.PATH, MKT_TOKEN: demoTokens.ada_write };
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent --show-error --fail`], { env });
  const [pathname = '', query = ''] = path.split('?');
  const same = await fetch(`${server.url}${pathname}.json?${query}`, {
    headers: { ...bearer, accept: 'application/json' },
  });
  expect(JSON.parse(stdout)).toEqual(await same.json());
});
