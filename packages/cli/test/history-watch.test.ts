import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteDriverMissing } from '@mkt/server/sqlite';
import { describe, expect, it } from 'vitest';
import { HistoryUnusable, withoutHistory } from '../src/history/database.js';
import { adaWithHistory } from './support/history.js';
import { temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';

const { history, elsewhere } = adaWithHistory();

/** Aborts as soon as `ready` is true. */
function interruptWhen(ready: () => boolean): AbortSignal {
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (!ready()) return;
    clearInterval(timer);
    controller.abort();
  }, 20);
  return controller.signal;
}

describe('mkt watch --once', () => {
  it('records a baseline, then prints a line for each change', async () => {
    const { ada } = history();
    expect(await ada(['watch', '--once'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'First reading of Acme Cosmetics: 45 campaigns and 23 collabs. The next one shows what has changed.\n',
    });
    await elsewhere('PATCH', '/campaigns/1', { campaign: { name: 'Second' } });
    await elsewhere('DELETE', '/collabs/1');
    expect(await ada(['watch', '--once'])).toEqual({
      code: 0,
      stdout:
        '2026-06-01 14:00  campaign 1 "Second"  name: Summer UGC Campaign -> Second\n' +
        '2026-06-01 14:00  collab 1 "Try our new night cream"  deleted\n',
      stderr: '2 changes in Acme Cosmetics: 45 campaigns and 22 collabs.\n',
    });
  });

  it.each([
    ['another list', ['campaigns', 'list', '--all', '--quiet']],
    ['a look at a condition', ['watch', '--once', '--when', '.id == 1 and false']],
  ])('shows what %s has read since its own last report, in the order of ids', async (_, argv) => {
    const { ada } = history();
    await ada(['watch', '--once']);
    for (const id of [10, 2]) await elsewhere('PATCH', `/campaigns/${id}`, { campaign: { name: `Other ${id}` } });
    await ada(argv);
    const { stdout, stderr } = await ada(['watch', '--once']);
    expect(stdout.split('\n')).toEqual([
      expect.stringContaining('campaign 2 "Other 2"'),
      expect.stringContaining('campaign 10 "Other 10"'),
      '',
    ]);
    expect(stderr).toMatch(/^2 changes in /);
    expect(await ada(['watch', '--once'])).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^No changes in/),
    });
    await ada(['campaigns', 'update', '2', '--name', 'Own']);
    expect((await ada(['watch', '--once'])).stderr).toMatch(/^1 change in /);
  });

  it('prints rows with --json', async () => {
    const { ada, json } = history();
    await ada(['watch', '--once']);
    await elsewhere('PATCH', '/campaigns/1', { campaign: { name: 'Second' } });
    expect(await json('watch', '--once', '--fields', 'id,field,before,after,by')).toEqual([
      { id: 1, field: 'name', before: 'Summer UGC Campaign', after: 'Second', by: 'elsewhere' },
    ]);
    expect(await json('watch', '--once')).toEqual([]);
  });

  it('needs a history', async () => {
    const { ada } = history();
    expect(await ada(['watch', '--once'], { env: { MKT_HISTORY: 'off' } })).toMatchObject({ code: 2 });
    expect(await ada(['watch', '--once'], { env: { MKT_HISTORY: join(process.execPath, 'h') } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The history cannot be used.'),
    });
  });

  it('says once what to do where SQLite is missing', () => {
    const missing = new SqliteDriverMissing(new Error('no such package'));
    const { details } = withoutHistory(new HistoryUnusable(`h.db: ${missing.message}`, true, missing));
    expect(details.message).toMatch(/^The history cannot be used\. h\.db: .* of Node\.$/);
    expect(details.message).not.toContain('npm');
    expect(details.hints).toEqual(missing.hints);
  });

  it.each([
    [['--every', 'soon', '--every=x'], '--every takes a length of time'],
    [['--every', '1m', '--once'], 'cannot be used together'],
    [['--budget-used', '0'], 'a percentage from 1 to 100'],
    [['--exec', 'true'], '--exec runs for alerts'],
    [['--when', '.status =='], 'jq'],
  ])('rejects %j', async (flags, message) => {
    const { ada } = history();
    expect(await ada(['watch', ...flags])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('an alert', () => {
  it('is raised once, exits with 11, and is raised again after it was over', async () => {
    const { ada } = history();
    const paused = ['watch', '--once', '--when', '.id == 3 and .status == "paused"'];
    expect(await ada(paused)).toMatchObject({ code: 0, stdout: '' });
    await ada(['campaigns', 'pause', '3']);
    expect(await ada(paused)).toMatchObject({
      code: 11,
      stdout: expect.stringContaining('ALERT Campaign 3 "<b>Bold</b> launch": .id == 3 and .status == "paused"\n'),
    });
    expect(await ada(paused)).toMatchObject({ code: 0, stdout: '' });
    await ada(['campaigns', 'resume', '3']);
    expect(await ada(paused)).toMatchObject({ code: 0 });
    await ada(['campaigns', 'pause', '3']);
    expect(await ada(paused)).toMatchObject({ code: 11 });
  });

  it('of --budget-used names share, budget and currency, only of active campaigns', async () => {
    const { ada } = history();
    const { code, stdout } = await ada(['watch', '--once', '--budget-used', '1']);
    expect(code).toBe(11);
    expect(stdout).toMatch(/ALERT Campaign 3 "<b>Bold<\/b> launch": [\d.]+ % of the budget is used: \d+ of \d+ usd\n/);
    // All of the budget of a finished one is used.
    expect(stdout).not.toContain('Campaign 5 ');
  });

  it('knows what mkt computes from budgets: in its condition, in --json and in the row for --exec', async () => {
    const { ada } = history();
    const out = join(temporaryFolder(), 'out');
    const flags = ['--when', '.id == 5 and .used_percent >= 100', '--exec', `cat > ${out}`];
    const { code, stdout } = await ada(['watch', '--once', ...flags, '--json']);
    expect(code).toBe(11);
    const computed = { used_percent: 100, effective_cpm: expect.any(Number) };
    expect(JSON.parse(stdout)).toMatchObject([{ kind: 'alert', id: 5, ...computed }]);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ id: 5, status: 'finished', ...computed });
    const fields = ['--fields', 'id,used_percent', '--format', 'csv'];
    const other = await ada(['watch', '--once', '--when', '.id == 5 and .used_percent > 99', ...fields]);
    expect(other.stdout).toBe('id,used_percent\n5,100\n');
  });

  it('gives the row to --exec on stdin, once per alert, and never as part of the command', async () => {
    const { ada } = history();
    const out = join(temporaryFolder(), 'out');
    await ada(['campaigns', 'update', '1', '--name', '"; touch /tmp/pwned; $(false) `false`']);
    const flags = ['--when', '.id == 1 and .name != "x"', '--exec', `cat >> ${out}; echo "$MKT_ALERT" >> ${out}`];
    expect((await ada(['watch', '--once', ...flags])).code).toBe(11);
    await ada(['watch', '--once', ...flags]);
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n');
    // Campaign 1 and collab 1.
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 1, status: 'draft' });
    expect(lines[1]).toMatch(/^Campaign 1 /);
  });

  it('belongs to its watch: a look without --exec, or with another command, does not use it up', async () => {
    const { ada } = history();
    const out = join(temporaryFolder(), 'out');
    const watch = ['watch', '--once', '--budget-used', '1'];
    expect((await ada(watch)).code).toBe(11);
    expect((await ada([...watch, '--exec', 'true'])).code).toBe(11);
    const mail = [...watch, '--exec', `echo "$MKT_ALERT" >> ${out}`];
    expect((await ada(mail)).code).toBe(11);
    const raised = readFileSync(out, 'utf8');
    expect(raised).not.toBe('');
    for (const other of [watch, mail]) expect((await ada(other)).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(raised);
  });

  it('is raised again if the command of --exec failed', async () => {
    const { ada } = history();
    const failing = ['watch', '--once', '--when', '.id == 5 and .status', '--exec', 'echo no mail >&2; exit 3'];
    const first = await ada(failing);
    expect(first).toMatchObject({ code: 11, stderr: expect.stringContaining('no mail\n') });
    expect(first.stderr).toContain('The command of --exec exited with 3');
    expect((await ada(failing)).code).toBe(11);
  });
});

describe('mkt watch', () => {
  it('reads again and again, goes on after failures, and ends at once on Ctrl-C', async () => {
    const { ada, file } = history();
    let requests = 0;
    const campaign = (views: number) => ({ id: 1, name: 'A', status: 'active', view_count: views });
    const base = await scriptedServer(({ url = '' }) => {
      if (url.includes('collabs')) return { body: [], headers: { 'total-count': '0' } };
      if (!url.includes('campaigns')) return { body: { id: 5, name: 'Acme' } };
      requests += 1;
      return requests === 2 ? { status: 501, body: {} } : { body: [campaign(requests)] };
    });
    const started = performance.now();
    const { code, stdout, stderr } = await ada(['watch', '--every', '1s'], {
      env: { MKT_BASE_URL: base },
      interrupted: interruptWhen(() => requests >= 3 && existsSync(file)),
    });
    expect(code).toBe(130);
    expect(stderr).toContain('The next reading follows.');
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(stdout === '' || stdout.includes('view_count: 1 -> 3')).toBe(true);
  });

  it('goes on after a list that changed whenever it was read', async () => {
    const { ada, file, find } = history();
    let reads = 0;
    const base = await scriptedServer(({ url = '' }) => {
      if (url.includes('collabs')) return { body: [], headers: { 'total-count': '0' } };
      if (!url.includes('campaigns')) return { body: { id: 5, name: 'Acme' } };
      // The missing row is searched for.
      if (url.includes('page=')) return { body: [], headers: { 'total-count': '2' } };
      reads += 1;
      return {
        body: [{ id: 1, name: 'A', status: 'active' }],
        headers: { 'total-count': reads > 3 ? '1' : '2', 'total-pages': '1' },
      };
    });
    const { code, stderr } = await ada(['watch', '--every', '1s'], {
      env: { MKT_BASE_URL: base },
      interrupted: interruptWhen(() => reads >= 5 && existsSync(file)),
    });
    expect(code).toBe(130);
    expect(stderr).toContain(
      'The list of campaigns changed each of the 3 times that it was read, so nothing was written. The next reading follows.',
    );
    expect(await find('select resource from observations where rows = 1')).not.toEqual([]);
  });

  it('stops if the token is rejected', async () => {
    const { ada } = history();
    expect(await ada(['watch'], { env: { MKT_TOKEN: 'wrong' } })).toMatchObject({ code: 4 });
  });
});

describe('mkt changes', () => {
  it('shows what changed at 80 columns, and a change of state once', async () => {
    const { ada, json } = history();
    await ada(['campaigns', 'pause', '3']);
    const { stdout, stderr } = await ada(['changes'], { columns: 80 });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^WHEN {2,}WHAT {2,}CHANGE {2,}BY$/),
      expect.stringMatching(/^2026-06-01 \d\d:00 {2}campaign 3 "<b>Bold<\/b>.* {2}status: active -> paused {2}you$/),
      '',
    ]);
    expect(stderr).toContain('1 change in Acme Cosmetics');
    const fields = async (...flags: string[]) =>
      (await json('changes', ...flags)).map(({ field }: { field: string }) => field);
    expect(await fields()).toEqual(['status']);
    expect(await fields('--all-fields')).toEqual(['status', 'paused_at']);
    expect(await fields('--field', 'paused_at')).toEqual(['paused_at']);
    expect(await fields('--field', 'paused_at', '--field', 'status')).toEqual(['status', 'paused_at']);
    expect(await ada(['changes', '--field', 'status', '--all-fields'])).toMatchObject({ code: 2 });
  });

  it('leaves counters out, and selects by who made a change', async () => {
    const { ada, json } = history();
    const state = {
      campaigns: [{ id: 1, name: 'One', view_count: 1, used_amount: 1, unused_amount: 9, updated_at: '1' }],
    };
    const base = await scriptedServer(({ url = '' }) => ({
      body: /page=|collabs/.test(url)
        ? []
        : url.includes('/campaigns.json')
          ? state.campaigns
          : { id: 5, name: 'Acme' },
    }));
    await ada(['watch', '--once'], { env: { MKT_BASE_URL: base } });
    const [one] = state.campaigns;
    if (one) Object.assign(one, { view_count: 2, used_amount: 2, unused_amount: 8, updated_at: '2' });
    await ada(['watch', '--once'], { env: { MKT_BASE_URL: base } });
    const fields = async (...flags: string[]) =>
      JSON.parse((await ada(['changes', '--json', ...flags], { env: { MKT_BASE_URL: base } })).stdout).map(
        ({ field }: { field: string }) => field,
      );
    expect(await fields()).toEqual([]);
    expect(await fields('--all-fields')).toEqual(['view_count', 'used_amount', 'unused_amount']);
    expect(await fields('--field', 'used_amount')).toEqual(['used_amount']);
    // All that a list shows of a new brief.
    if (one) Object.assign(one, { updated_at: '3' });
    await ada(['watch', '--once'], { env: { MKT_BASE_URL: base } });
    expect(await fields()).toEqual(['updated_at']);

    await ada(['watch', '--once']);
    await ada(['campaigns', 'update', '1', '--name', 'Mine']);
    await elsewhere('PATCH', '/campaigns/1', { campaign: { countries: ['DE'] } });
    await ada(['watch', '--once']);
    const by = async (...flags: string[]) => (await json('changes', ...flags)).map(({ by }: { by: string }) => by);
    expect(await by()).toEqual(['you: mkt campaigns update 1 --name Mine', 'elsewhere']);
    expect(await by('--made-by', 'me')).toEqual(['you: mkt campaigns update 1 --name Mine']);
    expect(await by('--made-by', 'elsewhere')).toEqual(['elsewhere']);
    expect(await ada(['changes', '--made-by', 'bob'])).toMatchObject({ code: 2 });
  });

  it('prints CSV with the same columns for all kinds of changes, and values as JSON', async () => {
    const { ada } = history();
    await ada(['campaigns', 'create', '--name', 'New']);
    await ada(['campaigns', 'update', '1', '--countries', 'DE,AT']);
    await ada(['campaigns', 'delete', '48', '--yes']);
    const csv = async (...flags: string[]) =>
      (await ada(['changes', '--format', 'csv', ...flags])).stdout.trimEnd().split('\n');
    const [head, created, changed, deleted, ...others] = await csv();
    expect(head).toBe('at,resource,id,name,kind,field,before,after,by,command_id');
    expect(created).toMatch(/,created,,,"\{""id"":48,/);
    expect(changed).toMatch(/,changed,countries,"\[""US""\]","\[""DE"",""AT""\]",/);
    expect(deleted).toMatch(/,deleted,,"\{""id"":48,.*\}",,you: /);
    expect(others).toEqual([]);
    expect(await csv('--since', '1min')).toEqual([head]);
  });

  it('rejects a field that nothing has', async () => {
    const { ada } = history();
    await ada(['campaigns', 'pause', '3']);
    const { code, stderr } = await ada(['changes', '--field', 'used_amout']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: 'error: --field used_amout is unknown. Did you mean used_amount?\n',
    });
    expect(await ada(['changes', 'campaigns', '--field', 'role'])).toMatchObject({ code: 2 });
    expect(await ada(['changes', 'members', '--field', 'role'])).toMatchObject({ code: 0 });
    expect(await ada(['changes', '--field', 'city'])).toMatchObject({ code: 0 });
  });

  it('shows a table with who did it', async () => {
    const { ada } = history();
    await ada(['watch', '--once']);
    await ada(['campaigns', 'update', '1', '--name', 'Second']);
    await elsewhere('PATCH', '/campaigns/1', { campaign: { countries: ['DE', 'AT'] } });
    await ada(['watch', '--once']);
    expect(await ada(['changes'])).toEqual({
      code: 0,
      stdout: [
        'WHEN              WHAT                 CHANGE                               BY         COMMAND',
        '2026-06-01 14:00  campaign 1 "Second"  name: Summer UGC Campaign -> Second  you        mkt campaigns update 1 --name Second',
        '2026-06-01 15:00  campaign 1 "Second"  countries: US -> DE,AT               elsewhere',
        '',
      ].join('\n'),
      stderr: '2 changes in Acme Cosmetics since 2026-05-25 16:00 UTC.\n',
    });
  });

  it('selects by resource, id or name, field and time', async () => {
    const { ada, json } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second', '--countries', 'DE']);
    await ada(['collabs', 'update', '1', '--name', 'Third']);
    const fields = (found: { field: string }[]) => found.map(({ field }) => field);
    expect(fields(await json('changes'))).toEqual(['name', 'countries', 'name']);
    expect(fields(await json('changes', 'collabs'))).toEqual(['name']);
    expect(fields(await json('changes', 'campaigns', '1', '--field', 'countries'))).toEqual(['countries']);
    expect(fields(await json('changes', 'campaign', 'Second'))).toEqual(['name', 'countries']);
    expect(await json('changes', 'campaigns', '2')).toEqual([]);
    expect(await json('changes', '--since', '1h')).toEqual([]);
    expect(await ada(['changes', 'tokens'])).toMatchObject({ code: 2 });
    expect(await ada(['changes', '--since', '1m'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1m could be minutes or months: 1min or 1mo.'),
    });
  });

  it('says how to begin without readings', async () => {
    const { ada } = history();
    expect(await ada(['changes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('mkt watch --once') });
  });
});
