import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { runCli } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';

const { ada: run, json } = adaWithService();
/** Splits at spaces; `''` is an empty word, as of a variable that is not set. */
const ada = (line: string) => run(line.split(' ').map((word) => (word === "''" ? '' : word)));

describe('a code that does not exist', () => {
  it.each([
    [
      'campaigns list --country UK',
      '--country must be a two-letter country code, such as DE, not UK. Did you mean GB?',
    ],
    ['campaigns list --country DE,UK', 'Did you mean GB?'],
    ['campaigns list --country USA', 'not USA. Did you mean US?'],
    ['campaigns create --name x --countries deu', 'not DEU. Did you mean DE?'],
    ['campaigns list --country DE,!AT', 'not "!AT".'],
    ['campaigns list --country germany', 'Did you mean DE?'],
    ['collabs list --country Frnace', 'Did you mean FR (France)?'],
    ['campaigns list --country XX', 'not XX.'],
    ['campaigns pause --country UK --yes', 'Did you mean GB?'],
    ['campaigns delete --country UK --dry-run', 'Did you mean GB?'],
    ['campaigns create --name x --countries DE,UK', 'Did you mean GB?'],
    ['campaigns update 1 --countries Germany', 'Did you mean DE?'],
    [
      'campaigns update 1 --currency euro',
      '--currency must be a three-letter currency code, such as usd, not "euro". Did',
    ],
    ['campaigns create --name x --currency euro', 'Did you mean eur?'],
    ['collabs create --currency dollars', 'Did you mean usd (US Dollar)?'],
    ['collabs create --currency xyz', 'not xyz.'],
    ['address set --country-code Germany', 'Did you mean DE?'],
  ])('is rejected before any request: %s', async (line, message) => {
    const requests: string[] = [];
    const url = await scriptedServer(({ url: path = '' }) => {
      requests.push(path);
      return { body: [] };
    });
    const screen = await runCli(line.split(' '), { env: { MKT_TOKEN: 't', MKT_BASE_URL: url, MKT_ORG: 'Acme' } });
    expect(screen).toMatchObject({ code: 2, stdout: '' });
    expect(screen.stderr).toContain(message);
    expect(requests).toEqual([]);
  });
  it('is accepted in any letter case if it exists', async () => {
    const upper = await json('campaigns', 'list', '--country', 'DE');
    expect(upper.length).toBeGreaterThan(0);
    expect(await json('campaigns', 'list', '--country', 'de')).toEqual(upper);
  });
});

describe('a value that the contract does not know', () => {
  const service = async () => {
    const requests: string[] = [];
    const url = await scriptedServer(({ method, url: path = '' }) => {
      requests.push(`${method} ${path.split('?')[0]}`);
      const rows = [
        { id: 1, name: 'One', status: 'archived', platform_ids: ['threads'], role: 'guest', user: { name: 'A' } },
        { id: 2, name: 'Two', status: 'active', platform_ids: ['tiktok'], role: 'admin', user: { name: 'B' } },
      ];
      return { body: method === 'GET' && !/\/\d+\.json$/.test(path) ? rows : rows[0] };
    });
    const mkt = (line: string) => runCli(line.split(' '), { env: { MKT_TOKEN: 't', MKT_BASE_URL: url, MKT_ORG: '5' } });
    return { mkt, requests };
  };
  it.each([
    ['campaigns list --status archived --json', 1],
    ['campaigns list --status active,ARCHIVED --json', 2],
    ['campaigns list --platform threads --json', 1],
    ['members list --role guest --json', 1],
    ['campaigns pause --status archived --dry-run --json', 1],
  ])('is accepted if the data have it: %s', async (line, count) => {
    const { code, stdout } = await (await service()).mkt(line);
    expect({ code, count: JSON.parse(stdout).length }).toEqual({ code: 0, count });
  });
  it.each([
    ['campaigns list --status pausd', '--status pausd is unknown. Did you mean paused?'],
    ['campaigns list --status active,pausd --format ndjson', 'Did you mean paused?'],
    ['campaigns list --status archved --page 1', 'Did you mean archived?'],
    ['campaigns list --status gone', 'try:  Values: draft, active, paused, finished, archived'],
    ['campaigns list --platform tiktk', 'Did you mean tiktok?'],
    ['members list --role boss', 'Values: admin, member, guest'],
    ['campaigns pause --status gone --yes', 'Values: draft, active, paused, finished, archived'],
  ])('is rejected, and nothing is written, if the data do not have it: %s', async (line, message) => {
    const { mkt, requests } = await service();
    const screen = await mkt(line);
    expect(screen).toMatchObject({ code: 2, stdout: '' });
    expect(screen.stderr).toContain(message);
    expect(requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
  });
  it.each([
    ['campaigns update 1 --platform-ids tiktok,threads', '--platform-ids threads is not a known value.', 'PATCH'],
    ['campaigns create --name x --platform-ids tiktk', 'is not a known value. Did you mean tiktok?', 'POST'],
    ['social-accounts connect --platform facebook --url https://x.example/a', 'facebook is not a known value.', 'POST'],
  ])('is written with a note, because platforms are open: %s', async (line, note, method) => {
    const { mkt, requests } = await service();
    const { code, stderr } = await mkt(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(note) });
    expect(stderr).not.toContain('tiktok is not');
    expect(requests.filter((request) => request.startsWith(method))).toHaveLength(1);
  });
  it('is rejected with a suggestion where the values are fixed', async () => {
    expect((await ada('members update mem_5_cleo --role amdin')).stderr).toContain('Did you mean admin?');
    expect((await ada('campaigns list --format jsn')).stderr).toContain('Did you mean json?');
  });
});

