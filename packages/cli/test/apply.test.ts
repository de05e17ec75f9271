import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apply as command } from '../src/commands/apply/command.js';
import { applyEnvironment } from './support/apply.js';
import { scriptedPrompter } from './support/prompter.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

const sample = `${command.sample?.lines.join('\n')}\n`;

/** A declaration whose plan has every kind of line. */
const varied = `
organization: Acme Cosmetics
campaigns:
  - name: Autumn glow
    countries: [US, GB]
    cpm_amount: 650
    website: null
    brief: |
      <p>Show your <b>evening</b> routine.</p>
      <p>Tag us.</p>
    status: paused
  - id: 3
    name: Bold launch, second wave
    platform_ids: [youtube, tiktok, instagram]
    website: https://acme.example/a/long/way/to/the/page/of/a/product-that-is-new
    brief: |
      <p>We look for <strong>ugc</strong> about beauty, made for youtube and tiktok.</p>
      <ul>
      <li>Keep it under two minutes.</li>
      <li>Say what you like, and what you do not.</li>
      <li>Tag the brand in the caption.</li>
      </ul>
    status: paused
  - name: summer ugc campaign
  - id: 4
    status: active
  - id: 6
    status: active
collabs:
  - id: 1
    state: published
  - id: 2
    state: published
  - id: 3
    purge_banner_image: true
    require_spark_ads: true
`;

it('shows an example file in its help', async () => {
  const { stdout } = await applyEnvironment(service.url).mkt(['apply', '--help'], { columns: 80 });
  expect(stdout).toContain(`\nmarketplace.yaml\n${sample.replace(/^/gm, '  ').trimEnd()}\n`);
});

