import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { scriptedPrompter } from './support/prompter.js';
import { temporaryFolder } from './support/run-cli.js';

/** Without the line breaks of the terminal. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const { ada } = adaWithService();

const funding = (id: number) => `A budget is added on the website: mkt open campaigns ${id}`;

describe('a campaign without a budget, a country or a brief', () => {
  it('is named after its creation', async () => {
    const bare = await ada(['campaigns', 'create', '--name', 'A', '--brief', '<p>x</p>']);
    expect(bare.stderr).toContain(`It is a draft. Next: mkt campaigns publish 48\nIt has no budget. ${funding(48)}\n`);
    const path = join(temporaryFolder(), 'fields.json');
    writeFileSync(path, '{"countries": []}');
    const empty = await ada(['campaigns', 'create', '--name', 'B', '-f', path, '--org', '5']);
    expect(empty.stderr).toContain(`It has no budget and no country. ${funding(49)} --org 5\n`);
  });

  it('is named before its publication', async () => {
    await ada([
      'api',
      'organizations/5/campaigns/10.json',
      '-X',
      'PATCH',
      '-f',
      'campaign[brief]=null',
      '-f',
      'campaign[countries]=[]',
    ]);
    const answers = scriptedPrompter(true);
    const { stderr, code } = await ada(['campaigns', 'publish', '10'], { columns: 200, answers });
    expect(code).toBe(0);
    expect(inOneLine(stderr)).toContain(
      'Publishes campaign 10 "Retinol, explained by nurses" in Acme Cosmetics. The payouts and the currency are then fixed (',
    );
    expect(inOneLine(stderr)).toContain(`It has no budget, no country and no brief. ${funding(10)} `);
    expect(answers.asked).toEqual(['Really publish campaign 10 "Retinol, explained by nurses"?']);
  });

  it('is named in a dry run, and after a publication without a prompt', async () => {
    const dry = await ada(['campaigns', 'publish', '10', '--dry-run']);
    expect(dry.stderr).toContain(`Campaign 10 "Retinol, explained by nurses" has no budget. ${funding(10)}\n`);
    const done = await ada(['campaigns', 'publish', '10', '--yes']);
    expect(done.stderr).toContain(`has no budget. ${funding(10)}\n`);
  });
});

it('says once what a publication does, in words', async () => {
  await ada(['campaigns', 'create', '--name', 'Curl week', '--base-reward-amount', '50']);
  const one = await ada(['campaigns', 'publish', '48'], { columns: 300, answers: scriptedPrompter(true) });
  expect(inOneLine(one.stderr)).toContain(
    'Publishes campaign 48 "Curl week" in Acme Cosmetics. The payouts and the currency are then fixed (500 per 1,000 views, payouts 1,000 to 10,000 usd, 50 usd for taking part). It has no budget.',
  );
  const two = await ada(['campaigns', 'publish', '1', '20'], { columns: 300, answers: scriptedPrompter(false) });
  expect(two.stderr).toContain('Publish 2 campaigns in Acme Cosmetics:\n  campaign 1 "Summer UGC Campaign" (draft)\n');
  expect(two.stderr).not.toContain('cpm_amount');
});

describe('what the API does not offer', () => {
  it.each([
    [['campaigns', 'fund', '3'], 'Budgets are added on the website', 'mkt open campaigns'],
    [['fund', '3'], 'Budgets are added on the website', 'mkt open campaigns'],
    [['members', 'invite', 'x@y.example'], 'Members are invited on the website', 'mkt open members'],
    [['members', 'add'], 'Members are invited on the website', 'mkt open members'],
    [['invite', 'x@y.example'], 'Members are invited on the website', 'mkt open members'],
    [['collabs', 'approve', '2'], 'The marketplace reviews collabs', 'mkt collabs list --state submitted_for_review'],
    [['campaigns', 'finish', '3'], 'The marketplace ends campaigns', 'mkt campaigns pause ID'],
    [['signup'], 'Accounts are created on the website', 'mkt open'],
    [['submissions'], 'Submissions are on the website', 'mkt open'],
  ])('is said with where it is done: %j', async (argv, sentence, command) => {
    const { code, stdout, stderr } = await ada(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: ${sentence}`);
    expect(stderr).toContain(`try:  ${command}`);
  });
});