describe('an empty value', () => {
  it.each([
    "campaigns update 3 --countries ''",
    "campaigns update 3 --platform-ids ''",
    "campaigns update 3 --website ''",
    "campaigns update 3 --tiktok-music-id ''",
    "campaigns update 3 --cpm-amount ''",
    "campaigns update 3 --name ''",
    "campaigns update 3 --brief ''",
    "campaigns create --name x --countries ''",
    "collabs update 3 --website ''",
    'campaigns update 3 --countries ,',
  ])('is rejected: %s', async (line) => {
    const before = await json('campaigns', 'show', '3');
    const { code, stdout, stderr } = await ada(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/error: --[a-z-]+ is empty\./);
    expect(await json('campaigns', 'show', '3')).toEqual(before);
  });
  it('is "none" where a field can be cleared', async () => {
    const { stderr } = await ada("campaigns update 3 --countries ''");
    expect(stderr).toContain('try:  To clear it: --countries none\n');
    await ada('campaigns update 3 --website https://acme.example --tiktok-music-id 7 --countries DE,AT');
    const cleared = await json(
      ...['campaigns', 'update', '3', '--website', 'none', '--tiktok-music-id', 'none', '--countries', 'None'],
      ...['--platform-ids', 'none', '--brief', 'none'],
    );
    const values = { website: null, tiktok_music_id: null, countries: [], platform_ids: [], brief: null };
    expect(cleared).toMatchObject(values);
    expect((await ada('campaigns update 3 --countries none,DE')).code).toBe(2);
  });
});

it.each([
  ['tiktok', '@newone', 'https://www.tiktok.com/@newone'],
  ['youtube', 'グロウ', 'https://www.youtube.com/@%E3%82%B0%E3%83%AD%E3%82%A6'],
  ['instagram', 'glow.lab', 'https://www.instagram.com/glow.lab'],
  ['twitter', '@glow_lab', 'https://x.com/glow_lab'],
  ['tiktok', 'tiktok.com/@newone', 'https://tiktok.com/@newone'],
])('an account on %s is connected by %s', async (platform, url, account_url) => {
  expect(await json('social-accounts', 'connect', '--platform', platform, '--url', url)).toMatchObject({ account_url });
});

it('an account on another platform needs a URL', async () => {
  const { code, stderr } = await ada('social-accounts connect --platform facebook --url @glow');
  expect(stderr).toContain('must be an http or https address, such as https://example.com');
  expect(code).toBe(6);
});

it('says what a page gives no draft, and names its flag', async () => {
  const pages = createServer((request, response) => {
    response.statusCode = request.url === '/broken' ? 500 : 200;
    response.setHeader('Content-Type', 'text/html').end(request.url === '/empty' ? '<p>x' : '<title>Serum</title>');
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const service = await startService({ prefillAllow: [host] });
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5' };
  const create = async (path: string, ...flags: string[]) =>
    (await runCli(['collabs', 'create', '--from-page', `http://${host}${path}`, ...flags], { env })).stderr;
  expect(await create('/empty')).toContain(`The service got neither a title nor an image from http://${host}/empty.\n`);
  expect(await create('/serum')).toContain(`The service got no image from http://${host}/serum.\n`);
  expect(await create('/broken')).toContain('\n  --from-page  cannot be read: it responded with 500.\n');
  expect(await create('/serum', '--website', 'acme')).toContain('\n  --website or --from-page  must be an http or');
  expect((await runCli(['collabs', 'create', '--website', 'acme'], { env })).stderr).toContain(
    '\n  --website  must be',
  );
  await service.close();
  pages.close();
});
