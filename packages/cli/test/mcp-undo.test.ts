import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Assistant, assistants, type Options, type Row } from './support/assistant.js';
import { between } from './support/between.js';
import { recordedService, tokens } from './support/service.js';
import { mkt } from './support/spawn-cli.js';

// Starts processes, on machines under load.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const service = recordedService();
const { writes, campaign, request } = service;
const assistant = assistants(service.url);
const draft = 2;

let use: Assistant;
const started = async (options: Options = {}): Promise<Assistant> => {
  use = await assistant(options);
  return use;
};
beforeEach(() => started());

/** Plans with a tool, and applies the plan. */
async function change(tool: string, args: Row): Promise<Row> {
  const plan = await use.call(tool, args);
  return plan.digest === undefined ? plan : use.call('apply_plan', { digest: plan.digest });
}
const byHand = (...line: string[]) =>
  mkt(line, { HOME: use.home, MKT_BASE_URL: service.url(), MKT_TOKEN: tokens.ada_write, MKT_ORG: '5' });
const listed = async (number: unknown): Promise<Row> =>
  JSON.parse((await byHand('undo', '--list', '--json')).stdout).find((row: Row) => row.number === number);

it('takes back what a plan did, after a person has approved it, and says what cannot go back', async () => {
  const { undo, irreversible } = await change('plan_changes', {
    campaigns: [{ id: 3, status: 'paused', name: 'Renamed' }, { id: draft, status: 'active' }, { name: 'Brand new' }],
  });
  expect(irreversible).toEqual([
    `campaign ${draft}: A published campaign cannot become a draft again. Closest: mkt campaigns pause ${draft}`,
  ]);
  const planned = await use.call('undo', { number: undo });
  const left = `campaign ${draft} "${(await campaign(draft)).name}": A published campaign cannot become a draft again.`;
  expect(planned).toMatchObject({ summary: '2 changes', undoes: undo, left: [expect.stringContaining(left)] });
  const done = await use.call('apply_plan', { digest: planned.digest });
  expect(done).toMatchObject({ applied: 2, undo: expect.any(Number) });
  expect(await campaign(3)).toMatchObject({ name: '<b>Bold</b> launch', status: 'active' });
  const lines = use.asked.at(-1)?.split('\n') ?? [];
  expect(lines).toContain(
    `This takes back command ${undo}: \`"mkt mcp 'update, pause campaign 3; publish campaign 2; create campaign Brand new'"\`.`,
  );
  expect(lines).toContainEqual(expect.stringContaining(`It leaves \`${left}`));
  expect(lines.filter((line) => line.startsWith('- '))).toEqual([
    expect.stringContaining('- delete campaign'),
    expect.stringContaining('- update, resume campaign 3'),
  ]);
  // A part is left, so it is not undone as a whole; what is undone is not undone again.
  expect(await use.call('undo', { number: undo })).toMatchObject({
    error: { message: 'Nothing of it can be undone.' },
  });
  // By default comes what precedes it.
  expect(await listed(undo)).toMatchObject({ undone_at: null, left_at: expect.any(String) });
});

it('does not offer a command again that has nothing left to undo', async () => {
  const { undo: first } = await change('plan_changes', { campaigns: [{ id: 11, name: 'Renamed' }] });
  const { name } = await campaign(12);
  const { undo: last } = await change('plan_changes', { campaigns: [{ id: 12, name: 'Renamed' }] });
  await request('PATCH', '/organizations/5/campaigns/12', { campaign: { name } });
  expect(await use.call('undo', {})).toMatchObject({ summary: 'Nothing to change', undoes: last });
  expect(await listed(last)).toMatchObject({ undone_at: expect.any(String) });
  expect(await use.call('undo', {})).toMatchObject({ summary: '1 change', undoes: first });
});

