import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contract } from '@mkt/sdk/contract';
import { describe, expect, it } from 'vitest';
import { isGroup } from '../src/context/command.js';
import { commands } from '../src/root/commands.js';
import { adaWithService } from './support/ada.js';
import { scriptedPrompter } from './support/prompter.js';
import { temporaryFolder } from './support/run-cli.js';
import { tokens } from './support/service.js';

const { ada: run, json, url } = adaWithService();
const words = (line: string) => line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
const ada = (line: string, terminal?: Parameters<typeof run>[1]) => run(words(line), terminal);

describe('the service of a change', () => {
  const folderWith = (profiles: object) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'config'), { mode: 0o700 });
    writeFileSync(join(cwd, 'config', 'config.json'), JSON.stringify({ profiles }));
    writeFileSync(join(cwd, 'c.csv'), 'name\nFrom a file\n');
    writeFileSync(join(cwd, 'm.yaml'), 'campaigns:\n  - name: Declared\n');
    return cwd;
  };
  it.each([
    [
      'campaigns publish 2',
      true,
      /^Really publish campaign 2 ".+" on HOST\?$/,
      /Published campaign 2 ".+" in Acme Cosmetics on HOST$/m,
    ],
    [
      'campaigns pause 3 1',
      true,
      /^Really pause .+ on HOST\?$/,
      /^Paused 1 campaign in Acme Cosmetics on HOST|Paused campaign 3 .+ on HOST$/m,
    ],
    ['campaigns create --name New', undefined, undefined, /^Created campaign 48 "New" in Acme Cosmetics on HOST$/m],
    [
      'campaigns create --name New --dry-run',
      undefined,
      undefined,
      /^Would create campaign "New" in Acme Cosmetics on HOST:$/m,
    ],
    [
      'import campaigns DIR/c.csv',
      true,
      /^Create this campaign on HOST\?$/,
      /^Created 1 campaign in Acme Cosmetics on HOST as a draft/m,
    ],
    [
      'apply DIR/m.yaml',
      true,
      /^Make these changes on HOST\?$/,
      /^Created campaign 48 "Declared" in Acme Cosmetics on HOST$/m,
    ],
    ['address delete', true, /^Really delete your address on HOST\?$/, /^Deleted your address on HOST\.$/m],
    [
      'members leave --email ben@acme.example',
      true,
      /^Really leave .+ on HOST\?$/,
      /^You left Acme Cosmetics on HOST\.$/m,
    ],
    [
      'organizations delete 5',
      'Acme Cosmetics',
      /^Delete "Acme Cosmetics" with .+ on HOST\? Type its name/,
      /^Deleted organization 5 on HOST$/m,
    ],
    ['tokens revoke 2', true, /^Really revoke token 2 ".+" on HOST\?$/, /^Revoked token 2 on HOST$/m],
  ] as const)(
    'is named in questions and receipts if there are two profiles: %s',
    async (line, answer, question, receipt) => {
      const { host } = new URL(url());
      const answers = scriptedPrompter(...(answer === undefined ? [] : [answer]));
      const cwd = folderWith({ one: { base_url: url() }, other: { base_url: 'https://other.example' } });
      const env = line.startsWith('members') ? { MKT_TOKEN: tokens.ben_write } : {};
      const { stderr } = await ada(line.replace('DIR', cwd), { columns: 400, answers, cwd, env });
      if (question !== undefined) expect(answers.asked[0]?.replace(host, 'HOST')).toMatch(question);
      expect(stderr.replaceAll(host, 'HOST')).toMatch(receipt);
    },
  );
  it.each([
    ['is not named if there is one profile', () => `${url()}/`, ''],
    ['is named if it is not that of the only profile', () => 'https://other.example', ' on HOST'],
  ])('%s', async (_, own, where) => {
    const answers = scriptedPrompter(true);
    const cwd = folderWith({ default: { base_url: own() } });
    const { stderr } = await ada('campaigns publish 2', { columns: 400, answers, cwd });
    const { host } = new URL(url());
    expect(stderr.replaceAll(host, 'HOST')).toMatch(new RegExp(`in Acme Cosmetics${where}$`, 'm'));
    const [question] = answers.asked;
    expect(question?.replace(host, 'HOST')).toMatch(new RegExp(`^Really publish campaign 2 "[^"]+"${where}\\?$`));
  });
});

