import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHistory } from '../src/history/database.js';
import { adaWithHistory } from './support/history.js';
import { lossyProxy } from './support/lossy-proxy.js';
import { temporaryFolder } from './support/run-cli.js';
import { tokens } from './support/service.js';

const { history, elsewhere, url, setTime } = adaWithHistory();

/** A web action of a colleague. */
const act = async (path: string): Promise<void> => {
  const headers = { authorization: `Bearer ${tokens.ada_write}` };
  const init = { method: 'POST', headers, redirect: 'manual' } as const;
  expect((await fetch(`${url()}/organizations/5${path}`, init)).status).toBe(303);
};

const now = async (path: string) => (await elsewhere('GET', path)) as Record<string, unknown>;

describe('mkt undo', () => {
  it('shows the plan, asks, and takes the fields of an update back', async () => {
    const { ada, find } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second', '--countries', 'DE,AT']);
    expect(await ada(['undo'])).toMatchObject({ code: 10 });
    expect((await now('/campaigns/1')).name).toBe('Second');
    expect(await ada(['undo', '--dry-run'])).toEqual({
      code: 0,
      stdout: '',
      stderr: [
        'Undo command 1 of 2026-06-01 13:00 UTC: mkt campaigns update 1 --name Second --countries DE,AT',
        '~ update campaign 1 "Second"',
        '    name: Second -> Summer UGC Campaign',
        '    countries: DE, AT -> US',
        '',
      ].join('\n'),
    });
    const done = await ada(['undo', '--yes']);
    expect(done).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Undid 1 change of command 1. To take that back: mkt undo 2\n'),
    });
    expect(await now('/campaigns/1')).toMatchObject({ name: 'Summer UGC Campaign', countries: ['US'] });
    expect(await find('select id, undone_at is null as open from commands')).toEqual([
      { id: 1, open: 0 },
      { id: 2, open: 1 },
    ]);
    expect(await ada(['undo', '1', '--yes'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('was undone at'),
    });
  });

  it('is a command that can be undone', async () => {
    const { ada, find } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second']);
    await ada(['undo', '--yes']);
    expect((await ada(['undo', '2', '--yes'])).code).toBe(0);
    expect((await now('/campaigns/1')).name).toBe('Second');
    expect(await find('select id from commands where undone_at is null')).toEqual([{ id: 1 }, { id: 3 }]);
    expect((await ada(['undo', '1', '--yes'])).code).toBe(0);
    expect((await now('/campaigns/1')).name).toBe('Summer UGC Campaign');
  });

  it('takes a command back again after its undo was undone, however often, and no undo without its number', async () => {
    const { ada, find } = history();
    const status = async () => (await now('/campaigns/3')).status;
    const open = async () => (await find('select id from commands where undone_at is null')).map(({ id }) => id);
    await ada(['campaigns', 'pause', '3', '--yes']);
    for (const [number, command, shown, left] of [
      [2, [], 'active', [2]],
      [3, ['2'], 'paused', [1, 3]],
      [4, ['3'], 'active', [2, 4]],
      [5, ['4'], 'paused', [1, 3, 5]],
      [6, [], 'active', [3, 5, 6]],
    ] as const) {
      // Each pause has another time.
      setTime(new Date(Date.parse('2026-06-02T15:00:00Z') + number * 60_000));
      expect((await ada(['undo', ...command, '--yes'])).stderr).toContain(`To take that back: mkt undo ${number}\n`);
      expect([await status(), await open()]).toEqual([shown, left]);
    }
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 3, stderr: expect.stringContaining('nothing to undo') });
  });

  it('takes no undo for a command, in whatever order undos are undone', async () => {
    const { ada, find } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second']);
    for (const [number, name] of [
      [[], 'Summer UGC Campaign'],
      [['2'], 'Second'],
      [[], 'Summer UGC Campaign'],
      // Nothing is left to send.
      [['3'], 'Summer UGC Campaign'],
    ] as const) {
      expect(await ada(['undo', ...number, '--yes'])).toMatchObject({ code: 0 });
      expect((await now('/campaigns/1')).name).toBe(name);
    }
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 3, stderr: expect.stringContaining('nothing to undo') });
    expect(await find('select undoes from commands where undoes is not null order by id')).toEqual([
      { undoes: 1 },
      { undoes: 2 },
      { undoes: 1 },
    ]);
    expect(await ada(['undo', '4', '--yes'])).toMatchObject({ code: 0 });
    expect((await now('/campaigns/1')).name).toBe('Second');
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('Undo command 1') });
    expect((await now('/campaigns/1')).name).toBe('Summer UGC Campaign');
  });

  it('goes on to the command before one that can only be skipped, and tries that again at last', async () => {
    const { ada } = history();
    const undone = async () => {
      const { code, stderr } = await ada(['undo', '--yes']);
      return [code, /^Undo command (\d+)/.exec(stderr)?.[1]];
    };
    await ada(['campaigns', 'update', '3', '--name', 'Before']);
    await ada(['campaigns', 'update', '1', '--name', 'Second', '--countries', 'DE']);
    await ada(['campaigns', 'publish', '2', '--yes']);
    await elsewhere('PATCH', '/campaigns/1', { campaign: { name: 'Third' } });
    // The undo of a part is not a command to undo either.
    expect([await undone(), await undone(), await undone()]).toEqual([
      [6, '3'],
      [9, '2'],
      [0, '1'],
    ]);
    expect(await now('/campaigns/1')).toMatchObject({ name: 'Third', countries: ['US'] });
    expect(await ada(['undo', '--dry-run'])).toMatchObject({ code: 6 });
    await elsewhere('PATCH', '/campaigns/1', { campaign: { name: 'Second' } });
    expect(await ada(['undo', '2', '--yes'])).toMatchObject({ code: 0 });
    expect(await undone()).toEqual([6, '3']);
  });

  it.each([
    ['campaigns', 3, 'pause', ['resume', 'pause'], 'status'],
    ['campaigns', 4, 'resume', ['pause', 'resume'], 'status'],
    ['collabs', 3, 'pause', ['unpause', 'pause'], 'state'],
    ['collabs', 4, 'unpause', ['pause', 'unpause'], 'state'],
  ] as const)(
    'leaves a state of %s %i after %s that a colleague has set again',
    async (resource, id, action, others, field) => {
      const { ada } = history();
      await ada(['campaigns', 'update', '1', '--name', 'Before']);
      expect((await ada([resource, action, String(id), '--yes'])).code).toBe(0);
      const set = (await now(`/${resource}/${id}`))[field];
      setTime(new Date('2026-06-01T15:00:00Z'));
      for (const other of others) await act(`/${resource}/${id}/${other}`);
      const undone = await ada(['undo', '--yes']);
      // It cannot be undone later either.
      expect([undone.code, undone.stderr]).toEqual([
        9,
        expect.stringMatching(
          new RegExp(
            `${field} has changed since\nerror: .* 1 skipped\\.\n {2}try: {2}The command before it: mkt undo 1\n$`,
          ),
        ),
      ]);
      expect((await now(`/${resource}/${id}`))[field]).toBe(set);
    },
  );

  it('says the new id of what it creates again, to which older commands apply then', async () => {
    const { ada, json } = history();
    const { id } = await json('campaigns', 'create', '--name', 'First');
    await ada(['campaigns', 'update', String(id), '--name', 'Second']);
    await ada(['campaigns', 'delete', String(id), '--yes']);
    const undone = await ada(['undo', '--yes']);
    const [, newId = ''] = /Created campaign \d+ "Second" again, as (\d+)\./.exec(undone.stderr) ?? [];
    expect([undone.code, Number(newId)], undone.stderr).toEqual([0, id + 1]);
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('Second -> First') });
    expect((await now(`/campaigns/${newId}`)).name).toBe('First');
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0 });
    await expect(now(`/campaigns/${newId}`)).rejects.toThrow('404');
  });

  it('sums up a plan of more than 20 rows, unless --verbose is given', async () => {
    const { ada } = history();
    const ids = (await ada(['campaigns', 'list', '--all', '--fields', 'id', '--no-header'])).stdout.trim().split('\n');
    const names = ids.slice(0, 25).map((each, index) => `  - {id: ${each.trim()}, name: New ${index}}`);
    const file = join(temporaryFolder(), 'a.yaml');
    writeFileSync(file, `campaigns:\n${names.join('\n')}\n`);
    expect((await ada(['apply', file, '--yes'])).code).toBe(0);
    const summed = await ada(['undo', '--dry-run']);
    expect(summed.stderr).toMatch(/\n~ update campaigns: 25\nTo see each: --verbose\n$/);
    const each = await ada(['undo', '--dry-run', '--verbose']);
    expect(each.stderr.match(/~ update campaign \d+/g)).toHaveLength(25);
  });

  it('goes back one command more each time', async () => {
    const { ada } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second']);
    await ada(['campaigns', 'update', '1', '--countries', 'DE']);
    await ada(['campaigns', 'update', '3', '--name', 'Third']);
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('Undo command 3') });
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('Undo command 2') });
    expect(await now('/campaigns/1')).toMatchObject({ name: 'Second', countries: ['US'] });
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('Undo command 1') });
    expect((await now('/campaigns/1')).name).toBe('Summer UGC Campaign');
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 3, stderr: expect.stringContaining('nothing to undo') });
  });

  it('skips a field that was changed since, exits with 9, and does the rest later', async () => {
    const { ada, find } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second', '--countries', 'DE']);
    await elsewhere('PATCH', '/campaigns/1', { campaign: { name: 'Third' } });
    expect(await ada(['undo', '--yes'])).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(
        /! skipped: name has changed since\nUndid 0 of 1 change of command 1, and 1 in part\. To take /,
      ),
    });
    expect(await now('/campaigns/1')).toMatchObject({ name: 'Third', countries: ['US'] });
    expect(await find('select undone_at from commands where id = 1')).toEqual([{ undone_at: null }]);
    expect((await ada(['undo', '1', '--yes'])).code).toBe(9);
    await elsewhere('PATCH', '/campaigns/1', { campaign: { name: 'Second' } });
    expect((await ada(['undo', '1', '--yes'])).code).toBe(0);
    expect((await now('/campaigns/1')).name).toBe('Summer UGC Campaign');
    expect(await find('select undone_at is null as open from commands where id = 1')).toEqual([{ open: 0 }]);
  });

  it('resumes exactly the campaigns that a command paused', async () => {
    const { ada } = history();
    const active = (await now('/campaigns/4')).status;
    await ada(['campaigns', 'pause', '3', '4', '6', '--yes']);
    await ada(['campaigns', 'resume', '6']);
    expect((await ada(['undo', '1', '--yes'])).code).toBe(0);
    expect((await now('/campaigns/3')).status).toBe('active');
    expect((await now('/campaigns/4')).status).toBe(active);
    expect((await now('/campaigns/6')).status).toBe('active');
  });

  it('pauses collabs that a command unpaused', async () => {
    const { ada } = history();
    await ada(['collabs', 'pause', '3']);
    await ada(['collabs', 'unpause', '3']);
    expect((await ada(['undo', '--yes'])).code).toBe(0);
    expect((await now('/collabs/3')).state).toBe('paused');
  });

  it('deletes a draft that was created, but not one that was published or changed since', async () => {
    const { ada, json } = history();
    const { id } = await json('campaigns', 'create', '--name', 'New');
    expect((await ada(['undo', '--yes'])).code).toBe(0);
    await expect(now(`/campaigns/${id}`)).rejects.toThrow('404');
    const { id: next } = await json('campaigns', 'create', '--name', 'Next');
    await elsewhere('PATCH', `/campaigns/${next}`, { campaign: { name: 'Other' } });
    expect((await ada(['undo', '3', '--yes'])).code).toBe(9);
    await ada(['campaigns', 'publish', String(next), '--yes']);
    expect(await ada(['undo', '3', '--yes'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('Only a draft can be deleted, and it is active.'),
    });
  });

  it('creates a deleted draft again, with its brief and a new id', async () => {
    const { ada, json } = history();
    const before = await now('/campaigns/10');
    await ada(['campaigns', 'delete', '10', '--yes']);
    const undone = await ada(['undo', '--yes', '--json']);
    expect(JSON.parse(undone.stdout)).toMatchObject({
      number: 2,
      undoes: 1,
      changes: [{ step: 'create', result: 'done' }],
    });
    const [, created] = await json('changes');
    expect(created.id).not.toBe(10);
    const { name, brief, countries, cpm_amount } = before;
    expect(await now(`/campaigns/${created.id}`)).toMatchObject({
      name,
      brief,
      countries,
      cpm_amount,
      status: 'draft',
    });
  });

  it('does not create it twice if the response of the first undo was lost', async () => {
    const { ada: later } = history();
    // The clock of the service does not move.
    const ada = (argv: readonly string[]) => later(argv, { now: () => new Date('2026-06-01T12:00:00Z') });
    const before = await now('/campaigns/10');
    await ada(['campaigns', 'delete', '10', '--yes']);
    const { name, website, content_type, category, currency, countries, platform_ids, cpm_amount, brief } = before;
    const fields = { name, website, content_type, category, currency, countries, platform_ids, cpm_amount, brief };
    const amounts = Object.fromEntries(
      Object.entries(before).filter(([key]) => /^(m.._payout|base_reward)_amount$/.test(key)),
    );
    await elsewhere('POST', '/campaigns', { campaign: { ...fields, ...amounts } });
    const undone = await ada(['undo', '1', '--yes', '--json']);
    expect(undone.code).toBe(0);
    expect(JSON.parse(undone.stdout).changes).toMatchObject([{ step: 'none', result: 'unchanged' }]);
  });

  it('sets the role of a member back', async () => {
    const { ada, json } = history();
    await ada(['members', 'update', 'cleo@acme.example', '--role', 'admin']);
    expect((await ada(['undo', '--yes'])).code).toBe(0);
    const members = await json('members', 'list');
    expect(members.find(({ user }: { user: { email: string } }) => user.email === 'cleo@acme.example').role).toBe(
      'member',
    );
  });

  it.each([
    ['an organization', ['organizations', 'update', '5', '--website', 'https://new.example']],
    ['an address', ['address', 'set', '--city', 'Berlin']],
    ['a new address', ['address', 'delete', '--yes']],
    ['an account', ['social-accounts', 'connect', '--platform', 'tiktok', '--url', 'https://www.tiktok.com/@new']],
  ])('takes the change of %s back', async (_, argv) => {
    const { ada, json } = history();
    const state = async () => [
      (await json('organizations', 'show', '5')).website,
      (await json('address', 'show')).city,
      (await json('social-accounts', 'list')).map(({ uid }: { uid: string }) => uid),
    ];
    const before = await state();
    expect((await ada(argv)).code).toBe(0);
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0 });
    expect(await state()).toEqual(before);
  });

  it('deletes an address that a command created, and creates it again', async () => {
    const { ada, json } = history();
    await ada(['address', 'delete', '--yes']);
    const place = ['--address-one', 'Way 1', '--city', 'Berlin', '--state', 'BE', '--postal-code', '10115'];
    expect((await ada(['address', 'set', ...place, '--country-code', 'DE'])).code).toBe(0);
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 0 });
    expect(await ada(['address', 'show'])).toMatchObject({ code: 3 });
    expect(await ada(['undo', '3', '--yes'])).toMatchObject({ code: 0 });
    expect(await json('address', 'show')).toMatchObject({ city: 'Berlin', country_code: 'DE' });
  });

  it('deletes a collab that a command created, and creates a deleted one again', async () => {
    const { ada, json } = history();
    const { id } = await json('collabs', 'create', '--name', 'New', '--countries', 'DE');
    expect((await ada(['undo', '--yes'])).code).toBe(0);
    await expect(now(`/collabs/${id}`)).rejects.toThrow('404');
    expect((await ada(['undo', '2', '--yes'])).code).toBe(0);
    const [again] = (await json('collabs', 'list', '--all')).filter(({ name }: { name: string }) => name === 'New');
    expect(again).toMatchObject({ state: 'draft', countries: ['DE'] });
    expect(again.id).not.toBe(id);
  });

  it('says that leaving an organization cannot be undone', async () => {
    const { ada } = history();
    const cleo = { env: { MKT_TOKEN: tokens.cleo_write } };
    expect(await ada(['members', 'leave', '--email', 'cleo@acme.example', '--yes'], cleo)).toMatchObject({ code: 0 });
    expect(await ada(['undo', '--yes'], cleo)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('has to be invited again'),
    });
  });

  it('goes through the rows of an import and of mkt apply', async () => {
    const { ada } = history();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'c.csv'), 'name\nOne\nTwo\n');
    expect((await ada(['import', 'campaigns', '-f', join(folder, 'c.csv'), '--yes'])).code).toBe(0);
    writeFileSync(
      join(folder, 'a.yaml'),
      'campaigns:\n  - {id: 1, name: Second}\n  - {id: 3, status: paused}\n  - name: Third\n',
    );
    expect((await ada(['apply', '-f', join(folder, 'a.yaml'), '--yes'])).code).toBe(0);
    const undone = await ada(['undo', '--yes']);
    expect(undone).toMatchObject({ code: 0, stderr: expect.stringContaining('Undid 3 changes') });
    expect(await now('/campaigns/1')).toMatchObject({ name: 'Summer UGC Campaign' });
    expect(await now('/campaigns/3')).toMatchObject({ status: 'active' });
    expect(await ada(['undo', '1', '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Undid 2 changes'),
    });
  });

  it.each([[[]], [['--resume']]])('lets a file be imported again after its import was undone: %j', async (flags) => {
    const { ada } = history();
    const folder = temporaryFolder();
    const file = join(folder, 'x.csv');
    writeFileSync(file, 'name\nNew A\nNew B\n');
    const importing = ['import', 'campaigns', '-f', file, '--yes'];
    expect((await ada(importing)).code).toBe(0);
    expect((await ada(importing)).stderr).toContain('has already been imported');
    expect((await ada(['undo', '--yes'])).code).toBe(0);
    const again = await ada([...importing, ...flags.flatMap((flag) => [flag, join(folder, 'x.import.ndjson')])]);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(again.stderr).toContain('Nothing that the earlier import has created exists any more');
    const { stdout } = await ada(['campaigns', 'list', '--all', '--fields', 'name', '--no-header']);
    expect(stdout.match(/^New [AB]$/gm)).toHaveLength(2);
    expect((await ada(importing)).stderr).toContain('has already been imported');
  });

  it('sets fields and state of the same row back', async () => {
    const { ada, json } = history();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.yaml'), 'campaigns:\n  - {id: 3, name: Second, status: paused}\n');
    const before = await now('/campaigns/3');
    expect((await ada(['apply', '-f', join(folder, 'a.yaml'), '--yes'])).code).toBe(0);
    const { changes } = await json('undo', '--yes');
    expect(changes).toMatchObject([
      { step: 'update, resume', fields: { status: { from: 'paused', to: 'active' } }, result: 'done' },
    ]);
    const { name, status } = before;
    expect(await now('/campaigns/3')).toMatchObject({ name, status });
  });

  it.each([
    ['campaigns publish 1 --yes', 'Closest: mkt campaigns pause 1'],
    ['collabs submit 1 --yes', 'A submitted collab cannot become a draft again.'],
    ['tokens revoke 2 --yes', 'A revoked token does not work again.'],
    ['members remove cleo@acme.example --yes', 'has to be invited again'],
  ])('says why %s cannot be undone, and exits with 6', async (line, reason) => {
    const { ada } = history();
    expect((await ada(line.split(' '))).code).toBe(0);
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 6, stderr: expect.stringContaining(reason) });
  });

  it('does what is possible and names the rest, with 9', async () => {
    const { ada } = history();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.yaml'), 'campaigns:\n  - {id: 1, status: active}\n  - {id: 3, status: paused}\n');
    expect((await ada(['apply', '-f', join(folder, 'a.yaml'), '--yes'])).code).toBe(0);
    expect(await ada(['undo', '--yes'])).toMatchObject({ code: 9, stderr: expect.stringContaining('1 impossible') });
    expect((await now('/campaigns/3')).status).toBe('active');
  });

  it('that loses its connection in the middle can be finished, and does nothing twice', async () => {
    const { ada, find, file: stored } = history();
    await ada(['campaigns', 'pause', '3', '6', '8', '--yes']);
    // The second action is done, and its response is lost.
    let isBroken = true;
    const proxy = await lossyProxy(url(), (count) => (isBroken && count >= 1 ? 'lose' : 'pass'));
    const host = new URL(proxy.url).host;
    const file = await openHistory(stored);
    file.write((database) =>
      database.exec(`update commands set host = '${host}'; update changes set host = '${host}'`),
    );
    file.close();
    const through = { env: { MKT_BASE_URL: proxy.url, MKT_HISTORY: stored } };
    const broken = await ada(['undo', '--yes'], through);
    expect(broken).toMatchObject({ code: 9, stderr: expect.stringContaining('For the rest, later: mkt undo 1') });
    expect(proxy.creations).toHaveLength(3);
    isBroken = false;
    expect(await ada(['undo', '1', '--yes'], through)).toMatchObject({ code: 0 });
    expect(proxy.creations).toHaveLength(3);
    for (const id of [3, 6, 8]) expect((await now(`/campaigns/${id}`)).status).toBe('active');
    expect(await find('select undone_at is null as open from commands where id = 1')).toEqual([{ open: 0 }]);
  });

  it('never crosses hosts', async () => {
    const { ada, find } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second']);
    const other = { env: { MKT_BASE_URL: 'http://127.0.0.1:1' } };
    expect(await ada(['undo', '--yes'], other)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('nothing to undo'),
    });
    expect(await ada(['undo', '1', '--yes'], other)).toMatchObject({ code: 2 });
    expect(await find('select count(*) as count from commands')).toEqual([{ count: 1 }]);
  });

  it('lists commands', async () => {
    const { ada, json } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second']);
    await ada(['undo', '--yes']);
    expect(await json('undo', '--list')).toMatchObject([
      { number: 1, line: 'mkt campaigns update 1 --name Second', undone_at: '2026-06-01T14:00:00.000Z' },
      { number: 2, line: 'mkt undo --yes', undone_at: null },
    ]);
    expect((await ada(['undo', '--list'])).stdout).toMatch(/^NUMBER {2}WHEN .*\n1 +2026-06-01 13:00 +2026-06-01 14:00/);
    expect(await ada(['undo', '7'])).toMatchObject({ code: 3 });
  });
});
