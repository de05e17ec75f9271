import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { temporaryFolder } from './support/run-cli.js';

const { ada, json, url } = adaWithService();
const PAGE = '/organizations/5/campaigns/3';

describe('the URL of a page or of JSON', () => {
  it.each([PAGE, `${PAGE}.json`, `${PAGE}/edit`, `${PAGE}?tab=1#x`])('is an id: %s', async (path) => {
    const shown = await json('campaigns', 'show', '3');
    expect(await json('campaigns', 'show', `${url()}${path}`)).toEqual(shown);
  });

  it.each(['localhost', '[::1]'])('may have another name of this machine: %s', async (host) => {
    const other = url().replace('127.0.0.1', host);
    expect(await json('campaigns', 'show', `${other}${PAGE}`)).toEqual(await json('campaigns', 'show', '3'));
    const wrong = other.replace(/\d+$/, '9');
    const { code, stderr } = await ada(['campaigns', 'show', `${wrong}${PAGE}`]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is not a URL of http://127') });
  });

  it('names its organization, in each command that takes ids', async () => {
    const env = { MKT_ORG: '7', MKT_HISTORY: join(temporaryFolder(), 'history.db') };
    const at = (...paths: string[]) => paths.map((path) => `${url()}${path}`);
    const paused = await ada(
      ['campaigns', 'pause', ...at(PAGE, '/organizations/5/campaigns/6.json'), '--yes', '--json'],
      { env },
    );
    expect(JSON.parse(paused.stdout)).toMatchObject([
      { id: 3, status: 'paused' },
      { id: 6, status: 'paused' },
    ]);
    const [collab = ''] = at('/organizations/5/collabs/3');
    expect((await ada(['open', 'collabs', collab], { env })).stdout).toBe(`${collab}\n`);
    const changes = await ada(['changes', 'campaigns', ...at(PAGE), '--json'], { env });
    expect(JSON.parse(changes.stdout)).toMatchObject([{ id: 3, field: 'status', after: 'paused' }]);
    const [organization = ''] = at('/organizations/5.json');
    expect(JSON.parse((await ada(['organizations', 'show', organization, '--json'], { env })).stdout).id).toBe(5);
    expect(await json('campaigns', 'list', '--org', organization)).toEqual(
      await json('campaigns', 'list', '--org', '5'),
    );
    const piped = await ada(['campaigns', 'resume', '-', '--yes', '--json'], { stdin: `${at(PAGE)}\n` });
    expect(JSON.parse(piped.stdout)).toMatchObject([{ id: 3, status: 'active' }]);
  });

  it.each([
    [['organizations', 'use', 'URL/organizations/7.json'], {}, 'Now working in Initech Audio'],
    [
      ['members', 'update', 'URL/organizations/5/members/mem_5_cleo', '--role', 'admin', '--dry-run'],
      {},
      'Would update',
    ],
    [['members', 'remove', 'URL/organizations/5/members/mem_5_cleo.json', '--dry-run'], {}, 'Would remove'],
    [['tokens', 'revoke', 'URL/me/access_tokens/2.json', '--dry-run'], {}, 'Would revoke token 2'],
    [['campaigns', 'list'], { MKT_ORG: 'URL/organizations/7' }, 'No campaigns in Initech Audio.'],
    [
      ['members', 'list', '--org', 'URL/organizations/5, URL/organizations/7.json'],
      {},
      '4 members of 2 organizations.',
    ],
    [['members', 'list', '--org', 'Initech Audio,URL/organizations/5'], {}, '4 members of 2 organizations.'],
    [['members', 'list', '--all-orgs'], { MKT_ORG: 'URL/organizations/7' }, '4 members of 2 organizations.'],
  ])('is taken by %j with %j', async (argv, given, message) => {
    const withUrl = (word: string) => word.replaceAll('URL', url());
    const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withUrl(value)]));
    const { code, stderr } = await ada(argv.map(withUrl), { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(message) });
  });

  it('of another host is rejected as the organization too', async () => {
    const other = 'https://other.example/organizations/5';
    for (const [argv, env] of [
      [['campaigns', 'list', '--org', `7,${other}`], {}],
      [['campaigns', 'list'], { MKT_ORG: other }],
      [['organizations', 'use', other], {}],
    ] as const) {
      const { code, stderr } = await ada(argv, { env });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is not a URL of http://127') });
    }
  });

  it.each([
    [['campaigns', 'show', 'https://other.example/organizations/5/campaigns/3'], 'is not a URL of http://127.0.0.1'],
    [['campaigns', 'show', 'URL/organizations/5/collabs/3'], 'is a URL of collabs, not of campaigns.'],
    [['campaigns', 'show', 'URL/organizations/5/campaigns'], 'is not the URL of one resource.'],
    [['campaigns', 'show', 'URL/organizations/5/campaigns/%zz'], 'is not the URL of one resource.'],
    [
      ['campaigns', 'show', 'URL/organizations/7/campaigns/3', '--org', '5'],
      'The URL is of organization 7, but --org is 5.',
    ],
    [
      ['campaigns', 'pause', 'URL/organizations/7/campaigns/3', `URL${PAGE}`],
      'These URLs are of several organizations.',
    ],
    [['campaigns', 'show', `URL${PAGE}`, '--all-orgs'], '--all-orgs and a URL cannot be used together.'],
  ])('is rejected where it does not fit: %j', async (argv, message) => {
    const words = argv.map((word) => word.replace(/^URL/, url()));
    const { code, stdout, stderr } = await ada(words);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('is rejected in a pipe if it is of another organization', async () => {
    const { code, stderr } = await ada(['campaigns', 'pause', '-', '--yes'], {
      stdin: `${url()}/organizations/7/campaigns/3\n`,
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is a URL of another organization.') });
  });
});