describe('the plan', () => {
  it.each([80, 120, undefined])('fits %s columns', async (columns) => {
    const { apply } = applyEnvironment(service.url);
    const { code, stdout, stderr } = await apply(varied, ['--dry-run'], columns === undefined ? {} : { columns });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    if (columns !== undefined) {
      expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
    }
    const shown = stdout.replaceAll(/images\/[\w-]+/g, 'images/IMAGE');
    await expect(shown).toMatchFileSnapshot(`goldens/apply-${columns ?? 'pipe'}.txt`);
  });

  it.each([40, 80])('wraps long values within %i columns, without signs on their own lines', async (columns) => {
    const { apply } = applyEnvironment(service.url);
    const website = `https://acme.example/${'a-very-long-way/'.repeat(12)}`;
    const brief = `<p>${'a few short words and then '.repeat(9)}${'x'.repeat(200)}</p>`;
    const text = JSON.stringify({
      campaigns: [
        { id: 1, website, brief },
        { name: 'New one', website },
      ],
    });
    const { code, stdout } = await apply(text, ['--dry-run'], { columns });
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.filter((line) => /^\s*[-+~>]\s*$/.test(line))).toEqual([]);
    expect(lines.map((line) => line.replace(/^[\s+]*/, '')).join('')).toContain(website);
  });

  it('shows the defaults of a new object', async () => {
    const { apply } = applyEnvironment(service.url);
    const text = JSON.stringify({
      campaigns: [
        { name: 'Undeclared' },
        { name: 'Declared', currency: 'eur', cpm_amount: 1, platform_ids: ['x'], status: 'active' },
      ],
      collabs: [{ name: 'Collab' }],
    });
    const { stdout } = await apply(text, ['--dry-run']);
    const payouts = 'min payout amount 1000, max payout amount 10000, base reward amount 0';
    const kind = 'content type ugc, category product';
    expect(stdout.split('\n').filter((line) => line.includes('by default'))).toEqual([
      `    by default: status draft, countries US, currency usd, cpm amount 500, ${payouts}, ${kind}, platform ids youtube and tiktok`,
      `    by default: countries US, ${payouts}, ${kind}`,
      '    by default: state draft, require spark ads false, requires product shipment false',
    ]);
  });

  it('shows the defaults of several new objects once', async () => {
    const { apply } = applyEnvironment(service.url);
    const collabs = [{ name: 'One' }, { name: 'Two' }, { name: 'Three', require_spark_ads: true }];
    const { stdout } = await apply(JSON.stringify({ collabs }), ['--dry-run']);
    expect(stdout.split('\n').slice(2, -2)).toEqual([
      '+ create collab "One"',
      '+ create collab "Two"',
      '+ create collab "Three"',
      '    require spark ads: true',
      '    by default: state draft, requires product shipment false',
      'By default, for 2 new collabs: state draft, require spark ads false, requires product shipment false',
      '',
    ]);
  });

  it('has colors only on a terminal', async () => {
    const { apply } = applyEnvironment(service.url);
    const colored = { NO_COLOR: '' };
    expect((await apply(sample, ['--dry-run'], { columns: 80, env: colored })).stdout).toContain('\u001b[32m');
    expect((await apply(sample, ['--dry-run'], { env: colored })).stdout).not.toContain('\u001b');
  });

  it('shows what cannot be seen as an escape, and obeys none of it', async () => {
    const { apply, mkt } = applyEnvironment(service.url);
    await mkt(['campaigns', 'update', '1', '--name', 'Was \u001b[31mred', '--brief', '<p>\u001b]0;title\u0007old</p>']);
    const { stdout } = await apply(
      'campaigns: [{id: 1, name: "Is \\e[2Jnew \\u202e", brief: "<p>\\e[2Jnew</p>", website: "https://x.example/\\u009b31m"}]',
      ['--dry-run'],
    );
    expect(stdout).toContain('name: Was \\u001b[31mred -> Is \\u001b[2Jnew \\u202e');
    expect(stdout).toContain('+ \\u001b[2Jnew\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it.each([
    ['a name with an invisible character', { id: 1, name: 'Summer\u200b UGC Campaign' }, 'Summer\\u200b UGC Campaign'],
    ['a name with two spaces', { id: 1, name: 'Summer  UGC Campaign' }, 'Summer\\u0020\\u0020UGC Campaign'],
    ['a new name on two lines', { name: 'Bold\nPlan: 0 to create' }, 'create campaign "Bold\\nPlan: 0 to create"'],
    ['the end of a long new name', { name: `${'Bold '.repeat(12)}end` }, 'Bold end"'],
    [
      'a letter of another alphabet in a host',
      { id: 1, website: 'https://ac\u043ce.example' },
      'https://ac\\u043ce.example',
    ],
    [
      'the target of a link in a changed text',
      { id: 1, brief: '<p>New. Write to <a href="mailto:me@evil.example">us</a>.</p>' },
      'us (mailto:me@evil.example)',
    ],
  ])('shows %s before it is applied', async (_, campaign, shown) => {
    const { apply } = applyEnvironment(service.url);
    const { stdout } = await apply(JSON.stringify({ campaigns: [campaign] }), ['--dry-run']);
    expect(stdout).toContain(shown);
  });

  it('cuts a very long text on a terminal, but not in a pipe', async () => {
    const { apply } = applyEnvironment(service.url);
    const lines = Array.from({ length: 60 }, (_, index) => `<p>Paragraph ${index}.</p>`).join('');
    const text = JSON.stringify({ campaigns: [{ id: 1, brief: lines }] });
    expect((await apply(text, ['--dry-run'], { columns: 80 })).stdout).toMatch(/ … \d+ more lines; to see all/);
    expect((await apply(text, ['--dry-run'])).stdout).toContain('+ Paragraph 59.\n');
  });
});

