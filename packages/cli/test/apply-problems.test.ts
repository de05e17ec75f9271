import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { campaignFields } from '@mkt/sdk/contract';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEnvironment } from './support/apply.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

const unreachable = 'http://127.0.0.1:1';

/** The problems of a file, as `line:column message`, without a request to any service. */
async function problemsOf(text: string): Promise<string[]> {
  const { code, stdout, stderr } = await applyEnvironment(unreachable).apply(text, ['--yes', '--json']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  const { results } = JSON.parse(stderr).error as { results: { line: number; column: number; message: string }[] };
  return results.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('problems in a declaration', () => {
  it('are reported all at once, with line and column, before anything is sent', async () => {
    const text = `organization: [5]
campaigns:
  - nam: Foo
    cpm: 12
    currency: US Dollar
    countries: [USA, CA, CA]
    name: 2024
    status: activ
    budget: 1
    used_amount: 12
  - id: 12
    cpm_amount: "500"
    min_payout_amount: 1.5
    max_payout_amount: -1
    brief: "@nothing.html"
    website: ftp://acme.example
    platform_ids: tiktok
    category:
      - product
  - website: https://acme.example
  - Summer
collab:
  - x
collabs:
  - name: " "
    status: draft
    require_spark_ads: yes
    requires_product_shipment: 1
    purge_banner_image: "1"
    id: 1.5
`;
    const fields = Object.keys(campaignFields.shape).flatMap((name) =>
      name === 'brief' ? [name, 'brief_format'] : name,
    );
    const keys = ['id', ...fields, 'status', 'create', 'delete'].join(', ');
    const problems = (await problemsOf(text))
      .join('\n')
      .replace(/\(\/.*?\)/, '(/FOLDER/nothing.html)')
      .replace(`Known keys: ${keys}.`, 'Known keys: KEYS.');
    await expect(`${problems}\n`).toMatchFileSnapshot('goldens/apply-problems.txt');
  });

  it('are limited to 20 on a terminal, and wrapped', async () => {
    const text = `campaigns:\n${'  - {id: 1, budget: 1}\n'.repeat(26)}`;
    const { code, stdout, stderr } = await applyEnvironment(unreachable).apply(text, ['--yes'], { columns: 80 });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('\n  ... and 6 more. To see all, add --json.\n');
    const lines = stderr.split('\n').filter((line) => !line.includes('/'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it.each([
    ['', '1:1 the file is empty.'],
    ['# nothing yet\n', '1:1 the file is empty.'],
    [
      '- name: X',
      '1:1 the file must be an object with organization, campaigns, collabs, members, address, not a list.',
    ],
    ['Summer', '1:1 the file must be an object with organization, campaigns, collabs, members, address, not text.'],
    ['organization: 1.5\ncampaigns: []', '1:15 organization must be an id or an exact name, not 1.5.'],
    ['organization: 5', '1:1 the file must have campaigns, collabs, members or an address.'],
    ['campaigns: {name: X}', '1:12 campaigns must be a list.'],
    ['campaigns:\n  - name: X\n    name: Y', '3:5 Map keys must be unique.'],
    ['campaigns: [{name: !secret X}]', '1:20 Unresolved tag: !secret.'],
    ['campaigns: [{name: *missing}]', '1:20 the alias *missing is unknown: there is no anchor &missing before it.'],
    [
      'campaigns:\n  - name: X\n---\ncollabs:\n  - name: Y\n',
      '3:1 a second document begins here, but the file must contain only one.',
    ],
    [
      'campaigns: [{<<: {cpm_amount: 1}, name: X}]',
      '1:14 merge keys ("<<") are not supported, because YAML 1.2 does not have them. Copy the fields instead.',
    ],
    ['campaigns:\n  - name: X\n\t  cpm_amount: 5', '3:1 Tabs are not allowed as indentation.'],
    ['campaigns:\n- name: X\n\tcpm_amount: 5', '3:1 Tabs are not allowed as indentation.'],
    ['campaigns: [{name: X, brief: {html: x}}]', '1:30 brief must be text, not an object.'],
    ['campaigns: [{name: 012}]', '1:20 name must be text, but 012 is a number. Put it in quotes: "012".'],
    ['campaigns: [{name: 1e3}]', '1:20 name must be text, but 1e3 is a number. Put it in quotes: "1e3".'],
    ['campaigns: [{name: True}]', '1:20 name must be text, but True is true or false. Put it in quotes: "True".'],
    [
      'campaigns: [{name: X, countries: [CA, uk]}]',
      '1:39 countries must be a two-letter country code, such as DE, not UK. Did you mean GB?',
    ],
    ['campaigns: [{name: X, countries: [[US]]}]', '1:35 countries must be text, not a list.'],
    ['campaigns: [{id: 1, status: "published"}]', /^1:29 status must be one of draft, active, paused, finished/],
    ['campaigns: &all [*all]', /^1:18 .*/],
    ['campaigns: [{? [a] : 1, name: X}]', /^1:13 unknown key "\[ a \]" in a campaign\./],
    [`a: &a [${'x,'.repeat(99)}]\nb: &b [${'*a,'.repeat(99)}]\ncampaigns: [*b, *b]`, /^1:1 Excessive alias count/],
    ['campaigns: [{name: X, __proto__: {}}]', /^1:23 unknown key "__proto__" in a campaign\./],
    ['campaigns: [{id: 1, url: x}]', '1:21 url is read-only. Leave it out.'],
    ['{"campaigns": [{"id": 1, "cpm_amount": 500,}]', /^1:4\d .*/],
    ['campaigns:\n\t- name: X', /^2:\d /],
  ])('%j', async (text, expected) => {
    const [first] = await problemsOf(text);
    if (typeof expected === 'string') expect(first).toBe(expected);
    else expect(first).toMatch(expected);
  });

  it('include a misspelt name only once', async () => {
    expect(await problemsOf('campaigns: [{nam: X}]')).toEqual([
      '1:14 unknown key "nam" in a campaign. Did you mean name?',
    ]);
  });

  it('do not include unusual but valid YAML', async () => {
    // Reaches the service, which is not there.
    for (const text of [
      'campaigns: &c [{name: X, countries: &no [NO, "US"]}]\ncollabs: [{name: X, countries: *no}]',
      '\ufeff{"campaigns": [{"name": "X"}]}',
      'campaigns:\r\n  - name: X\r\n    website:\r\n',
      'campaigns: [{id: 1, name: X}, {id: 2, name: X}]',
      'campaigns: [{name: X}]\ncollabs: [{name: X}]',
    ]) {
      expect(await applyEnvironment(unreachable).apply(text)).toMatchObject({ code: 8 });
    }
  });

  it('include a missing file', async () => {
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: unreachable };
    const { code, stderr } = await runCli(['apply'], { env });
    expect(code).toBe(2);
    expect(stderr).toBe('error: No file was given.\n  try:  mkt apply marketplace.yaml\n');
    expect(await runCli(['apply', '-f', '/nowhere.yaml'], { env })).toMatchObject({
      code: 2,
      stderr: 'error: --file /nowhere.yaml: the file does not exist.\n',
    });
  });
});

it('rejects files that are not UTF-8 or UTF-16', async () => {
  const folder = temporaryFolder();
  const [declared, brief] = [join(folder, 'declared.yaml'), join(folder, 'brief.html')];
  const apply = () =>
    runCli(['apply', '-f', declared], { env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: unreachable } });
  writeFileSync(declared, Buffer.from('campaigns:\n  - name: Caf\u00e9\n', 'latin1'));
  expect(await apply()).toMatchObject({
    code: 2,
    stderr: `error: ${declared}:2 is not valid UTF-8.\n  try:  Save it as text in UTF-8\n`,
  });
  writeFileSync(declared, 'campaigns:\n  - name: X\n    brief: "@brief.html"\n');
  writeFileSync(brief, Buffer.from('<p>Caf\u00e9</p>', 'latin1'));
  expect(await apply()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${declared}:3:12: brief @brief.html:1 is not valid UTF-8.\n`),
  });
  writeFileSync(declared, Buffer.from('\ufeffcampaigns:\n  - name: Caf\u00e9\n', 'utf16le'));
  expect(await apply()).toMatchObject({ code: 8 });
});

describe('a brief from a file', () => {
  it.each([
    ['@missing.html', 'does not exist'],
    ['@/etc/hosts', 'so it was not read'],
    ['@../../../../../../etc/hosts', 'so it was not read'],
    ['@link.html', 'so it was not read'],
    ['@folder', 'it is a folder'],
    ['@large.html', 'must be at most 64 KiB long'],
  ])('is rejected for %s: %s', async (brief, message) => {
    const { apply, folder } = applyEnvironment(unreachable);
    symlinkSync('/etc/hosts', join(folder, 'link.html'));
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'large.html'), `<p>${'x'.repeat(65_536)}</p>`);
    const { code, stderr } = await apply(JSON.stringify({ campaigns: [{ id: 1, brief }] }));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('problems that the objects of the service reveal', () => {
  let service: Server;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const ada = async (text: string) => {
    const { apply, mkt, plain } = applyEnvironment(service.url);
    const before = await mkt(['campaigns', 'list', '--all', '--json']);
    const { code, stdout, stderr } = await apply(text);
    expect(await mkt(['campaigns', 'list', '--all', '--json'])).toEqual(before);
    expect(stdout).toBe('');
    return { code, stderr: plain(stderr) };
  };

  it('exit with 3 if ids were not found and nothing else is wrong', async () => {
    expect(await ada('campaigns:\n  - id: 99\n    status: active\n  - id: nope')).toEqual({
      code: 3,
      stderr: [
        'error: 2 problems in marketplace.yaml. Nothing was changed.',
        '  marketplace.yaml:2:5: campaign 99 was not found in Acme Cosmetics (organization 5).',
        '  marketplace.yaml:4:5: campaign nope was not found in Acme Cosmetics (organization 5).',
        '',
      ].join('\n'),
    });
    expect((await ada('campaigns: [{id: 99}, {id: 5, status: active}]')).code).toBe(2);
  });
  it('include a name of several objects', async () => {
    const { mkt } = applyEnvironment(service.url);
    await mkt(['campaigns', 'update', '8', '--name', 'Twins']);
    await mkt(['campaigns', 'update', '9', '--name', 'Twins']);
    const { code, stderr } = await ada('campaigns:\n  - name: Twins\n    cpm_amount: 1');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'marketplace.yaml:2:5: 2 campaigns have the name "Twins" (ids 8, 9). Add the id of the one to change.',
    );
  });
  it.each([
    ['campaigns:\n  - id: 1\n    cpm_amount: 1\n  - name: Summer UGC Campaign', '4:5: this is campaign 1, which'],
    ['campaigns:\n  - id: 1\n  - id: "1"', '3:5: this is campaign 1, which is already declared on line 2.'],
    ['campaigns:\n  - name: X\n  - name: X', '3:5: two campaigns have the name "X", the first on line 2.'],
    ['campaigns:\n  - name: X\n  - {id: 3, name: X}', '3:13: two campaigns have the name "X", the first on line 2.'],
  ])('include objects that are declared twice: %j', async (text, problem) => {
    const { code, stderr } = await ada(text);
    expect(code).toBe(2);
    expect(stderr).toContain(`marketplace.yaml:${problem}`);
  });
  it('do not include equal names of objects with ids, or of a campaign and a collab', async () => {
    const text = 'campaigns: [{id: 8, name: X}, {id: 9, name: X}]\ncollabs: [{name: X}]';
    expect(await applyEnvironment(service.url).apply(text, ['--dry-run'])).toMatchObject({ code: 0 });
  });
  it('include changed amounts of a published campaign, but not equal ones', async () => {
    const { code, stderr } = await ada('campaigns:\n  - id: 3\n    cpm_amount: 999999\n    currency: eur');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /marketplace\.yaml:3:5: cpm_amount cannot change once a campaign has been published: campaign 3 has \d+, not/,
    );
    expect(stderr).toContain('marketplace.yaml:4:5: currency cannot change once');
    expect(await applyEnvironment(service.url).apply('campaigns: [{id: 3, currency: usd}]', [])).toMatchObject({
      code: 0,
    });
  });
  it('include a minimum payout above the maximum in the service', async () => {
    const { code, stderr } = await ada('campaigns:\n  - id: 1\n    min_payout_amount: 999999');
    expect(code).toBe(2);
    expect(stderr).toMatch(/marketplace\.yaml:3:5: min_payout_amount must be at most max_payout_amount, which is \d+/);
  });
});