describe('a resource chosen in a picker', () => {
  it.each([
    ['campaigns pause', '3', /^Really pause campaign 3 "<b>Bold<\/b> launch"\?$/],
    ['campaigns resume', '4', /^Really resume campaign 4 "Lip tint shade finder"\?$/],
    ['campaigns publish', '10', /^Really publish campaign 10 "Retinol, explained by nurses"\?$/],
    ['campaigns delete', '10', /^Really delete campaign 10 "Retinol, explained by nurses"\?$/],
    ['campaigns update --cpm-amount 9', '10', /^Really update campaign 10 "Retinol, explained by nurses"\?$/],
    ['collabs submit', '1', /^Really submit collab 1 ".+"\?$/],
    ['members update --role member', 'mem_5_ben', /^Really update member mem_5_ben "Ben Ito"\?$/],
    ['tokens revoke', '2', /^Really revoke token 2 ".+"\?$/],
  ])('is asked about by name: %s', async (line, id, question) => {
    const answers = scriptedPrompter(id, false);
    const { code, stderr } = await ada(line, { columns: 80, answers });
    expect(code).toBe(10);
    expect(answers.asked[1]).toMatch(question);
    expect(stderr).toContain('Cancelled; nothing was changed.');
  });
  it('is submitted after a sentence that says what follows', async () => {
    const answers = scriptedPrompter('1', false);
    const { stderr } = await ada('collabs submit', { columns: 80, answers });
    expect(stderr.replaceAll('\n', ' ')).toContain('The marketplace then reviews it. It cannot become a draft again.');
  });
  it('is changed after a yes', async () => {
    const { code } = await ada('campaigns pause', { columns: 80, answers: scriptedPrompter('3', true) });
    expect({ code, status: (await json('campaigns', 'show', '3')).status }).toEqual({ code: 0, status: 'paused' });
  });
  it('is not offered if only its owner could delete it, or if it is the owner', async () => {
    const owner = await ada('members remove', { columns: 80, answers: scriptedPrompter('mem_5_ada') });
    expect(owner.stderr).toContain('mem_5_ada is not one of Ben Ito');
    const planned = await ada('members remove mem_5_ada --dry-run');
    expect(planned.stderr).toContain('cannot be removed: the owner always stays.');
    const own = (answer: string, token: string) =>
      ada('organizations delete --dry-run', {
        columns: 80,
        answers: scriptedPrompter(answer),
        env: { MKT_TOKEN: token },
      });
    expect((await own('5', tokens.ben_write)).stderr).toMatch(/5 is not one of|There are no organizations/);
    expect(await own('5', tokens.ada_write)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Would delete'),
    });
  });
  it('is not offered if it cannot be deleted', async () => {
    for (const id of ['2', '9']) {
      const { stderr } = await ada('campaigns delete', { columns: 80, answers: scriptedPrompter(id) });
      expect(stderr).toContain(`${id} is not one of`);
    }
  });
});

describe('without a terminal and without --yes', () => {
  it.each([
    ['campaigns publish 10', 'mkt campaigns publish 10 --dry-run'],
    ['campaigns publish 10 20', 'mkt campaigns publish 10 20 --dry-run'],
    ['collabs submit 1', 'mkt collabs submit 1 --dry-run'],
    ['collabs submit 1 5', 'mkt collabs submit 1 5 --dry-run'],
    ['campaigns delete 10', 'mkt campaigns delete 10 --dry-run'],
    ['campaigns delete 10 20', 'mkt campaigns delete 10 20 --dry-run'],
    ['collabs delete 1', 'mkt collabs delete 1 --dry-run'],
    ['members remove cleo@acme.example', 'mkt members remove cleo@acme.example --dry-run'],
    ['members leave --email cleo@acme.example', 'mkt members leave --email cleo@acme.example --dry-run'],
    ['social-accounts remove 3', 'mkt social-accounts remove 3 --dry-run'],
    ['tokens revoke 2', 'mkt tokens revoke 2 --dry-run'],
    ['address delete', 'mkt address delete --dry-run'],
    ['organizations delete 7', 'mkt organizations delete 7 --dry-run'],
  ])('what cannot be undone exits with 10, and the dry run is suggested: %s', async (line, dryRun) => {
    const before = await json('api', '/organizations/5/campaigns/10.json');
    const { code, stdout, stderr } = await ada(line);
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
    expect(stderr).toContain('Nothing was changed.');
    expect(stderr).toContain(`  try:  ${dryRun}\n`);
    expect(stderr).not.toContain('--yes');
    const rehearsed = await run(words(dryRun).slice(1));
    expect(rehearsed).toMatchObject({ code: 0 });
    expect(rehearsed.stderr).toMatch(/^Would /);
    expect(await json('api', '/organizations/5/campaigns/10.json')).toEqual(before);
  });
  it('an action that another one takes back runs', async () => {
    expect(await ada('campaigns pause 3')).toMatchObject({ code: 0 });
  });
  it('an action that is impossible reports why', async () => {
    expect(await ada('campaigns publish 3')).toMatchObject({ code: 0 });
    expect(await ada('campaigns publish 4')).toMatchObject({ code: 6 });
  });
});