it('takes back the last command by default, also one of a person, and marks it as undone', async () => {
  await byHand('campaigns', 'pause', '6', '--yes');
  const { digest, undoes } = await use.call('undo', {});
  expect(await use.call('apply_plan', { digest })).toMatchObject({ data: [{ id: 6, done: ['resume'] }] });
  expect(await listed(undoes)).toMatchObject({ line: 'mkt campaigns pause 6 --yes', undone_at: expect.any(String) });
});

describe('a draft that was deleted', () => {
  let undo: unknown;
  let name: unknown;
  beforeEach(async () => {
    name = (await campaign(1)).name;
    ({ undo } = await change('plan_changes', { campaigns: [{ id: 1, delete: true }] }));
  });
  const drafts = async () =>
    JSON.parse((await byHand('campaigns', 'list', '--name', String(name), '--json', '--fields', 'id')).stdout);

  it('is created again, as the question says', async () => {
    const done = await change('undo', { number: undo });
    expect(use.asked.at(-1)).toContain(`- create campaign \`"${name}"\``);
    expect(done).toMatchObject({ applied: 1, data: [{ name, done: ['create'] }] });
    expect(await listed(undo)).toMatchObject({ undone_at: expect.any(String) });
    expect((await use.call('undo', { number: undo })).error?.message).toMatch(/^Command \d+ was undone at /);
  });
  it('is not created twice when a person undoes the command meanwhile', async () => {
    const { digest } = await use.call('undo', { number: undo });
    expect(await byHand('undo', String(undo), '--yes')).toMatchObject({ code: 0 });
    expect(await drafts()).toHaveLength(1);
    const { error } = await use.call('apply_plan', { digest });
    expect(error?.message).toContain('Something has changed since the plan was made. Nothing was applied.');
    expect(await drafts()).toHaveLength(1);
  });
});

it('changes nothing if the person refuses, or if someone changed it meanwhile', async () => {
  const { undo } = await change('plan_changes', { campaigns: [{ id: 8, name: 'Renamed' }] });
  await started({ approves: false });
  expect(await change('undo', { number: undo })).toMatchObject({ error: { message: /did not approve/ } });
  await started();
  const { digest } = await use.call('undo', { number: undo });
  await request('PATCH', '/organizations/5/campaigns/8', { campaign: { name: 'By someone else' } });
  expect((await use.call('apply_plan', { digest })).error?.changed).toEqual(['campaign 8: name.']);
  expect(await campaign(8)).toMatchObject({ name: 'By someone else' });
  expect(await use.call('undo', { number: undo })).toMatchObject({
    left: [expect.stringContaining('name has changed')],
  });
});

it('leaves to a person what is of another brand or no tool changes, and only reads', async () => {
  await byHand('campaigns', 'create', '--org', '7', '--name', 'Of Initech');
  expect((await use.call('undo', {})).error?.message).toMatch(/^This session works only in Acme Cosmetics/);
  await byHand('organizations', 'update', '5', '--name', 'Acme Beauty');
  const count = writes.length;
  expect((await use.call('undo', {})).error).toMatchObject({
    message: expect.stringContaining('resources that no tool can change'),
    next: [expect.stringMatching(/^A person runs: mkt undo \d+$/)],
  });
  expect(writes).toHaveLength(count);
  const methods: string[] = [];
  const url = await between(service.url(), { before: ({ method }) => void methods.push(method) });
  await started({ url, flags: [] });
  await mkt(['campaigns', 'pause', '9', '--yes'], {
    HOME: use.home,
    MKT_BASE_URL: url,
    MKT_TOKEN: tokens.ada_write,
    MKT_ORG: '5',
  });
  methods.length = 0;
  // Without --allow-write there is nothing to apply it with.
  const { next, file } = await use.call('undo', {});
  expect([next, file]).toEqual([
    expect.stringMatching(/^A person runs: mkt undo \d+ \(mkt mcp was started without/),
    undefined,
  ]);
  expect([...new Set(methods)]).toEqual(['GET']);
});