describe('applying', () => {
  it('shows the plan, asks once, makes the changes and reports them', async () => {
    const { apply, show } = applyEnvironment(service.url);
    const answers = scriptedPrompter(true);
    const { code, stdout, stderr } = await apply(sample, [], { columns: 80, answers });
    expect(code).toBe(0);
    expect(answers.asked).toEqual(['Make these changes?']);
    expect(stdout).toContain('Plan: 1 to create, 1 to change, 2 actions, 0 unchanged.');
    expect(stderr.split('\n')).toEqual([
      'Updated campaign 1 "Summer UGC Campaign" in Acme Cosmetics',
      'Published campaign 1 "Summer UGC Campaign" in Acme Cosmetics',
      'Created campaign 48 "Autumn glow" in Acme Cosmetics',
      'Paused collab 3 "Hydra Serum: thirty days" in Acme Cosmetics',
      'Applied 3 changes.',
      '',
    ]);
    expect(await show('campaigns', 1)).toMatchObject({ status: 'active', countries: ['US', 'CA', 'GB'] });
    expect(await show('campaigns', 48)).toMatchObject({ status: 'draft', name: 'Autumn glow', cpm_amount: 650 });
    expect(await show('collabs', 3)).toMatchObject({ state: 'paused' });
  });

  it('does not ask and changes nothing the second time', async () => {
    const { apply, json } = applyEnvironment(service.url);
    expect((await apply(sample)).code).toBe(0);
    const { code, stdout, stderr } = await apply(sample, []);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Plan: 0 to create, 0 to change, 0 actions, 3 unchanged.');
    expect(await json(sample)).toMatchObject({ up_to_date: true, counts: { unchanged: 3 } });
  });

  it('changes nothing when the user declines', async () => {
    const { apply, show } = applyEnvironment(service.url);
    const { code, stderr } = await apply(sample, [], { columns: 80, answers: scriptedPrompter(false) });
    expect(code).toBe(10);
    expect(stderr).toContain('nothing was changed');
    expect(await show('campaigns', 1)).toMatchObject({ status: 'draft' });
  });

  it('needs --yes without a terminal, and ignores a piped y', async () => {
    const { apply, mkt, plain, show } = applyEnvironment(service.url);
    const { code, stdout, stderr } = await apply(sample, [], { stdin: 'y\n' });
    expect(code).toBe(10);
    expect(stdout).toContain('Plan: 1 to create');
    expect(plain(stderr)).toContain('try:  mkt apply --file marketplace.yaml --dry-run\n');
    const program = await apply(sample, ['--json']);
    expect(program).toMatchObject({ code: 10, stdout: '' });
    expect(JSON.parse(program.stderr).error.results).toHaveLength(3);
    expect(await show('campaigns', 1)).toMatchObject({ status: 'draft' });
    expect((await mkt(['campaigns', 'list', '--name', 'Autumn glow', '--json'])).stdout).toBe('[]\n');
  });

  it('reads stdin, as YAML and as JSON', async () => {
    const { mkt } = applyEnvironment(service.url);
    for (const stdin of [sample, JSON.stringify({ organization: 5, campaigns: [{ id: 1, status: 'active' }] })]) {
      const { code, stdout } = await mkt(['apply', '-f', '-', '--yes'], { stdin });
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Plan: ') });
    }
  });

  it('takes the file as an argument as well, but not two files', async () => {
    const { mkt, file, plain, show } = applyEnvironment(service.url);
    writeFileSync(file, sample);
    const { code, stderr } = await mkt(['apply', file]);
    expect(code).toBe(10);
    expect(plain(stderr)).toContain('try:  mkt apply marketplace.yaml --dry-run\n');
    expect(await mkt(['apply', '-', '--yes'], { stdin: sample })).toMatchObject({ code: 0 });
    expect(await show('campaigns', 1)).toMatchObject({ status: 'active' });
    expect(await mkt(['apply', 'one.yaml', '-f', 'two.yaml'])).toMatchObject({
      code: 2,
      stderr: 'error: Two files were given: one.yaml and --file two.yaml.\n  try:  Remove one of the two\n',
    });
    expect(await mkt(['apply', '/nowhere.yaml'])).toMatchObject({
      code: 2,
      stderr: 'error: file /nowhere.yaml: the file does not exist.\n',
    });
  });

  it('accepts the output of list', async () => {
    const { mkt, json } = applyEnvironment(service.url);
    const jq = '{campaigns: map({id, name, status, countries, cpm_amount, website, tiktok_music_id})}';
    const { stdout } = await mkt(['campaigns', 'list', '--all', '--jq', jq]);
    expect(await json(stdout)).toMatchObject({ up_to_date: true, counts: { unchanged: 45 } });
  });

  it('accepts a read-only token for a dry run', async () => {
    const { apply } = applyEnvironment(service.url);
    expect(await apply(sample, ['--dry-run'], { token: tokens.ada_read })).toMatchObject({ code: 0 });
  });
});