it('every action that no other one takes back is marked as final', async () => {
  for (const group of commands.filter(isGroup)) {
    if (group.name !== 'campaigns' && group.name !== 'collabs') continue;
    const actions = Object.entries(contract[group.name]).flatMap(([name, endpoint]) =>
      endpoint.transition ? [[name, endpoint.transition] as const] : [],
    );
    for (const [name, { from }] of actions) {
      const isFinal = !actions.some(([, { to }]) => (from as readonly string[]).includes(to));
      const [example] = group.commands().find((command) => command.name === name)?.examples ?? [];
      expect([name, example?.line.endsWith(' --yes')]).toEqual([name, isFinal]);
    }
  }
});

describe('a deletion', () => {
  it.each([
    ['9', /^error: Campaign 9 ".*" cannot be deleted: it is active\. Only campaigns in the state "draft" can be/],
    ['3', /it is active/],
  ])('of what cannot be deleted is rejected in a dry run: %s', async (id, message) => {
    const { code, stderr } = await ada(`campaigns delete ${id} --dry-run`);
    expect(code).toBe(6);
    expect(stderr).toMatch(message);
  });
  it('by filters plans only what can be deleted', async () => {
    const all: { id: number; status: string; total_budget_amount: number }[] = await json(
      'campaigns',
      'list',
      '--country',
      'US',
    );
    const drafts = all.filter((row) => row.status === 'draft' && row.total_budget_amount === 0);
    expect(all.filter(({ status }) => status === 'draft').length).toBeGreaterThan(drafts.length);
    const { code, stdout, stderr } = await ada('campaigns delete --country US --dry-run --json');
    expect({ code, ids: JSON.parse(stdout).map(({ id }: { id: number }) => id) }).toEqual({
      code: 0,
      ids: drafts.map(({ id }) => id),
    });
    expect(stderr).toContain(`Skipping ${all.length - drafts.length} of ${all.length} campaigns that match`);
    const collabs = await ada('collabs delete --country US --dry-run');
    expect(collabs.stderr).not.toContain('Would delete collab 3 ');
  });
  it('sends nothing for what cannot be deleted', async () => {
    const answers = scriptedPrompter(true);
    const { code, stderr } = await ada('campaigns delete 9 10', { columns: 80, answers });
    expect(answers.asked).toEqual(['Really delete 1 of these 2 campaigns?']);
    expect({ code, stderr }).toMatchObject({ code: 9 });
    expect(stderr).toMatch(/ {2}campaign 9 .* \(active, cannot be deleted\)/);
  });
});

describe('a dry run', () => {
  it('prints each row once', async () => {
    const { stdout, stderr } = await ada('campaigns pause --country DE --dry-run');
    const rows = stdout.trimEnd().split('\n').slice(1);
    expect(rows.length).toBeGreaterThan(1);
    expect(stderr).toContain(`Would pause ${rows.length} campaigns in Acme Cosmetics:\n`);
    expect(stderr).not.toMatch(/campaign \d/);
  });
});

it('names what was not started after Ctrl-C', async () => {
  const stop = new AbortController();
  const answers = scriptedPrompter(true);
  const confirm = answers.confirm;
  answers.confirm = async (question) => {
    stop.abort();
    return confirm(question);
  };
  const { code, stderr } = await ada('campaigns pause 3 6', { columns: 200, answers, interrupted: stop.signal });
  expect(code).toBe(130);
  expect(stderr).toContain('Not started: campaign 3 "<b>Bold</b> launch".');
  expect(stderr).toMatch(/Not started: campaign 6 ".+"\./);
});
