import { demoSeed } from '@mkt/server';
import { describe, expect, it } from 'vitest';
import { applyEnvironment } from './support/apply.js';
import { tokens } from './support/service.js';
import { source } from './support/twin.js';

const plan = 'campaigns:\n  - {id: 2, name: Second, status: active}\n  - {name: Autumn glow, cpm_amount: 650}\n';
const clock = () => Date.parse('2026-06-01T12:00:00Z');

const environment = async () => {
  const { url, methods } = await source(demoSeed(), 'integer', { clock });
  return { url, methods, ...applyEnvironment(url) };
};

describe('the plan of mkt apply', () => {
  it('ends with the total that it can cost, by currency', async () => {
    const { url, apply } = await environment();
    const headers = { authorization: `Bearer ${tokens.ada_read}`, accept: 'application/json' };
    const totals = new Map<string, number>();
    const lines: string[] = [];
    for (let page = 1; page <= 3; page += 1) {
      const rows = await (await fetch(`${url}/organizations/5/campaigns.json?page=${page}`, { headers })).json();
      for (const { id, status, currency, unused_amount } of rows) {
        if (status !== 'paused') continue;
        lines.push(`  - {id: ${id}, status: active}\n`);
        totals.set(currency, (totals.get(currency) ?? 0) + unused_amount);
      }
    }
    const file = `campaigns:\n${lines.join('')}`;
    const wanted = [...totals].sort().map(([currency, amount]) => ({ currency, amount }));
    const text = wanted.map(({ currency, amount }) => `${amount.toLocaleString('en-US')} ${currency}`).join(', ');
    const dry = await apply(file, ['--dry-run']);
    expect(dry.stdout.endsWith(`\nTotal: creators can earn up to ${text}.\n`)).toBe(true);
    const rehearsed = await apply(file, ['--rehearse', '--dry-run']);
    expect(rehearsed.stdout.endsWith(`\nTotal: creators can earn up to ${text}.\n`)).toBe(true);
    expect(JSON.parse((await apply(file, ['--dry-run', '--json'])).stdout).costs).toEqual(wanted);
  });
});

describe('mkt apply --rehearse', () => {
  it('shows every object before and after, and what is spent and locked, and only reads with --dry-run', async () => {
    const { apply, methods } = await environment();
    const { code, stdout, stderr } = await apply(plan, ['--rehearse', '--dry-run'], { token: tokens.ada_read });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const times = stdout.replace(/(?<=T12:00:)\d\d(?=Z)/, '00');
    expect(times.slice(times.indexOf('Rehearsed'))).toMatchInlineSnapshot(`
      "Rehearsed on a copy. Nothing was changed. Afterwards:

      ~ campaign 2 "Second"
          name: Hydra Serum waiting list -> Second
          status: draft -> active
          published at: none -> 2026-06-01T12:00:00Z
          > creators can earn up to 450,000 usd
          > the payouts and the currency are then fixed
      + campaign "Autumn glow"
          name: Autumn glow
          status: draft
          currency: usd
          countries: US
          website: https://acme.example
          content type: ugc
          category: product
          platform ids: youtube, tiktok
          cpm amount: 650
          min payout amount: 1000
          max payout amount: 10000
          base reward amount: 0
          total budget amount: 0
          used amount: 0
          unused amount: 0
          view count: 0
          submissions count: 0

      Rehearsal: 2 changes would work, none would be rejected.
      Total: creators can earn up to 450,000 usd.
      "
    `);
    expect([...methods.keys()]).toEqual(['GET']);
  });
  it('says why a change would be rejected, and changes nothing with --yes', async () => {
    const { apply, methods, plain } = await environment();
    const text = 'campaigns:\n  - {id: 2, name: Second}\n  - {name: New, min_payout_amount: 20000}\n';
    const { code, stdout, stderr } = await apply(text, ['--rehearse', '--yes']);
    expect({ code, stderr: plain(stderr) }).toEqual({
      code: 6,
      stderr: 'error: 1 change was rejected in the rehearsal. Nothing was changed.\n',
    });
    expect(stdout).toMatch(/ {4}- rejected: .*\n {4}min_payout_amount: .*10000/);
    expect(stdout).toContain('Rehearsal: 1 change would work, 1 would be rejected.\n');
    expect([...methods.keys()]).toEqual(['GET']);
  });
  it('then makes the changes for real', async () => {
    const { apply, show } = await environment();
    expect(await apply(plan, ['--rehearse', '--yes'])).toMatchObject({ code: 0 });
    expect(await show('campaigns', 2)).toMatchObject({ name: 'Second', status: 'active' });
    expect(await show('campaigns', 48)).toMatchObject({ name: 'Autumn glow' });
  });
  it.each([
    [
      'an object of the plan has changed',
      { campaign: { website: 'https://new.example' } },
      '/organizations/5/campaigns/2.json',
      'PATCH',
      'campaign 2 "Hydra Serum waiting list"',
    ],
    [
      'a name of the plan was taken',
      { campaign: { name: 'Autumn glow' } },
      '/organizations/5/campaigns.json',
      'POST',
      'campaign "Autumn glow"',
    ],
  ])('stops if %s in between', async (_what, body, path, method, what) => {
    const { url, apply, show } = await environment();
    const answers = {
      text: () => Promise.reject(new Error('not expected')),
      secret: () => Promise.reject(new Error('not expected')),
      select: () => Promise.reject(new Error('not expected')),
      confirm: async () => {
        const headers = {
          authorization: `Bearer ${tokens.ada_write}`,
          accept: 'application/json',
          'content-type': 'application/json',
        };
        const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
        return response.ok;
      },
    };
    const { code, stderr } = await apply(plan, ['--rehearse'], { columns: 80, answers });
    expect(code).toBe(6);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      `Stopped, because the service has changed since the rehearsal: ${what}. Nothing was changed.`,
    );
    expect(await show('campaigns', 2)).toMatchObject({ status: 'draft' });
  });
  it('adds the rehearsal to each change in JSON', async () => {
    const { json } = await environment();
    const { changes } = await json(plan, '--rehearse', '--dry-run');
    expect(changes[0]?.rehearsal).toMatchObject({
      rejected: null,
      fields: { name: { to: 'Second' }, status: { from: 'draft', to: 'active' } },
      locks: expect.arrayContaining(['cpm_amount', 'currency']),
      spends: { amount: expect.any(Number), currency: 'usd' },
    });
  });
  it('needs no copy if nothing would change', async () => {
    const { apply } = await environment();
    const { code, stdout } = await apply('campaigns: [{id: 2, status: draft}]', ['--rehearse', '--yes']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('Rehearsed') });
  });
});