describe('output for programs', () => {
  it('is one object with the plan and its result', async () => {
    const { json } = applyEnvironment(service.url);
    const planned = await json(sample, '--dry-run');
    expect(planned).toMatchObject({
      organization: { id: 5, name: 'Acme Cosmetics' },
      dry_run: true,
      up_to_date: false,
      counts: { create: 1, update: 1, actions: 2, unchanged: 0 },
    });
    expect(planned.changes[0]).toEqual({
      kind: 'campaign',
      id: 1,
      name: 'Summer UGC Campaign',
      line: 3,
      steps: ['update', 'publish'],
      fields: { countries: { from: ['US'], to: ['US', 'CA', 'GB'] } },
      fixes: {
        cpm_amount: 350,
        min_payout_amount: 750,
        max_payout_amount: 7500,
        base_reward_amount: 0,
        currency: 'usd',
      },
      outcome: 'planned',
      done: [],
      differs: [],
      error: null,
    });
    const done = await json(sample, '--yes');
    expect(done.dry_run).toBe(false);
    expect(done.changes.map(({ id, outcome, done }) => [id, outcome, done])).toEqual([
      [1, 'done', ['update', 'publish']],
      [48, 'done', ['create']],
      [3, 'done', ['pause']],
    ]);
  });
  it('is a row for each object in csv, tsv and ndjson', async () => {
    const { apply } = applyEnvironment(service.url);
    const csv = await apply(sample, ['--dry-run', '--format', 'csv', '--fields', 'kind,id,name,steps,outcome']);
    expect(csv.stdout.split('\n')).toEqual([
      'kind,id,name,steps,outcome',
      expect.stringMatching(/^campaign,1,Summer UGC Campaign,.*update.*publish.*,planned$/),
      'campaign,,Autumn glow,create,planned',
      'collab,3,Hydra Serum: thirty days,pause,planned',
      '',
    ]);
    const lines = (await apply(sample, ['--dry-run', '--format', 'ndjson'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['campaign', 'campaign', 'collab']);
  });
  it('can be filtered with --jq', async () => {
    const { apply } = applyEnvironment(service.url);
    expect((await apply(sample, ['--dry-run', '--jq', '.up_to_date'])).stdout).toBe('false\n');
  });
  it.each([
    ['--fields', 'counts'],
    ['--json', '--fields', 'colour'],
  ])('rejects fields that cannot be printed: %j', async (...argv) => {
    const { apply } = applyEnvironment(service.url);
    expect(await apply(sample, ['--yes', ...argv])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('the organization', () => {
  it('in the file overrides the settings', async () => {
    const { json } = applyEnvironment(service.url);
    expect((await json('organization: Initech Audio\ncampaigns: []')).organization).toEqual({
      id: 7,
      name: 'Initech Audio',
    });
    expect((await json('organization: 7\ncampaigns: []')).organization.id).toBe(7);
    expect((await json('campaigns: []')).organization.id).toBe(5);
  });
  it('in the file must match --org', async () => {
    const { apply, plain } = applyEnvironment(service.url);
    expect(await apply('organization: 5\ncampaigns: []', ['--org', 'Acme Cosmetics'])).toMatchObject({ code: 0 });
    const { code, stderr } = await apply('organization: 5\ncampaigns: []', ['--org', '7']);
    expect(code).toBe(2);
    expect(plain(stderr)).toContain(
      'marketplace.yaml is for Acme Cosmetics (organization 5), but --org is Initech Audio (organization 7).',
    );
  });
  it('exits with 3 if it does not exist', async () => {
    const { apply } = applyEnvironment(service.url);
    for (const organization of ['Nowhere', '99']) {
      const { code, stdout } = await apply(`organization: ${organization}\ncampaigns: [{name: X}]`);
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    }
  });
});

describe('a brief from a file', () => {
  it('is read from the folder of the declaration', async () => {
    const { apply, folder, show, json } = applyEnvironment(service.url);
    writeFileSync(join(folder, 'summer.html'), '<p>From a file.</p>\n');
    const text = 'campaigns: [{id: 1, brief: "@summer.html"}]';
    expect((await apply(text)).code).toBe(0);
    expect(await show('campaigns', 1)).toMatchObject({ brief: '<p>From a file.</p>\n' });
    expect(await json(text)).toMatchObject({ up_to_date: true });
  });
  it('is not read from outside the folder and the current folder', async () => {
    const { apply } = applyEnvironment(service.url);
    const { code, stderr } = await apply('campaigns: [{id: 1, brief: "@/etc/hosts"}]', ['--dry-run']);
    expect(code).toBe(2);
    expect(stderr).toContain('so it was not read');
    expect(stderr).not.toContain(readFileSync('/etc/hosts', 'utf8').trim());
  });
});
