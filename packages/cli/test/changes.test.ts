import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { scriptedPrompter } from './support/prompter.js';
import { temporaryFolder } from './support/run-cli.js';
import { tokens } from './support/service.js';

const { ada, json, url } = adaWithService();

describe('create', () => {
  it('sends every kind of field under its name in the API', async () => {
    const made = await json(
      'campaigns',
      'create',
      '--name',
      'Autumn glow',
      '--countries',
      'US,GB',
      '--countries',
      'CA',
      '--cpm-amount',
      '700',
      '--brief',
      '<p>Glow.</p>',
    );
    expect(made).toMatchObject({
      id: 48,
      status: 'draft',
      countries: ['US', 'GB', 'CA'],
      cpm_amount: 700,
      brief: '<p>Glow.</p>',
    });
  });
  it('sends codes of flags and files in the form of the API, and suggests GB for UK', async () => {
    const fields = { currency: 'usd', countries: ['US', 'CA'], platform_ids: ['tiktok'] };
    const flags = ['--currency', 'USD', '--countries', 'us,CA', '--platform-ids', 'TikTok'];
    expect(await json('campaigns', 'create', '--name', 'Autumn glow', ...flags)).toMatchObject(fields);
    const file = join(temporaryFolder(), 'fields.yaml');
    writeFileSync(file, 'name: Autumn glow\ncurrency: USD\ncountries: [us, ca]\nplatform_ids: [TikTok]\n');
    expect(await json('campaigns', 'create', '-f', file)).toMatchObject(fields);
    const unreachable = { MKT_BASE_URL: 'http://127.0.0.1:1' };
    writeFileSync(file, 'name: Autumn glow\ncountries: [us, uk]\n');
    expect(await ada(['campaigns', 'create', '-f', file], { env: unreachable })).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: 1 problem in ${file}. Nothing was sent.\n  ${file}:2:17: countries must be a two-letter country code, such as DE, not UK. Did you mean GB?\n`,
    });
    expect(await ada(['campaigns', 'update', '1', '--countries', 'us,uk'], { env: unreachable })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --countries must be a two-letter country code, such as DE, not UK. Did you mean GB?\n',
    });
    expect(await ada(['address', 'set', '--country-code', 'uk'], { env: unreachable })).toMatchObject({ code: 2 });
  });
  it('reports what it created, where, and the next step', async () => {
    const { stdout, stderr } = await ada(['campaigns', 'create', '--name', 'Autumn glow']);
    expect(stderr).toBe(
      'Created campaign 48 "Autumn glow" in Acme Cosmetics\nIt is a draft. Next: mkt campaigns publish 48\nIt has no budget. A budget is added on the website: mkt open campaigns 48\n',
    );
    expect(stdout).toMatch(/^ID +NAME +STATUS.*\n48 +Autumn glow +draft/);
  });
  it('prompts for missing required fields on a terminal', async () => {
    const answers = scriptedPrompter('Asked for');
    const { code, stderr } = await ada(['campaigns', 'create'], { columns: 80, answers });
    expect(code).toBe(0);
    expect(answers.asked).toEqual(['Name of the campaign?']);
    expect(stderr).toContain('Created campaign 48 "Asked for"');
  });
  it('prompts for the name of a collab only on a terminal and without any flag', async () => {
    const answers = scriptedPrompter('Lip oil');
    expect((await ada(['collabs', 'create'], { columns: 80, answers })).stderr).toContain(
      'Created collab 25 "Lip oil"',
    );
    expect((await ada(['collabs', 'create', '--countries', 'US'], { columns: 80, answers })).code).toBe(0);
    expect((await ada(['collabs', 'create'])).stderr).toContain('"Untitled collab"');
    expect(answers.asked).toHaveLength(1);
  });
  it('takes the default for an empty answer', async () => {
    const { code, stderr } = await ada(['collabs', 'create'], { columns: 80, answers: scriptedPrompter('') });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('"Untitled collab"') });
  });
  it('prompts with the name of a flag that has choices', async () => {
    const answers = scriptedPrompter('read', 'member');
    await ada(['tokens', 'create', '--description', 'Nightly'], { columns: 80, answers });
    await ada(['members', 'update', 'mem_5_cleo'], { columns: 80, answers });
    expect(answers.asked).toEqual([
      'Permission: read can only look, write can also change (--permission)',
      'Role: member or admin (--role)',
    ]);
  });
  it.each([
    [['--no-input'], {}],
    [[], { MKT_NO_INPUT: '1' }],
    [[], { CI: 'true' }],
  ] as const)('does not prompt with %j %j', async (flags, env) => {
    const { code, stderr } = await ada(['campaigns', 'create', ...flags], {
      columns: 80,
      answers: scriptedPrompter(),
      env,
    });
    expect(code).toBe(2);
    expect(stderr).toContain('--name is required.');
  });
  it('reads fields from a file, overridden by flags', async () => {
    const cwd = temporaryFolder();
    const file = join(cwd, 'campaign.yaml');
    writeFileSync(file, 'campaign:\n  name: From a file\n  countries: [US, GB]\n  cpm_amount: 650\n');
    const { stdout } = await ada(['campaigns', 'create', '--file', file, '--cpm-amount', '900', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'From a file', countries: ['US', 'GB'], cpm_amount: 900 });
  });
  it('reads the fields, or only the brief, from stdin', async () => {
    const fields = await ada(['collabs', 'create', '-f', '-', '--json'], { stdin: '{"name": "Piped"}' });
    expect(JSON.parse(fields.stdout)).toMatchObject({ name: 'Piped', state: 'draft' });
    const brief = await ada(['collabs', 'create', '--brief', '@-', '--json'], { stdin: '<p>Piped brief</p>' });
    expect(JSON.parse(brief.stdout)).toMatchObject({ brief: '<p>Piped brief</p>' });
  });
  it('uploads a logo from a file', async () => {
    const logo = join(temporaryFolder(), 'logo.png');
    writeFileSync(
      logo,
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    );
    const made = await json(
      'organizations',
      'create',
      '--name',
      'Acme Privé',
      '--privacy-setting',
      'private',
      '--logo',
      logo,
    );
    expect(made).toMatchObject({ id: 11, privacy_setting: 'private', logo_url: expect.stringContaining('/images/') });
    expect(
      await json('organizations', 'update', '11', '--purge-logo', '--privacy-setting', 'public'),
    ).not.toHaveProperty('logo_url');
  });
  it('switches booleans on and off', async () => {
    expect(await json('collabs', 'update', '3', '--require-spark-ads')).toMatchObject({ require_spark_ads: true });
    expect(await json('collabs', 'update', '3', '--no-require-spark-ads')).toMatchObject({ require_spark_ads: false });
  });
  it('sends nothing if --fields names an unknown field', async () => {
    const { code } = await ada(['campaigns', 'create', '--name', 'Unwanted', '--fields', 'colour']);
    expect(code).toBe(2);
    expect(await json('campaigns', 'list', '--name', 'Unwanted')).toEqual([]);
  });
});

describe('copy', () => {
  const compared = [
    ...['website', 'content_type', 'category', 'currency', 'cpm_amount', 'min_payout_amount', 'max_payout_amount'],
    ...['base_reward_amount', 'platform_ids', 'countries', 'tiktok_music_id', 'brief'],
  ];
  const fieldsOf = (row: Record<string, unknown>) => compared.map((field) => row[field]);

  it('creates a draft with the same fields and brief', async () => {
    const source = await json('campaigns', 'show', '3');
    const { code, stdout, stderr } = await ada(['campaigns', 'copy', '3', '--json']);
    const made = JSON.parse(stdout);
    expect({ code, made }).toMatchObject({
      code: 0,
      made: { id: 48, name: '<b>Bold</b> launch (copy)', status: 'draft', published_at: null, view_count: 0 },
    });
    expect(fieldsOf(made)).toEqual(fieldsOf(source));
    expect(made.brief).toContain('<p>');
    expect(stderr).toContain(
      'Created campaign 48 "<b>Bold</b> launch (copy)" in Acme Cosmetics\nIt is a draft. Next: mkt campaigns publish 48\nIt has no budget. A budget is added on the website: mkt open campaigns 48\n',
    );
  });
  it('creates it in another organization under the same name, and says how to publish it there', async () => {
    const source = await json('campaigns', 'show', '3');
    const { code, stderr } = await ada(['campaigns', 'copy', '<b>Bold</b> launch', '--to-org', 'Initech Audio']);
    expect(code).toBe(0);
    expect(stderr).toContain('Created campaign 48 "<b>Bold</b> launch" in Initech Audio\n');
    expect(stderr).toContain("mkt campaigns publish 48 --org 'Initech Audio'\n");
    expect(fieldsOf(await json('campaigns', 'show', '48', '--org', '7'))).toEqual(fieldsOf(source));
  });
  it('takes another name, also for collabs', async () => {
    const { require_spark_ads, brief } = await json('collabs', 'show', '3');
    expect(await json('collabs', 'copy', '3', '--name', 'Second wave')).toMatchObject({
      name: 'Second wave',
      state: 'draft',
      require_spark_ads,
      brief,
    });
  });
  it.each([
    [['--to-org', '99'], 3, 'Organization 99 was not found'],
    [['--name', ''], 2, '--name is empty.'],
    [['--name', 'x'.repeat(256)], 6, 'name'],
    [['--fields', 'colour'], 2, 'Unknown field "colour".'],
  ])('creates nothing with %j', async (flags, code, message) => {
    const screen = await ada(['campaigns', 'copy', '3', ...flags]);
    expect(screen).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(await ada(['campaigns', 'show', '48'])).toMatchObject({ code: 3 });
  });
});

describe('an action on one resource', () => {
  it('prints the resource after the change', async () => {
    const { stdout, stderr } = await ada(['campaigns', 'publish', '1', '--yes', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, status: 'active' });
    expect(stderr).toMatch(/^Published campaign 1 "Summer UGC Campaign" in Acme Cosmetics\n/);
  });
  it('does not prompt if it can be undone', async () => {
    expect(await ada(['campaigns', 'pause', '3'], { columns: 80, answers: scriptedPrompter() })).toMatchObject({
      code: 0,
    });
  });
  it('prompts before it publishes, and shows which fields that fixes', async () => {
    const answers = scriptedPrompter(false);
    const { code, stderr } = await ada(['campaigns', 'publish', '1'], { columns: 200, answers });
    expect(code).toBe(10);
    expect(answers.asked).toEqual(['Really publish campaign 1 "Summer UGC Campaign"?']);
    expect(stderr).toContain(
      'Publishes campaign 1 "Summer UGC Campaign" in Acme Cosmetics. The payouts and the currency are then fixed (350 ',
    );
    expect(await json('campaigns', 'show', '1')).toMatchObject({ status: 'draft' });
  });
  it.each([
    ['campaigns', 'publish', '3', 'active'],
    ['campaigns', 'pause', '4', 'paused'],
    ['campaigns', 'resume', '3', 'active'],
    ['collabs', 'submit', '2', 'submitted for review'],
  ])('reports that nothing changed if the resource is in that state: %s %s %s', async (plural, action, id, state) => {
    const { code, stdout, stderr } = await ada([plural, action, id, '--json'], {
      columns: 200,
      answers: scriptedPrompter(),
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(new RegExp(`^C\\w+ ${id} ".*" is already ${state} in Acme Cosmetics\n$`));
    expect(JSON.parse(stdout)).toMatchObject({ id: Number(id) });
  });
  it('prints only the data with --quiet', async () => {
    expect(await ada(['campaigns', 'pause', '3', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
  });
  it('deletes with --yes, and prints the id as the service sends it', async () => {
    const { stdout, stderr } = await ada(['collabs', 'delete', '1', '--yes', '--json']);
    expect(JSON.parse(stdout)).toEqual({ id: 1, ok: true, result: 'deleted' });
    expect(stderr).toBe('Deleted collab 1 in Acme Cosmetics\n');
  });
});

describe('a confirmation', () => {
  const destructive = [
    ['campaigns', 'delete', '10'],
    ['collabs', 'delete', '1'],
    ['organizations', 'delete', '7'],
    ['members', 'remove', 'mem_5_cleo'],
    ['members', 'leave', '--email', 'ben@acme.example'],
    ['social-accounts', 'remove', '3'],
    ['address', 'delete'],
    ['tokens', 'revoke', '2'],
  ];
  it.each(destructive.map((argv) => [argv.join(' '), argv] as const))(
    'is needed without a terminal: %s',
    async (line, argv) => {
      for (const stdin of ['', 'y\n']) {
        const { code, stdout, stderr } = await ada(argv, { stdin });
        expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
        expect(stderr).toContain('Nothing was changed.');
        expect(stderr).toContain(`try:  mkt ${line} --dry-run\n`);
      }
    },
  );
  it.each([
    ['organizations', 'delete', '7'],
    ['address', 'delete'],
    ['tokens', 'revoke', '2'],
  ])('is to be repeated where it was meant: %s %s', async (...argv) => {
    const { stderr } = await ada([...argv, '--base-url', url()]);
    expect(stderr).toContain(`try:  mkt ${argv.join(' ')} --base-url ${url()} --dry-run`);
  });
  it('shows what it would change, and changes nothing after "no"', async () => {
    const answers = scriptedPrompter(false);
    const { code, stderr } = await ada(['campaigns', 'delete', '10'], { columns: 80, answers });
    expect(code).toBe(10);
    expect(answers.asked).toEqual(['Really delete campaign 10 "Retinol, explained by nurses"?']);
    expect(stderr).toContain('Deletes campaign 10 "Retinol, explained by nurses" in Acme Cosmetics.');
    expect(stderr).toContain('nothing was changed');
    expect(await json('campaigns', 'show', '10')).toMatchObject({ id: 10 });
  });
  it('and yes is yes', async () => {
    const { code } = await ada(['campaigns', 'delete', '10'], { columns: 80, answers: scriptedPrompter(true) });
    expect(code).toBe(0);
    expect(await ada(['campaigns', 'show', '10'])).toMatchObject({ code: 3 });
  });
  it('of an organization is its name, typed', async () => {
    const wrong = await ada(['organizations', 'delete', '7'], { columns: 80, answers: scriptedPrompter('initech') });
    expect(wrong).toMatchObject({ code: 10, stderr: 'error: "initech" is not its name. Nothing was changed.\n' });
    const right = await ada(['organizations', 'delete', '7'], {
      columns: 80,
      answers: scriptedPrompter('Initech Audio'),
    });
    expect(right).toMatchObject({ code: 0, stderr: 'Deleted organization 7\n' });
  });
  it('of an organization that is chosen on a terminal is its name, too', async () => {
    const answers = scriptedPrompter('Initech Audio', 'Initech Audio');
    expect(await ada(['organizations', 'delete'], { columns: 80, answers })).toMatchObject({
      code: 0,
      stderr: 'Deleted organization 7\n',
    });
    expect(await ada(['organizations', 'delete', '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Missing required argument "id".'),
    });
  });
});

describe('an action on several resources', () => {
  it('reports each, and exits with 9 if some failed', async () => {
    const { code, stdout, stderr } = await ada(['campaigns', 'publish', '1', '2', '99', '5', '--yes']);
    expect(code).toBe(9);
    expect(stderr).toContain('Published 2 campaigns in Acme Cosmetics:\n');
    expect(stderr).toContain('Campaign 99 was not found in Acme Cosmetics (organization 5).');
    expect(stderr).toContain('Campaign 5 cannot be published: it is finished.');
    expect(stderr).toContain('error: Published 2 of 4 campaigns.');
    expect(stdout.split('\n').filter(Boolean)).toHaveLength(3);
  });
  it('counts those that needed no change apart', async () => {
    const dry = await ada(['campaigns', 'publish', '1', '3', '14', '--dry-run']);
    expect(dry.stderr).toContain('error: Would publish 1 of 3 campaigns; 1 needed no change.\n');
    const { code, stderr } = await ada(['campaigns', 'publish', '1', '3', '14', '--yes']);
    expect(code).toBe(9);
    expect(stderr).toContain('error: Published 1 of 3 campaigns; 1 needed no change.\n');
  });
  it('exits with the code of the first failure if all failed', async () => {
    const { code, stdout } = await ada(['campaigns', 'delete', '98', '99', '--yes']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  });
  it('prints results and failures as JSON', async () => {
    const { code, stdout, stderr } = await ada(['campaigns', 'pause', '3', '99', '--json']);
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ id: 3, status: 'paused' }),
      {
        id: 99,
        ok: false,
        code: 'not_found',
        error: 'Campaign 99 was not found in Acme Cosmetics (organization 5).',
      },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'partly_done',
      exitCode: 9,
      results: [
        { id: 3, ok: true },
        { id: 99, ok: false, error: expect.any(String) },
      ],
    });
  });
  it('shows the plan, then prompts once', async () => {
    const answers = scriptedPrompter(true);
    const { code, stderr } = await ada(['campaigns', 'pause', '3', '6', '99'], { columns: 80, answers });
    expect(code).toBe(9);
    expect(answers.asked).toEqual(['Really pause 2 of these 3 campaigns?']);
    expect(stderr).toContain(
      'Pause 3 campaigns in Acme Cosmetics:\n  campaign 3 "<b>Bold</b> launch" (active)\n  campaign 6 "Back to school',
    );
    expect(stderr).toContain('  campaign 99 (not found)\n');
  });
});

describe('members', () => {
  it('are found by e-mail address, ignoring case', async () => {
    expect(await json('members', 'update', 'CLEO@acme.example', '--role', 'admin')).toMatchObject({
      id: 'mem_5_cleo',
      role: 'admin',
    });
  });
  it('can leave an organization', async () => {
    const { code, stderr } = await ada(['members', 'leave', '--email', 'ben@acme.example', '--yes'], {
      env: { MKT_TOKEN: tokens.ben_write },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'You left Acme Cosmetics.\n' });
  });
  it.each([
    [['--format', 'csv'], 'id,ok,result\nmem_5_cleo,true,removed\n'],
    [['--format', 'tsv', '--fields', 'result,id', '--no-header'], 'removed\tmem_5_cleo\n'],
    [['--format', 'ndjson'], '{"id":"mem_5_cleo","ok":true,"result":"removed"}\n'],
    [['--jq', '.result'], 'removed\n'],
  ])('are removed with their id as output: %j', async (flags, stdout) => {
    const argv = ['members', 'remove', 'cleo@acme.example', '--yes', ...flags];
    expect(await ada(argv)).toMatchObject({ code: 0, stdout });
  });
  it('are not removed if --fields names an unknown field', async () => {
    const screen = await ada(['members', 'remove', 'mem_5_cleo', '--yes', '--json', '--fields', 'role']);
    expect(screen).toMatchObject({ code: 2, stderr: expect.stringContaining('Unknown field') });
    expect(await ada(['members', 'list', '--role', 'member', '--jq', '.[].id'])).toMatchObject({
      stdout: 'mem_5_cleo\n',
    });
  });
  it('cannot leave an organization that they own', async () => {
    const { code, stderr } = await ada(['members', 'leave', '--email', 'ada@acme.example', '--yes']);
    expect(code).toBe(5);
    expect(stderr).toBe(
      'error: Ada Okafor (ada@acme.example) owns Acme Cosmetics. The owner cannot leave.\n  try:  To delete it with everything in it: mkt organizations delete 5\n',
    );
  });
  it('must enter their e-mail address to leave, on a terminal only', async () => {
    const answers = scriptedPrompter('ben@acme.example', true);
    const env = { MKT_TOKEN: tokens.ben_write };
    expect(await ada(['members', 'leave'], { columns: 80, answers, env })).toMatchObject({ code: 0 });
    expect(answers.asked[0]).toBe('Your own e-mail address (--email)');
    const name = await ada(['members', 'leave'], { columns: 80, answers: scriptedPrompter('ben'), env });
    expect(name.stderr).toContain('Enter your e-mail address.');
    const piped = await ada(['members', 'leave'], { env });
    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('--email is required.') });
  });
  it('are reported as removed if an admin leaves with the e-mail address of another member', async () => {
    const answers = scriptedPrompter(true);
    const { code, stderr } = await ada(['members', 'leave', '--email', 'cleo@acme.example'], { columns: 200, answers });
    expect(answers.asked).toEqual(['Really leave Acme Cosmetics as Cleo Martin (cleo@acme.example)?']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'error: You are still a member of Acme Cosmetics. Cleo Martin (cleo@acme.example) was removed instead, because that was not your e-mail address.',
    );
    expect(stderr).not.toContain('You left');
  });
});

describe('an address that moves', () => {
  const position = { latitude: '37.3349', longitude: '-122.00902', google_place_id: 'abc' };
  const flags = ['--latitude', '37.3349', '--longitude', '-122.00902', '--google-place-id', 'abc'];
  it('does not keep the coordinates of the earlier place', async () => {
    await ada(['address', 'set', ...flags]);
    expect(await json('address', 'show')).toMatchObject(position);
    const dry = await ada(['address', 'set', '--city', 'Berlin', '--dry-run']);
    expect(dry.stderr).toContain('Would clear latitude, longitude, google place id of the earlier place.');
    expect(await json('address', 'show')).toMatchObject({ city: 'Cupertino', ...position });
    const { stderr } = await ada(['address', 'set', '--city', 'Berlin']);
    expect(stderr).toContain('To set new ones: --latitude VALUE --longitude VALUE --google-place-id VALUE\n');
    const cleared = { latitude: null, longitude: null, google_place_id: null };
    expect(await json('address', 'show')).toMatchObject({ city: 'Berlin', ...cleared });
  });
  it.each([
    [['--address-two', 'Floor 3'], position],
    [['--city', 'Cupertino'], position],
    [['--city', 'Berlin', '--latitude', '52.5', '--longitude', '13.4'], { latitude: '52.5', longitude: '13.4' }],
  ])('has the coordinates that it should: %j', async (change, expected) => {
    await ada(['address', 'set', ...flags]);
    await ada(['address', 'set', ...change]);
    expect(await json('address', 'show')).toMatchObject(expected);
  });
});

it('prompts for a complete address if no field is given', async () => {
  const answers = scriptedPrompter('Main Street 1', 'Prague', 'Prague', '11000', 'CZ');
  const { code, stderr } = await ada(['address', 'set'], {
    columns: 80,
    answers,
    env: { MKT_TOKEN: tokens.eve_write },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Set your address.\n' });
  expect(answers.asked).toHaveLength(5);
});

it('prints the secret of a new token only once', async () => {
  const { stdout, stderr } = await ada([
    'tokens',
    'create',
    '--description',
    'CI',
    '--permission',
    'read',
    '--fields',
    'token',
    '--no-header',
  ]);
  expect(stdout).toMatch(/^mkt_[\w-]{20,}\n$/);
  expect(stderr).toContain('It will not be shown again');
  expect((await ada(['tokens', 'list', '--json'])).stdout).not.toContain(stdout.trim());
  expect((await ada(['tokens', 'list'])).stderr).toMatch(
    /^3 of 3\. The API does not say when a token was last used\.\n$/,
  );
});

describe('a token to revoke', () => {
  it('is shown with its description and with whether it is in use', async () => {
    const answers = scriptedPrompter(false, true);
    const used = await ada(['tokens', 'revoke', '1'], { columns: 200, answers });
    expect(used.stderr).toContain('Revokes token 1 "Ada\'s laptop". It is the token that you use now.');
    const other = await ada(['tokens', 'revoke', '2', '--json'], { columns: 200, answers });
    expect(other.stderr).toContain('Revokes token 2 "Ada\'s dashboard (read only)". It is read-only.');
    expect(JSON.parse(other.stdout)).toEqual({ id: 2, ok: true, result: 'revoked' });
  });
});

describe('a resource without an id', () => {
  it.each([
    [['campaigns', 'show', 'Summer UGC Campaign'], 1],
    [['campaigns', 'show', 'summer ugc campaign'], 1],
    [['campaigns', 'update', 'Summer UGC Campaign', '--cpm-amount', '900'], 1],
    [['campaigns', 'pause', '<b>Bold</b> launch'], 3],
    [['campaigns', 'delete', 'Retinol, explained by nurses', '--yes'], 10],
    [['social-accounts', 'show', 'https://www.tiktok.com/@acme'], 1],
    [['organizations', 'show', 'Initech Audio'], 7],
    [['organizations', 'delete', 'Initech Audio', '--yes'], 7],
    [['members', 'update', 'Cleo Martin', '--role', 'admin'], 'mem_5_cleo'],
    [['tokens', 'revoke', "Ada's dashboard (read only)", '--yes'], 2],
  ])('is found by its name: %j', async (argv, id) => {
    expect(await json(...argv)).toMatchObject({ id });
  });
  it('is suggested if its name is misspelt', async () => {
    const { code, stderr } = await ada(['campaigns', 'show', 'Sumer UGC Campaing']);
    expect(code).toBe(3);
    expect(stderr).toBe(
      'error: No campaign in Acme Cosmetics has the id or name "Sumer UGC Campaing". Did you mean "Summer UGC Campaign"?\n  try:  mkt campaigns list --org 5\n',
    );
  });
  it('is not chosen among several of one name', async () => {
    await ada(['campaigns', 'create', '--name', 'Curl week']);
    const { code, stderr } = await ada(['campaigns', 'pause', 'Curl week', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('error: 2 campaigns are named "Curl week". Use an id instead.');
    expect(stderr).toContain('13  Curl week');
    expect(await json('campaigns', 'show', '13')).toMatchObject({ status: 'active' });
  });
  it('can be chosen on a terminal, among those that the action is for', async () => {
    const answers = scriptedPrompter(
      ...['Festival glitter, biodegradable', true, 'Cleo Martin, cleo@acme.example', 'admin', true],
    );
    const resumed = await ada(['campaigns', 'resume'], { columns: 200, answers });
    expect(resumed.stderr).toContain('\nResumed campaign 14 "Festival glitter, biodegradable" in Acme Cosmetics\n');
    await ada(['members', 'update'], { columns: 200, answers });
    expect(answers.asked).toEqual([
      ...['Which campaign?', 'Really resume campaign 14 "Festival glitter, biodegradable"?', 'Which member?'],
      ...['Role: member or admin (--role)', 'Really update member mem_5_cleo "Cleo Martin"?'],
    ]);
    await expect(
      ada(['campaigns', 'resume'], { columns: 200, answers: scriptedPrompter('Curl week') }),
    ).resolves.toMatchObject({
      stderr: expect.stringContaining('Curl week is not one of'),
    });
  });
  it.each([
    ['campaigns', 'show'],
    ['campaigns', 'update'],
    ['collabs', 'delete'],
    ['campaigns', 'publish'],
    ['tokens', 'revoke'],
  ])('is a usage error without a terminal: %s %s', async (...argv) => {
    const { code, stderr } = await ada(argv);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: Missing required argument "id".\n  try:  mkt ${argv.join(' ')} --help\n`,
    });
  });
});

describe('an update', () => {
  it('shows the changed fields in its table', async () => {
    const argv = ['campaigns', 'update', '1', '--website', 'https://acme.example/x', '--brief', '<p>x</p>'];
    const { stdout } = await ada(argv, { columns: 120 });
    expect(stdout).toMatch(/^ID .*WEBSITE *\n1 .*https:\/\/acme\.example\/x\n$/);
    expect(stdout).not.toContain('BRIEF');
  });
});
