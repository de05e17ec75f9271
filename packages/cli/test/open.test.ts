import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const open = (...argv: readonly string[]) =>
  runCli(['open', ...argv], { env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5' } });

it.each([
  '',
  'organizations',
  'organizations 7',
  'campaigns',
  'campaigns 3',
  'campaigns Curl%20week',
  'collabs 3 --org 5',
  'members',
  'social-accounts',
  'social-accounts 1',
  'tokens',
  'address',
])('the address of "%s" is a page', async (line) => {
  const { code, stdout } = await open(
    ...line
      .split(' ')
      .filter((word) => word !== '')
      .map(decodeURIComponent),
  );
  if (line.includes('%20')) expect(stdout).toMatch(/\/campaigns\/13\n$/);
  expect(code).toBe(0);
  const page = await fetch(stdout.trim(), {
    headers: { authorization: `Bearer ${tokens.ada_write}`, accept: 'text/html' },
  });
  expect([stdout, page.status]).toEqual([stdout, 200]);
});

it.each(['members', 'tokens', 'address'])('rejects an id for %s, which have no pages of their own', async (noun) => {
  expect(await open(noun, '5')).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: mkt open ${noun} takes no id.\n  try:  mkt open ${noun}\n`,
  });
});

it('accepts short names of resources', async () => {
  expect((await open('orgs', '5')).stdout).toBe(`${service.url}/organizations/5\n`);
  expect((await open('social')).stdout).toBe(`${service.url}/me/social_accounts\n`);
  const { code, stderr } = await open('posters');
  expect([code, stderr]).toEqual([2, expect.stringContaining('"posters" has no page.')]);
});

const ada = (line: string) =>
  runCli(line.split(' '), { env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5' } });

it.each([
  ['campaigns list --web', '/organizations/5/campaigns'],
  ['campaigns show 3 --web', '/organizations/5/campaigns/3'],
  ['collabs show 3 --web --org 7', '/organizations/7/collabs/3'],
  ['members list --web', '/organizations/5/members'],
  ['organizations show --web', '/organizations/5'],
  ['social show 1 --web', '/me/social_accounts/1'],
  ['tokens list --web', '/me/access_tokens'],
  ['address show --web', '/me/address'],
])('%s prints the URL of the page', async (line, path) => {
  expect(await ada(line)).toEqual({ code: 0, stdout: `${service.url}${path}\n`, stderr: '' });
});

it('rejects --web with flags that the page does not have', async () => {
  const { code, stdout, stderr } = await ada('campaigns list --web --status active');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe('error: --web and --status cannot be used together.\n');
});
