import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { scriptedPrompter } from './support/prompter.js';
import type { Terminal } from './support/run-cli.js';
import { tokens } from './support/service.js';

const { ada: run, url } = adaWithService();
const ada = (line: string, terminal?: Terminal) => run(line.split(' '), terminal);
const stateOf = async (id: number) => JSON.parse((await ada(`campaigns show ${id} --json`)).stdout).status;
const idsOf = (text: string): number[] => JSON.parse(text).map(({ id }: { id: number }) => id);

const PLAN = `Resume 3 campaigns in Acme Cosmetics:
  campaign 4 "Lip tint shade finder" (paused)
  campaign 14 "Festival glitter, biodegradable" (paused)
  campaign 24 "Scalp care for swimmers" (paused)
`;

describe('an action with filters', () => {
  it('shows the plan, asks once, and changes all that match', async () => {
    const answers = scriptedPrompter(true);
    const { code, stdout, stderr } = await ada('campaigns resume --status paused', { columns: 80, answers });
    expect(answers.asked).toEqual(['Really resume these 3 campaigns?']);
    // The table has a row for each, so there is one receipt.
    expect(stderr).toBe(`${PLAN}Resumed 3 campaigns in Acme Cosmetics:\n`);
    expect(stdout).toMatch(/^14 +Festival glitter, biodegradable +active /m);
    expect(code).toBe(0);
    expect(await stateOf(24)).toBe('active');
  });
  it('asks about a single match too', async () => {
    const answers = scriptedPrompter(false);
    expect(await ada('campaigns resume --name LIP', { columns: 80, answers })).toMatchObject({ code: 10 });
    expect(answers.asked).toEqual(['Really resume campaign 4 "Lip tint shade finder"?']);
  });
  it('shows the plan in a pipe and exits with 10 without --yes', async () => {
    const { code, stdout, stderr } = await ada('campaigns resume --status paused');
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
    expect(stderr).toContain(PLAN);
    expect(stderr).toContain('try:  mkt campaigns resume --status paused --dry-run\n');
    expect(await stateOf(4)).toBe('paused');
  });
  it('prints only JSON on stderr without --yes for programs', async () => {
    const { code, stderr } = await ada('campaigns resume --status paused --json');
    expect(code).toBe(10);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'confirmation_needed' });
  });
  it('changes nothing with --dry-run', async () => {
    const { code, stdout, stderr } = await ada('campaigns resume --status paused --dry-run');
    expect(code).toBe(0);
    expect(stderr).toBe('Would resume 3 campaigns in Acme Cosmetics:\n');
    expect(stdout).toMatch(/\n24 +Scalp care for swimmers +paused/);
    expect(idsOf((await ada('campaigns resume --status paused --dry-run --json')).stdout)).toEqual([4, 14, 24]);
    expect(await stateOf(4)).toBe('paused');
  });
  it('leaves out what is in a state that does not allow the action', async () => {
    const { code, stdout, stderr } = await ada('campaigns resume --name o --dry-run --json');
    const all = JSON.parse((await ada('campaigns list --name o --json')).stdout) as { id: number; status: string }[];
    const paused = all.filter(({ status }) => status === 'paused');
    expect(code).toBe(0);
    expect(idsOf(stdout)).toEqual(paused.map(({ id }) => id));
    expect(stderr).toContain(
      `Skipping ${all.length - paused.length} of ${all.length} campaigns that match, which cannot be resumed now.\n`,
    );
  });
  it.each(['campaigns resume --name zebra', 'campaigns delete --name zebra'])(
    'says so and succeeds if nothing matches: %s',
    async (line) => {
      expect(await ada(line)).toEqual({ code: 0, stdout: '', stderr: 'No campaigns match.\n' });
      expect(await ada(`${line} --json`)).toMatchObject({ code: 0, stdout: '[]\n' });
    },
  );
  it('prints a list also for a single match', async () => {
    expect(idsOf((await ada('campaigns resume --name Lip --yes --json')).stdout)).toEqual([4]);
  });
  it('deletes what can be deleted, and reports what the service rejects', async () => {
    const rejected = await ada('campaigns delete 10 24 --yes');
    expect(rejected.code).toBe(9);
    expect(rejected.stderr).toMatch(/Cannot delete campaign 24: /);
    const { code, stderr } = await ada('campaigns delete --status draft,paused --since 2026-01-07 --yes');
    expect(code).toBe(0);
    expect(stderr).toContain('Deleted campaign 40 in Acme Cosmetics\n');
  });
  it('deletes nothing with --dry-run', async () => {
    const { code, stdout, stderr } = await ada('campaigns delete 10 20 --dry-run --json');
    expect({ code, rows: JSON.parse(stdout) }).toEqual({
      code: 0,
      rows: [
        { id: 10, ok: true, result: 'planned' },
        { id: 20, ok: true, result: 'planned' },
      ],
    });
    expect(stderr).toContain('Would delete campaign 10 "Retinol, explained by nurses" in Acme Cosmetics\n');
    expect(await stateOf(10)).toBe('draft');
  });
  it('with --dry-run reports what is in a state that does not allow the action', async () => {
    const { code, stdout, stderr } = await ada('campaigns pause 1 3 5 --dry-run');
    expect(code).toBe(9);
    expect(stdout.match(/^\d+/gm)).toEqual(['3']);
    expect(stderr).toBe(`warning: Campaign 1 is a draft, and a draft cannot be paused.
warning: Campaign 5 cannot be paused: it is finished.
Would pause 1 campaign in Acme Cosmetics:
error: Would pause 1 of 3 campaigns.
`);
    expect(await ada('campaigns publish 5 --dry-run')).toMatchObject(await ada('campaigns publish 5'));
    const gone = await ada('campaigns delete 10 999 --dry-run');
    expect(gone.stderr).toContain('\nerror: Would delete 1 of 2 campaigns.\n');
  });
  it('names all in the plan, up to 200', async () => {
    const { code, stderr } = await ada('campaigns pause --status active');
    expect(code).toBe(10);
    expect(stderr.match(/^ {2}campaign /gm)).toHaveLength(32);
    const create = () =>
      fetch(`${url()}/organizations/5/campaigns.json`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${tokens.ada_write}`,
          'content-type': 'application/json',
        },
        body: '{"campaign":{"name":"Copied"}}',
      });
    const responses = await Promise.all(Array.from({ length: 203 }, create));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    const many = await ada('campaigns delete --name copied');
    expect(many.code).toBe(10);
    expect(many.stderr.match(/^ {2}campaign /gm)).toHaveLength(200);
    expect(many.stderr).toContain('\n  ... and 3 more. To see all: mkt campaigns delete --name copied --dry-run\n');
  });
  it('rejects ids together with filters', async () => {
    const { code, stderr } = await ada('campaigns pause 3 --status active');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: Ids and filters cannot be used together.\n',
    });
  });
  it('works for collabs, with --status as well', async () => {
    const { stdout } = await ada('collabs unpause --status paused --dry-run --json');
    const paused = JSON.parse((await ada('collabs list --state paused --json')).stdout) as { id: number }[];
    expect(idsOf(stdout)).toEqual(paused.map(({ id }) => id));
    expect(paused.length).toBeGreaterThan(1);
  });
});

describe('ids from stdin', () => {
  it.each([
    ['white space', '4 14\n\n24\n'],
    ['the JSON of a list', '[{"id": 4, "name": "x"}, {"id": 14}, {"id": 24}]'],
    ['the NDJSON of a list', '{"id":4}\n{"id":14}\n{"id":24}\n'],
    ['a list of ids as JSON', '[4, 14, "24"]'],
  ])('are read from %s', async (_, stdin) => {
    const { code, stdout } = await ada('campaigns resume - --yes --json', { stdin });
    expect({ code, ids: idsOf(stdout) }).toEqual({ code: 0, ids: [4, 14, 24] });
    expect(await stateOf(4)).toBe('active');
  });
  it('are shown and not changed without --yes', async () => {
    const { code, stdout, stderr } = await ada('campaigns resume -', { stdin: '4\n14\n24\n' });
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
    expect(stderr).toContain(PLAN);
    expect(stderr).toContain('try:  mkt campaigns resume - --dry-run\n');
    expect(await stateOf(4)).toBe('paused');
  });
  it('can be deleted', async () => {
    const list = await ada('campaigns list --status draft --since 2026-01-07 --json');
    const { code } = await ada('campaigns delete - --yes', { stdin: list.stdout });
    expect(code).toBe(0);
    expect(await ada('campaigns show 40')).toMatchObject({ code: 3 });
  });
  it('may match no rows', async () => {
    expect(await ada('campaigns pause - --yes', { stdin: ' \n' })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'The piped text contains no ids.\n',
    });
    expect(await ada('campaigns delete -', { stdin: '[]' })).toMatchObject({ code: 0 });
  });
  it.each([
    ['a table', 'campaigns list --status active'],
    ['a table without its header', 'campaigns list --status active --no-header'],
    ['a table of numbers', 'campaigns list --status active --no-header --fields id,submissions_count'],
    ['names with numbers', 'campaigns list --fields name --name top'],
    ['CSV', 'campaigns list --name top --format csv --fields id,name'],
    ['TSV', 'campaigns list --status active --format tsv --no-header --fields id,submissions_count'],
    ['YAML', 'campaigns list --status active --format yaml --fields id,submissions_count'],
  ])('are not taken out of %s', async (_, list) => {
    await run(['campaigns', 'create', '--name', 'Top 10 creams']);
    const { stdout: stdin } = await ada(list);
    const { code, stdout, stderr } = await ada('campaigns pause - --yes', { stdin });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "error: The piped text is a table or contains other words, not only ids.\n  try:  mkt ... list --jq '.[].id' | mkt ... -\n",
    });
  });
  it.each(['[{"name": "x"}]', '{"id": 4', '[null]'])('are rejected in %s', async (stdin) => {
    const { code, stdout, stderr } = await ada('campaigns pause - --yes', { stdin });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('The piped JSON is not a list of objects with ids.');
  });
  it('are not read from a terminal', async () => {
    const { code, stderr } = await ada('campaigns pause -', { columns: 80, answers: scriptedPrompter() });
    expect(code).toBe(2);
    expect(stderr).toContain('reads from a pipe, but there is none.');
  });
});
