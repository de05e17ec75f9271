import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { person } from './support/person.js';
import { runCli, type Terminal, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

const ada = (argv: readonly string[], terminal: Terminal = {}) =>
  runCli(argv, {
    ...terminal,
    env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5', ...terminal.env },
  });
const json = async (...argv: readonly string[]) => JSON.parse((await ada([...argv, '--json'])).stdout);

describe('create', () => {
  it('sends every kind of field under the name the API gives it', async () => {
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
  it('reports what it created, where, and the next step', async () => {
    const { stdout, stderr } = await ada(['campaigns', 'create', '--name', 'Autumn glow']);
    expect(stderr).toBe(
      'Created campaign 48 "Autumn glow" in Acme Cosmetics\nIt is a draft. Next: mkt campaigns publish 48\n',
    );
    expect(stdout).toMatch(/^ID +NAME +STATUS.*\n48 +Autumn glow +draft/);
  });
  it('asks for what is missing on a terminal', async () => {
    const answers = person('Asked for');
    const { code, stderr } = await ada(['campaigns', 'create'], { columns: 80, answers });
    expect(code).toBe(0);
    expect(answers.asked).toEqual(['Name of the campaign: 1 to 255 characters (--name)']);
    expect(stderr).toContain('Created campaign 48 "Asked for"');
  });
  it('asks for a choice by its name', async () => {
    const answers = person('read', 'member');
    await ada(['tokens', 'create', '--description', 'Nightly'], { columns: 80, answers });
    await ada(['members', 'update', 'mem_5_cleo'], { columns: 80, answers });
    expect(answers.asked).toEqual([
      'Permission: write for every method, read for GET and HEAD only (--permission)',
      'Role: member or admin (--role)',
    ]);
  });
  it.each([
    [['--no-input'], {}],
    [[], { MKT_NO_INPUT: '1' }],
    [[], { CI: 'true' }],
  ] as const)('asks nothing with %j %j', async (flags, env) => {
    const { code, stderr } = await ada(['campaigns', 'create', ...flags], { columns: 80, answers: person(), env });
    expect(code).toBe(2);
    expect(stderr).toContain('--name is required.');
  });
  it('takes fields from a file, flags before it', async () => {
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
  it('changes nothing when --fields names what is not there', async () => {
    const { code } = await ada(['campaigns', 'create', '--name', 'Unwanted', '--fields', 'colour']);
    expect(code).toBe(2);
    expect(await json('campaigns', 'list', '--name', 'Unwanted')).toEqual([]);
  });
});

describe('one action', () => {
  it('gives the resource as it now is', async () => {
    const { stdout, stderr } = await ada(['campaigns', 'publish', '1', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, status: 'active' });
    expect(stderr).toBe('Published campaign 1 "Summer UGC Campaign" in Acme Cosmetics\n');
  });
  it('asks nothing, also on a terminal', async () => {
    expect(await ada(['campaigns', 'pause', '3'], { columns: 80, answers: person() })).toMatchObject({ code: 0 });
  });
  it('says nothing but the data with --quiet', async () => {
    expect(await ada(['campaigns', 'pause', '3', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
  });
  it('deletes with --yes, and answers a script', async () => {
    const { stdout, stderr } = await ada(['collabs', 'delete', '1', '--yes', '--json']);
    expect(JSON.parse(stdout)).toEqual({ id: '1', ok: true, result: 'deleted' });
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
        expect(stderr).toContain(`try:  mkt ${line}`);
        expect(stderr).toContain('--yes');
      }
    },
  );
  it.each([
    ['organizations', 'delete', '7'],
    ['address', 'delete'],
    ['tokens', 'revoke', '2'],
  ])('is to be repeated where it was meant: %s %s', async (...argv) => {
    const { stderr } = await ada([...argv, '--base-url', service.url]);
    expect(stderr).toContain(`try:  mkt ${argv.join(' ')} --base-url ${service.url} --yes`);
  });
  it('shows what it is about, and no is no', async () => {
    const answers = person(false);
    const { code, stderr } = await ada(['campaigns', 'delete', '10'], { columns: 80, answers });
    expect(code).toBe(10);
    expect(answers.asked).toEqual(['Really delete this campaign?']);
    expect(stderr).toContain('Delete campaign 10 "Retinol, explained by nurses" in Acme Cosmetics');
    expect(stderr).toContain('nothing was changed');
    expect(await json('campaigns', 'show', '10')).toMatchObject({ id: 10 });
  });
  it('and yes is yes', async () => {
    const { code } = await ada(['campaigns', 'delete', '10'], { columns: 80, answers: person(true) });
    expect(code).toBe(0);
    expect(await ada(['campaigns', 'show', '10'])).toMatchObject({ code: 3 });
  });
  it('of an organization is its name, typed', async () => {
    const wrong = await ada(['organizations', 'delete', '7'], { columns: 80, answers: person('initech') });
    expect(wrong.code).toBe(10);
    const right = await ada(['organizations', 'delete', '7'], { columns: 80, answers: person('Initech Audio') });
    expect(right).toMatchObject({ code: 0, stderr: 'Deleted organization 7\n' });
  });
});

describe('several at once', () => {
  it('reports each, and ends with 9 when some failed', async () => {
    const { code, stdout, stderr } = await ada(['campaigns', 'publish', '1', '2', '99', '5', '--yes']);
    expect(code).toBe(9);
    expect(stderr).toContain('Published campaign 1 "Summer UGC Campaign" in Acme Cosmetics\n');
    expect(stderr).toContain('Campaign 99 was not found in Acme Cosmetics (organization 5).');
    expect(stderr).toContain('Campaign 5 cannot be published: it is finished.');
    expect(stderr).toContain('error: Published 2 of 4 campaigns.');
    expect(stdout.split('\n').filter(Boolean)).toHaveLength(3);
  });
  it('ends with the code of the first failure when none was done', async () => {
    const { code, stdout } = await ada(['campaigns', 'delete', '98', '99', '--yes']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  });
  it('is data for a script, failures included', async () => {
    const { code, stdout, stderr } = await ada(['campaigns', 'pause', '3', '99', '--json']);
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ id: 3, status: 'paused' }),
      {
        id: '99',
        ok: false,
        code: 'not_found',
        error: 'Campaign 99 was not found in Acme Cosmetics (organization 5).',
      },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'partly_done',
      exitCode: 9,
      results: [
        { id: '3', ok: true },
        { id: '99', ok: false, error: expect.any(String) },
      ],
    });
  });
  it('shows the plan, then asks once', async () => {
    const answers = person(true);
    const { code, stderr } = await ada(['campaigns', 'pause', '3', '6', '99'], { columns: 80, answers });
    expect(code).toBe(9);
    expect(answers.asked).toEqual(['Really pause these 3 campaigns?']);
    expect(stderr).toContain(
      'Pause 3 campaigns in Acme Cosmetics:\n  campaign 3 "<b>Bold</b> launch"\n  campaign 6 "Back to school',
    );
    expect(stderr).toContain('  campaign 99 (not found)\n');
  });
});

describe('members', () => {
  it('are named by e-mail address, whatever its case', async () => {
    expect(await json('members', 'update', 'CLEO@acme.example', '--role', 'admin')).toMatchObject({
      id: 'mem_5_cleo',
      role: 'admin',
    });
  });
  it('leave by themselves', async () => {
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
  ])('that are removed leave their id: %j', async (flags, stdout) => {
    const argv = ['members', 'remove', 'cleo@acme.example', '--yes', ...flags];
    expect(await ada(argv)).toMatchObject({ code: 0, stdout });
  });
  it('are removed only when --fields names what there is to say', async () => {
    const screen = await ada(['members', 'remove', 'mem_5_cleo', '--yes', '--json', '--fields', 'role']);
    expect(screen).toMatchObject({ code: 2, stderr: expect.stringContaining('Unknown field') });
    expect(await ada(['members', 'list', '--role', 'member', '--jq', '.[].id'])).toMatchObject({
      stdout: 'mem_5_cleo\n',
    });
  });
  it('are warned when an admin leaves with the e-mail address of another member', async () => {
    const answers = person(true);
    const { code, stderr } = await ada(['members', 'leave', '--email', 'cleo@acme.example'], { columns: 200, answers });
    expect(answers.asked).toEqual(['Really leave Acme Cosmetics as Cleo Martin (cleo@acme.example)?']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'error: You are still a member of Acme Cosmetics. Cleo Martin (cleo@acme.example) was removed instead, because that was not your e-mail address.',
    );
    expect(stderr).not.toContain('You left');
  });
});

it('asks for a whole address when there is none', async () => {
  const answers = person('Main Street 1', 'Prague', 'Prague', '11000', 'CZ');
  const { code, stderr } = await ada(['address', 'set'], {
    columns: 80,
    answers,
    env: { MKT_TOKEN: tokens.eve_write },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Set your address.\n' });
  expect(answers.asked).toHaveLength(5);
});

it('prints the secret of a new token once, and its list never does', async () => {
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
});
