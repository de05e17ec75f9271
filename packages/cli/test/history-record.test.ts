import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordedLine } from '../src/history/command-line.js';
import { openHistory } from '../src/history/database.js';
import { addCommand } from '../src/history/journal.js';
import { Recorder } from '../src/history/record.js';
import { between } from './support/between.js';
import { adaWithHistory, queried } from './support/history.js';
import { temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { tokens } from './support/service.js';

const { history, elsewhere, url } = adaWithHistory();

describe('the record of a command', () => {
  it('shows what another user changed in the same row before and during the command', async () => {
    const { ada, json } = history();
    await ada(['campaigns', 'list', '--all']);
    await elsewhere('PATCH', '/campaigns/10', { campaign: { name: 'Before' } });
    const { id } = (await elsewhere('POST', '/campaigns', { campaign: { name: 'New' } })) as { id: number };
    let isDone = false;
    const proxy = await between(url(), {
      before: async ({ method }) => {
        if (method === 'PATCH' && !isDone) {
          isDone = true;
          await elsewhere('PATCH', '/campaigns/10', { campaign: { countries: ['DE'] } });
        }
        return undefined;
      },
    });
    const env = { MKT_BASE_URL: proxy };
    await ada(['campaigns', 'list', '--all'], { env });
    await elsewhere('PATCH', '/campaigns/10', { campaign: { name: 'Again' } });
    const { id: newer } = (await elsewhere('POST', '/campaigns', { campaign: { name: 'Newer' } })) as { id: number };
    for (const changed of [10, newer]) await ada(['campaigns', 'update', `${changed}`, '--cpm-amount', '7'], { env });
    await ada(['campaigns', 'publish', '2', '--yes'], { env });
    await ada(['campaigns', 'list', '--all'], { env });
    const all: Record<string, unknown>[] = JSON.parse(
      (await ada(['changes', '--all-fields', '--json'], { env })).stdout,
    );
    const shown = all.map(({ id, kind, field, after, by }) =>
      [id, kind, field ?? (after as { name: string }).name, field && after, String(by).replace(/:.*/, '')].join(' '),
    );
    expect(shown.sort()).toEqual(
      [
        '10 changed name Again elsewhere',
        '10 changed countries DE elsewhere',
        '10 changed cpm_amount 7 you',
        `${newer} created Newer  elsewhere`,
        `${newer} changed cpm_amount 7 you`,
        '2 changed status active you',
        '2 changed published_at 2026-06-01T17:00:00Z you',
      ].sort(),
    );
    // Undo takes back only what the command did.
    await ada(['undo', '1', '--yes'], { env });
    expect(await elsewhere('GET', '/campaigns/10')).toMatchObject({ name: 'Again', countries: ['DE'] });
    expect(id).toBeLessThan(newer);
    expect((await json('changes')).length).toBe(0);
  });

  it('has the fields before and after, in a file that only the user can read', async () => {
    const { ada, find, file } = history();
    expect(await ada(['campaigns', 'update', '1', '--name', 'Second'])).toMatchObject({ code: 0 });
    const { host } = new URL(url());
    const at = '2026-06-01T13:00:00.000Z';
    expect(await find('select * from commands')).toEqual([
      {
        id: 1,
        host,
        organization_id: '5',
        at,
        profile: 'default',
        line: 'mkt campaigns update 1 --name Second',
        undone_at: null,
        undoes: null,
        left_at: null,
      },
    ]);
    expect(await find('select * from changes')).toEqual([
      {
        host,
        organization_id: '5',
        resource: 'campaigns',
        resource_id: '1',
        name: 'Second',
        at,
        kind: 'changed',
        field: 'name',
        before: '"Summer UGC Campaign"',
        after: '"Second"',
        stamp: '2026-06-01T13:00:00Z',
        command_id: 1,
      },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each<[string, readonly string[], readonly [string, string, string | null][]]>([
    ['a creation', ['campaigns', 'create', '--name', 'New'], [['campaigns', 'created', null]]],
    ['a copy', ['campaigns', 'copy', '3'], [['campaigns', 'created', null]]],
    ['a deletion', ['campaigns', 'delete', '10', '--yes'], [['campaigns', 'deleted', null]]],
    [
      'an organization',
      ['organizations', 'update', '5', '--website', 'https://new.example'],
      [['organizations', 'changed', 'website']],
    ],
    ['a new address', ['address', 'set', '--city', 'Berlin'], [['address', 'changed', 'city']]],
    ['a role', ['members', 'update', 'cleo@acme.example', '--role', 'admin'], [['members', 'changed', 'role']]],
    [
      'mkt api',
      ['api', '/organizations/5/campaigns/1.json', '-X', 'PATCH', '-f', 'campaign[name]=Third'],
      [['campaigns', 'changed', 'name']],
    ],
  ])('of %s names what changed', async (_, argv, expected) => {
    const { ada, find } = history();
    expect(await ada(argv)).toMatchObject({ code: 0 });
    const rows = await find('select distinct resource, kind, field, command_id from changes');
    const wanted = expected.map(([resource, kind, field]) => ({ resource, kind, field, command_id: 1 }));
    // A new address has no coordinates yet.
    expect(rows.filter(({ field }) => !/itude|google/.test(String(field)))).toEqual(wanted);
  });

  it('of a change of state is read after it: each row of several', async () => {
    const { ada, find } = history();
    await ada(['campaigns', 'pause', '3', '6', '4', '--yes']);
    expect(await find("select resource_id, before, after from changes where field = 'status' order by 1")).toEqual([
      { resource_id: '3', before: '"active"', after: '"paused"' },
      { resource_id: '6', before: '"active"', after: '"paused"' },
    ]);
    expect(await find('select count(*) as count from commands')).toEqual([{ count: 1 }]);
  });

  it('has no row if nothing was changed', async () => {
    const { ada, file } = history();
    await ada(['campaigns', 'update', '3', '--currency', 'eur']);
    await ada(['campaigns', 'show', '3']);
    expect(await queried(file, 'select * from commands')).toEqual([]);
  });

  it('of a request without an answer has the fields of the contract, and no others', async () => {
    const { ada, file } = history();
    const base = await scriptedServer(({ method }) =>
      method === 'PATCH' ? { status: 500, body: {} } : { body: { id: 1, name: 'A', status: 'draft' } },
    );
    const fields = ['-f', 'campaign[name]=B', '-f', 'campaign[note]=hush'];
    const sent = await ada(['api', '/organizations/5/campaigns/1.json', '-X', 'PATCH', ...fields], {
      env: { MKT_BASE_URL: base },
    });
    expect(sent.code).toBe(1);
    expect(await queried(file, 'select resource_id, method, sent from mkt_attempts')).toEqual([
      { resource_id: '1', method: 'PATCH', sent: '{"name":"B"}' },
    ]);
  });

  it('contains no token, e-mail address or name of a member', async () => {
    const { ada, file } = history();
    await ada(['members', 'update', 'cleo@acme.example', '--role', 'admin']);
    await ada(['members', 'update', 'Cleo Martin', '--role', 'member']);
    await ada(['members', 'list', '--all']);
    await ada(['tokens', 'create', '--description', 'Laptop of Ada', '--permission', 'read']);
    await ada(['campaigns', 'update', '1', '--name', `For ada@example.com with ${tokens.ada_write}`]);
    expect(await queried(file, 'select line from commands')).toEqual([
      { line: 'mkt members update *** --role admin' },
      { line: 'mkt members update *** --role member' },
      { line: expect.stringMatching(/^mkt tokens create --description \*\*\*/) },
      { line: "mkt campaigns update 1 --name 'For *** with ***'" },
    ]);
    const text = JSON.stringify([
      await queried(file, 'select line from commands'),
      await queried(file, "select * from changes where resource != 'campaigns'"),
      await queried(file, "select row from mkt_rows where resource != 'campaigns'"),
    ]);
    expect(text).not.toMatch(/cleo@|Cleo|Martin|Ada|mkt_[a-z0-9]{8}/);
  });

  it('masks secrets in any flag', () => {
    const known = { token: 'geheim', home: '/home/ada' };
    expect(
      recordedLine(
        ['api', '-H', 'Authorization: Bearer abc.def', '--control-token=x', '-f', '/home/ada/x.json', 'geheim'],
        known,
      ),
    ).toBe('mkt api -H Authorization:*** --control-token=*** -f ~/x.json ***');
  });

  it.each([
    [['-H', 'X-Secret: hush'], '-H X-Secret:***'],
    [['-HX-Secret:hush'], '-HX-Secret:***'],
    [['--header=X-Secret: hush'], '--header=X-Secret:***'],
    [['--header', 'X-Secret:hush'], 'X-Secret:***'],
    [['-iH', 'X-Secret: hush'], '-iH X-Secret:***'],
    [['-qyiHX-Secret:hush'], '-qyiHX-Secret:***'],
    [['-H', 'X-Secret:'], '-H X-Secret:'],
    [['-if', 'note=hush'], '-if note=***'],
    [['-f', 'campaign[name]=hush hush'], "'campaign[name]=***'"],
    [['-fnote=hush=hush'], '-fnote=***'],
    [['--field=note=hush\nhush'], '--field=note=***'],
  ])('leaves out what mkt api sends: %j', (argv, words) => {
    const line = recordedLine(['api', '/organizations/5.json', '-X', 'PATCH', ...argv], { token: undefined, home: '' });
    expect(line).toContain(words);
    expect(line).not.toContain('hush');
  });
});

interface Row {
  readonly id: number;
}

describe('a reading', () => {
  it.each([
    ['a list', ['campaigns', 'list', '--all']],
    ['a list below its limit', ['campaigns', 'list', '--limit', '100']],
    ['a filtered list below its limit', ['campaigns', 'list', '--status', 'draft', '--limit', '10']],
    ['an export', ['export', 'campaigns']],
    ['a pull', ['pull']],
  ])('of %s is the baseline at first, and then finds what others changed', async (_, argv) => {
    const { ada, find, json } = history();
    await ada(argv);
    const created = (await elsewhere('POST', '/campaigns', { campaign: { name: 'New' } })) as { id: number };
    await elsewhere('PATCH', '/campaigns/1', { campaign: { countries: ['DE'], name: 'Second' } });
    await elsewhere('DELETE', '/campaigns/10');
    expect(await find('select count(*) as count from changes')).toEqual([{ count: 0 }]);
    await ada(argv);
    expect(await json('changes', 'campaigns', '--since', '7d')).toMatchObject([
      { id: 1, kind: 'changed', field: 'name', before: 'Summer UGC Campaign', after: 'Second', by: 'elsewhere' },
      { id: 1, field: 'countries', before: ['US'], after: ['DE'] },
      { id: 10, kind: 'deleted', field: null, before: { status: 'draft' }, after: null },
      { id: created.id, kind: 'created', after: { name: 'New' }, before: null },
    ]);
    expect(await find("select resource, rows from observations where resource = 'campaigns'")).toEqual([
      { resource: 'campaigns', rows: 45 },
      { resource: 'campaigns', rows: 45 },
    ]);
  });

  it('of a part of a list is not recorded', async () => {
    const { ada, file } = history();
    await ada(['campaigns', 'list']);
    await ada(['campaigns', 'list', '--limit', '30']);
    await expect(queried(file, 'select 1')).rejects.toThrow();
  });

  it('does not repeat what a command of this machine changed', async () => {
    const { ada, json } = history();
    await ada(['campaigns', 'list', '--all']);
    await ada(['campaigns', 'update', '1', '--name', 'Second']);
    await ada(['campaigns', 'list', '--all']);
    expect(await json('changes')).toMatchObject([
      { field: 'name', by: 'you: mkt campaigns update 1 --name Second', command_id: 1 },
    ]);
  });

  it('takes fields that a service adds, and keeps those that a list lacks', async () => {
    const path = join(temporaryFolder(), 'history.db');
    const file = await openHistory(path);
    const scope = { host: 'h', organization: '5', resource: 'campaigns' };
    const read = (hour: number, row: object) =>
      file.write((database) =>
        new Recorder(database).reading({
          scope,
          rows: new Map([['1', JSON.stringify({ id: 1, ...row })]]),
          drafts: 0,
          since: `2026-06-01T0${hour}:00:00.000Z`,
          seen: `2026-06-01T0${hour}:00:00.000Z`,
          at: `2026-06-01T0${hour}:00:01.000Z`,
        }),
      );
    expect(read(1, { name: 'A', brief: 'x' })).toEqual([]);
    expect(read(2, { name: 'A', hashtag: null })).toEqual([]);
    expect(read(3, { name: 'A', hashtag: 'glow', updated_at: '3' })).toMatchObject([
      { field: 'hashtag', after: 'glow' },
    ]);
    // All that a list shows of a new brief.
    expect(read(4, { name: 'A', hashtag: 'glow', updated_at: '4' })).toMatchObject([{ field: 'updated_at' }]);
    expect(read(5, { name: 'A', brief: 'y', updated_at: '5' })).toMatchObject([{ field: 'brief', before: 'x' }]);
    file.close();
  });

  it('with a clock that is a day ahead or behind hides no later change', async () => {
    for (const days of [1, -1]) {
      const { ada, json } = history();
      const wrong = () => new Date(Date.parse('2026-06-01T18:00:00Z') + days * 86_400_000);
      await ada(['campaigns', 'list', '--all']);
      await elsewhere('PATCH', '/campaigns/1', { campaign: { name: `Before ${days}` } });
      await ada(['campaigns', 'list', '--all'], { now: wrong });
      // The clock of the service is right again.
      await ada(['undo', '--list']);
      await elsewhere('PATCH', '/campaigns/1', { campaign: { name: `After ${days}` } });
      const create = async () => (await elsewhere('POST', '/campaigns', { campaign: { name: 'New' } })) as Row;
      const { id: updated } = await create();
      await ada(['campaigns', 'update', String(updated), '--name', `Own ${days}`]);
      const { id } = await create();
      await ada(['campaigns', 'list', '--all']);
      const changes: { id: number; after: unknown }[] = await json('changes', '--since', '7d');
      expect(changes.map(({ after }) => after)).toEqual(
        expect.arrayContaining([
          `Before ${days}`,
          `After ${days}`,
          `Own ${days}`,
          expect.objectContaining({ id: updated }),
          expect.objectContaining({ id }),
        ]),
      );
    }
  });

  it.each([1, -1])('has the times of the service if the clock of the machine is %i days ahead of it', async (days) => {
    const ahead = days * 86_400_000;
    const { ada, find, json } = history({ serviceTime: (machine) => new Date(machine().getTime() - ahead) });
    const warning = `warning: This machine is 24 hours ${days > 0 ? 'ahead of' : 'behind'} the service. The history uses the time of the service.\n`;
    expect((await ada(['watch', '--once'])).stderr).toContain(warning);
    await elsewhere('PATCH', '/campaigns/1', { campaign: { name: 'Elsewhere' } });
    await ada(['campaigns', 'list', '--all']);
    await ada(['campaigns', 'update', '1', '--name', 'Own']);
    // The machine is 13:00, 14:00 and 15:00.
    const service = (hour: number) => new Date(Date.parse(`2026-06-01T${hour}:00:00Z`) - ahead).toISOString();
    expect(await find("select at from observations where resource = 'campaigns'")).toEqual([
      { at: service(13) },
      { at: service(14) },
    ]);
    expect(await find("select at, after from changes where field = 'name'")).toEqual([
      { at: service(14), after: '"Elsewhere"' },
      { at: service(15), after: '"Own"' },
    ]);
    expect(await find('select at from commands')).toEqual([{ at: service(15) }]);
    // Ages count back from the time of the service.
    const changes: { after: unknown }[] = await json('changes', '--since', '3h');
    expect(changes.map(({ after }) => after)).toEqual(expect.arrayContaining(['Elsewhere', 'Own']));
    expect((await json('report', '--since', '3h')).period.until).toBe(service(17));
    expect((await json('report', '--since', service(13))).period.since).toBe(service(13));
    // Its first request is the change.
    await ada(['organizations', 'create', '--name', 'New']);
    expect(await find('select at from commands where id = 2')).toEqual([{ at: service(19) }]);
  });

  it('of an account that sees no drafts does not take them for deleted, nor for created afterwards', async () => {
    const { ada, json } = history();
    const cleo = { env: { MKT_TOKEN: tokens.cleo_write } };
    const list = ['campaigns', 'list', '--all'];
    const found = async () =>
      (await json('changes')).map(({ id, kind }: { id: number; kind: string }) => `${kind} ${id}`);
    await ada(list, cleo);
    await ada(list);
    await ada(list, cleo);
    await ada(['watch', '--once'], cleo);
    await ada(list);
    expect(await found()).toEqual([]);
    await elsewhere('DELETE', '/campaigns/10');
    const { id } = (await elsewhere('POST', '/campaigns', { campaign: { name: 'New' } })) as { id: number };
    await ada(list, cleo);
    expect(await found()).toEqual([]);
    await ada(list);
    expect(await found()).toEqual(['deleted 10', `created ${id}`]);
  });

  it('of an account that is not an admin any more does not take drafts for deleted', async () => {
    const { ada, json } = history();
    const cleo = { env: { MKT_TOKEN: tokens.cleo_write } };
    const list = ['campaigns', 'list', '--all'];
    const role = (name: string) => elsewhere('PATCH', '/members/mem_5_cleo', { membership: { role: name } });
    await role('admin');
    await ada(list, cleo);
    await role('member');
    await ada(list, cleo);
    await ada(['watch', '--once'], cleo);
    expect(await json('changes')).toEqual([]);
    await elsewhere('DELETE', '/campaigns/10');
    await role('admin');
    await ada(list, cleo);
    expect(await json('changes')).toMatchObject([{ id: 10, kind: 'deleted' }]);
  });

  it('of an account that has become an admin does not take drafts for new', async () => {
    const { ada, json } = history();
    const cleo = { env: { MKT_TOKEN: tokens.cleo_write } };
    const list = ['campaigns', 'list', '--all'];
    const role = (name: string) => elsewhere('PATCH', '/members/mem_5_cleo', { membership: { role: name } });
    await ada(list, cleo);
    await role('admin');
    await ada(list, cleo);
    expect(await json('changes')).toEqual([]);
    const { id } = (await elsewhere('POST', '/campaigns', { campaign: { name: 'New' } })) as { id: number };
    await ada(list, cleo);
    expect(await json('changes')).toMatchObject([{ id, kind: 'created' }]);
  });

  it('is compared by account, however many tokens it has had', async () => {
    const file = await openHistory(join(temporaryFolder(), 'history.db'));
    const scope = { host: 'h', organization: '5', resource: 'collabs' };
    let hour = 10;
    const read = (tokenIds: readonly string[], states: Readonly<Record<string, string>>) => {
      hour += 1;
      const rows = new Map(Object.entries(states).map(([id, state]) => [id, JSON.stringify({ id, state })]));
      const drafts = Object.values(states).filter((state) => state === 'draft').length;
      const at = `2026-06-01T${hour}:00:00.000Z`;
      const found = file.write((database) =>
        new Recorder(database).reading({ scope, rows, drafts, since: at, seen: at, at }, tokenIds),
      );
      return found.map(({ kind, resource_id }) => `${kind} ${resource_id}`);
    };
    read(['1', '2'], { a: 'draft', b: 'published', c: 'submitted_for_review' });
    expect(read(['9'], { b: 'published', c: 'submitted_for_review' })).toEqual([]);
    // Rejected: a draft again.
    expect(read(['9'], { b: 'published' })).toEqual([]);
    expect(read(['9', '10'], {})).toEqual(['deleted b']);
    expect(read(['2', '3'], { a: 'draft', c: 'draft' })).toEqual(['changed c']);
    // The account may not be an admin any more.
    expect(read(['3', '4'], {})).toEqual([]);
    expect(read(['3', '4'], { d: 'draft' })).toEqual(['deleted a', 'deleted c', 'created d']);
    expect(file.all('select viewer from observations')).toEqual(
      [1, 2, 2, 2, 1, 1, 1].map((viewer) => expect.objectContaining({ viewer })),
    );
    file.close();
  });

  it('knows which command an undo of an earlier version took back', async () => {
    const { ada, file, find } = history();
    await ada(['campaigns', 'update', '1', '--name', 'Second']);
    await ada(['undo', '--yes']);
    const old = await openHistory(file);
    old.database.exec(
      `drop index commands_by_undo; alter table commands drop column undoes; alter table commands drop column left_at;
       pragma user_version = 4`,
    );
    old.close();
    expect(await ada(['undo', '2', '--yes'])).toMatchObject({ code: 0 });
    expect(await find('select id, undoes, undone_at is null as open from commands')).toEqual([
      { id: 1, undoes: null, open: 1 },
      { id: 2, undoes: 1, open: 0 },
      { id: 3, undoes: 2, open: 1 },
    ]);
  });

  it('continues a history without viewers', async () => {
    const path = join(temporaryFolder(), 'history.db');
    const old = await openHistory(path);
    old.database.exec(
      `insert into observations (host, organization_id, resource, at, rows) values ('h', '5', 'campaigns', 'now', 1);
       drop index observations_with_drafts; alter table observations drop column viewer;
       alter table observations drop column drafts; drop table mkt_accounts; drop table mkt_running;
       drop index commands_by_undo; alter table commands drop column undoes; alter table commands drop column left_at;
       drop table mkt_attempts; drop table mkt_renamed; drop table mkt_clocks; drop table mkt_watches; alter table changes drop column stamp;
       pragma user_version = 1`,
    );
    old.close();
    const file = await openHistory(path);
    expect(file.all('select rows, viewer, drafts from observations')).toMatchObject([
      { rows: 1, viewer: null, drafts: 0 },
    ]);
    expect(file.all('select * from mkt_accounts')).toEqual([]);
    file.close();
  });

  it('that began before a command does not take back what the command did', async () => {
    const file = await openHistory(join(temporaryFolder(), 'history.db'));
    const scope = { host: 'h', organization: '5', resource: 'campaigns' };
    const rows = new Map([['1', '{"id":1,"name":"A"}']]);
    const time = (second: number) => `2026-06-01T12:00:0${second}.000Z`;
    const late = file.write((database) => {
      const recorder = new Recorder(database);
      recorder.reading({ scope, rows, drafts: 0, since: time(1), seen: time(2), at: time(2) });
      const write = {
        scope,
        id: '1',
        before: { name: 'A' },
        after: { id: 1, name: 'B' },
        kind: 'changed',
        seen: time(4),
        at: time(4),
      } as const;
      recorder.write(write, addCommand(database, scope, { at: time(4), profile: 'p', line: 'l' }));
      return recorder.reading({ scope, rows, drafts: 0, since: time(3), seen: time(5), at: time(5) });
    });
    expect(late).toEqual([]);
    file.close();
  });
});

describe('a change that another mkt finds before its command records it', () => {
  it.each([
    ['created', undefined, { id: 1, name: 'B', brief: 'x' }],
    ['changed', { id: 1, name: 'A' }, { id: 1, name: 'B' }],
    ['deleted', { id: 1, name: 'A', brief: 'x' }, undefined],
  ] as const)('is recorded once: %s', async (kind, before, after) => {
    const file = await openHistory(join(temporaryFolder(), 'history.db'));
    const scope = { host: 'h', organization: '5', resource: 'campaigns' };
    const time = (second: number) => `2026-06-01T12:00:0${second}.000Z`;
    file.write((database) => {
      const recorder = new Recorder(database);
      const read = (row: { id: number; name: string } | undefined, at: string) =>
        recorder.reading({
          scope,
          rows: new Map(row ? [['1', JSON.stringify({ id: row.id, name: row.name })]] : []),
          drafts: 0,
          since: at,
          seen: at,
          at,
        });
      read(before, time(1));
      read(after, time(2));
      const command = { at: time(3), profile: 'p', line: 'mkt x' };
      recorder.write(
        { scope, id: '1', before, after, kind, seen: time(3), at: time(3) },
        addCommand(database, scope, command),
      );
      expect(read(after, time(4))).toEqual([]);
    });
    const whole =
      kind === 'changed' ? ['"A"', '"B"'] : [before && JSON.stringify(before), after && JSON.stringify(after)];
    expect(file.all('select kind, before, after, command_id from changes')).toMatchObject([
      { kind, before: whole[0] ?? null, after: whole[1] ?? null, command_id: 1 },
    ]);
    file.close();
  });
});

it.each([1, 2])('what another user changed after second %i and a command changes back is two changes', async (read) => {
  const file = await openHistory(join(temporaryFolder(), 'history.db'));
  const scope = { host: 'h', organization: '5', resource: 'campaigns' };
  const time = (second: number) => `2026-06-01T12:00:0${second}.000Z`;
  const row = (name: string, second: number) => ({ id: 1, name, updated_at: time(second) });
  file.write((database) => {
    const recorder = new Recorder(database);
    const rows = new Map([['1', JSON.stringify(row('A', read))]]);
    recorder.reading({ scope, rows, drafts: 0, since: time(1), seen: time(1), at: time(1) });
    recorder.write(
      { scope, id: '1', before: row('B', 2), after: row('A', 3), kind: 'changed', seen: time(3), at: time(3) },
      addCommand(database, scope, { at: time(3), profile: 'p', line: 'mkt x' }),
    );
  });
  expect(file.all("select before, after, command_id from changes where field = 'name'")).toEqual([
    { before: '"A"', after: '"B"', command_id: null },
    { before: '"B"', after: '"A"', command_id: 1 },
  ]);
  file.close();
});

it('a change of another user stays theirs if two commands make the same one afterwards', async () => {
  const file = await openHistory(join(temporaryFolder(), 'history.db'));
  const scope = { host: 'h', organization: '5', resource: 'campaigns' };
  const time = (second: number) => `2026-06-01T12:00:0${second}.000Z`;
  const row = (name: string, second: number) => ({ id: 1, name, updated_at: time(second) });
  file.write((database) => {
    const recorder = new Recorder(database);
    for (const [name, second] of [
      ['A', 1],
      ['B', 2],
    ] as const) {
      const rows = new Map([['1', JSON.stringify(row(name, second))]]);
      recorder.reading({ scope, rows, drafts: 0, since: time(second), seen: time(second), at: time(second) });
    }
    for (const [before, after, second] of [
      ['B', 'A', 3],
      ['A', 'B', 4],
    ] as const) {
      const command = addCommand(database, scope, { at: time(second), profile: 'p', line: 'mkt x' });
      const rows = { before: row(before, second - 1), after: row(after, second) };
      recorder.write({ scope, id: '1', kind: 'changed', ...rows, seen: time(second), at: time(second) }, command);
    }
  });
  expect(file.all("select before, after, command_id from changes where field = 'name' order by rowid")).toEqual([
    { before: '"A"', after: '"B"', command_id: null },
    { before: '"B"', after: '"A"', command_id: 1 },
    { before: '"A"', after: '"B"', command_id: 2 },
  ]);
  file.close();
});

describe('a record that fails is a warning, and the change is made', () => {
  const warned = async (file: string, reason: RegExp) => {
    const { ada } = history();
    const result = await ada(['campaigns', 'update', '1', '--name', 'Second'], { env: { MKT_HISTORY: file } });
    expect(result.stdout).toContain('Second');
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/warning: The change was made, but not recorded in the history/);
    expect(result.stderr).toMatch(reason);
  };

  it('in a folder that is a file', () => warned(join(process.execPath, 'h.db'), /cannot be opened or created there/));
  it('with a damaged file', async () => {
    const file = join(temporaryFolder(), 'h.db');
    writeFileSync(file, 'This is text. '.repeat(500));
    await warned(file, /damaged or is not an SQLite database/);
    expect(readFileSync(file, 'utf8')).toMatch(/^This is text/);
  });
  it('with a file of a newer version', async () => {
    const path = join(temporaryFolder(), 'h.db');
    const file = await openHistory(path);
    file.database.exec('pragma user_version = 99');
    file.close();
    await warned(path, /newer version of mkt/);
  });
  it('with the data of another program', async () => {
    const path = join(temporaryFolder(), 'h.db');
    const file = await openHistory(path);
    file.database.exec('pragma user_version = 0');
    file.close();
    await warned(path, /data of another program/);
  });
  // Permissions do not bind root, but no one can create files in this one.
  it.runIf(process.platform === 'linux')('in a read-only folder', () => warned('/sys/h.db', /may not be written to/));
  it.skipIf(process.getuid?.() === 0)('in a folder without the permission to write', async () => {
    const folder = join(temporaryFolder(), 'locked');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    await warned(join(folder, 'h.db'), /may not be written to/);
  });
  it.runIf(process.platform === 'linux')('on a full disk', () => warned('/dev/full', /history/));
  it('while another program holds the file, after less than a second', async () => {
    const path = join(temporaryFolder(), 'h.db');
    const file = await openHistory(path);
    file.database.exec('begin exclusive');
    const started = performance.now();
    await warned(path, /have been using it for a second/);
    expect(performance.now() - started).toBeLessThan(3000);
    file.close();
  });
  it('is silent with MKT_HISTORY=off', async () => {
    const { ada } = history();
    const off = { env: { MKT_HISTORY: 'off' } };
    expect((await ada(['campaigns', 'update', '1', '--name', 'Second'], off)).stderr).not.toContain('warning');
    expect(await ada(['changes'], off)).toMatchObject({ code: 2, stderr: expect.stringContaining('MKT_HISTORY=off') });
  });
});

describe('several writers at once', () => {
  it('lose no row', async () => {
    const { ada, find } = history();
    const names = Array.from({ length: 12 }, (_, index) => `Campaign ${index}`);
    await Promise.all(names.map((name) => ada(['campaigns', 'create', '--name', name])));
    expect(await find('select count(*) as count from commands')).toEqual([{ count: 12 }]);
    expect(await find("select count(distinct name) as count from changes where kind = 'created'")).toEqual([
      { count: 12 },
    ]);
  });
});
