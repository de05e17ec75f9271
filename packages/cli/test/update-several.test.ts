import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { scriptedPrompter } from './support/prompter.js';

const { ada: run, json } = adaWithService();
const ada = (line: string, terminal?: Parameters<typeof run>[1]) => run(line.split(' '), terminal);
const countriesOf = async (id: string) => (await json('campaigns', 'show', id)).countries;

describe('an update of several', () => {
  it('takes ids, asks once on a terminal, and shows what changes', async () => {
    const answers = scriptedPrompter(true);
    const { code, stderr } = await ada('campaigns update 3 6 --countries DE,AT', { columns: 200, answers });
    expect({ code, asked: answers.asked }).toEqual({ code: 0, asked: ['Really update these 2 campaigns?'] });
    expect(stderr).toMatch(/^ {2}campaign 3 "<b>Bold<\/b> launch" \(active\)\n {4}countries: .+ -> DE,AT\.$/m);
    expect(stderr).toContain('Updated 2 campaigns in Acme Cosmetics:\n');
    expect(await countriesOf('6')).toEqual(['DE', 'AT']);
  });
  it('takes the filters of the list, and needs --yes without a terminal', async () => {
    const paused: { id: number }[] = await json('campaigns', 'list', '--status', 'paused');
    const chosen = await json('campaigns', 'update', '--status', 'paused', '--name', 'x', '--dry-run');
    expect(chosen).toMatchObject(paused.map(({ id }) => ({ id, changes: { name: { to: 'x' } } })));
    expect(paused.length).toBeGreaterThan(0);
    const french: { id: number }[] = await json('campaigns', 'list', '--country', 'FR');
    const refused = await ada('campaigns update --country FR --countries DE');
    expect(refused.code).toBe(10);
    expect(refused.stderr).toContain('try:  mkt campaigns update --countries DE --country FR --dry-run\n');
    const dry = await ada('campaigns update --country FR --countries DE --dry-run --json');
    expect(JSON.parse(dry.stdout).map(({ countries }: { countries: string[] }) => countries)).toEqual(
      french.map(() => ['DE']),
    );
    const id = String(french[0]?.id);
    expect(await countriesOf(id)).not.toEqual(['DE']);
    expect(await ada('campaigns update --country FR --countries DE --yes')).toMatchObject({ code: 0 });
    expect(await countriesOf(id)).toEqual(['DE']);
  });
  it('reads ids from stdin', async () => {
    expect(await ada('collabs update - --countries DE --yes', { stdin: '3 4' })).toMatchObject({ code: 0 });
    expect((await json('collabs', 'show', '4')).countries).toEqual(['DE']);
  });
  it('reports each that failed', async () => {
    const { code, stderr } = await ada('campaigns update 1 3 --cpm-amount 900');
    expect(code).toBe(9);
    expect(stderr).toContain('Updated campaign 1 ');
    expect(stderr).toContain('error: Updated 1 of 2 campaigns.');
  });
  it('with --dry-run changes nothing, also of one', async () => {
    const before = await countriesOf('3');
    const { code, stderr } = await ada('campaigns update 3 --countries DE --dry-run');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Would update 1 campaign in Acme Cosmetics:\n' });
    expect(await countriesOf('3')).toEqual(before);
  });
  it('rejects ids together with filters', async () => {
    expect(await ada('campaigns update 3 --country US --countries DE')).toMatchObject({ code: 2 });
  });
});
