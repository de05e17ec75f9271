import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ImportLog } from '../src/commands/import/log.js';
import { type ImportService, linesOf, startImportService } from './support/import.js';
import { rows } from './support/import-report.js';
import { scriptedPrompter } from './support/prompter.js';
import { runCli } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { tokens } from './support/service.js';

/** The service rejects a smallest payout above its default for the largest one, which mkt does not know. */
const withBadRow = (count: number, bad: number): string =>
  [
    'name,min_payout_amount',
    ...Array.from({ length: count }, (_, row) => `Row ${row + 1},${row + 1 === bad ? 20_000 : 900}`),
  ].join('\n');

/** Without the counter that slow machines show: a spinner, which is cleared again. */
const withoutProgress = (screen: string): string =>
  screen
    .split('\r\u001b[2K')
    .filter((part) => !/^[\u2800-\u28ff]/.test(part))
    .join('');

/** Paths are relative, because their length would change where lines break. */
async function inFolder<Result>({ folder }: ImportService, work: () => Promise<Result>): Promise<Result> {
  const previous = process.cwd();
  process.chdir(folder);
  try {
    return await work();
  } finally {
    process.chdir(previous);
  }
}

it('sends the rows in the order of the file, even if the report is slow for some of them', async () => {
  const service = await startImportService();
  const delays = [60, 40, 20, 0];
  const sync = vi.spyOn(ImportLog.prototype, 'sync').mockImplementation(async () => wait(delays.shift() ?? 0));
  onTestFinished(() => sync.mockRestore());
  expect((await service.run(['campaigns', service.file('x.csv', rows(4))], { inProcess: 'spy' })).code).toBe(0);
  const stored = [...(await service.stored())].sort((one, other) => one.id - other.id);
  expect(stored.map(({ name }) => name)).toEqual(['Row 1', 'Row 2', 'Row 3', 'Row 4']);
});

describe('the plan', () => {
  it.each([80, 120])('is shown before the prompt at %i columns', async (columns) => {
    const service = await startImportService();
    service.file(
      'campaigns.csv',
      'id,name,status\n1,Autumn glow,draft\n2,<b>Bold</b> \u001b[31mlaunch,active\n3,夏のコスメ祭り 🌸,draft\n4,Autumn glow,x\n5,Five,x\n6,Six,x\n7,Seven,x\n',
    );
    const ada = scriptedPrompter(true);
    const { code, stderr, stdout } = await inFolder(service, () =>
      service.run(['campaigns', '-f', 'campaigns.csv'], { columns, answers: ada }),
    );
    expect({ code, stdout, asked: ada.asked }).toEqual({ code: 0, stdout: '', asked: ['Create these 7 campaigns?'] });
    await expect(withoutProgress(stderr)).toMatchFileSnapshot(`goldens/import-plan-${columns}-columns.txt`);
  });

  it('is declined: creates nothing, and leaves no report', async () => {
    const service = await startImportService();
    const { code, stderr } = await service.run(['campaigns', '-f', service.file('x.csv', rows(2))], {
      columns: 80,
      answers: scriptedPrompter(false),
    });
    expect(code).toBe(10);
    expect(stderr).toContain('Cancelled; nothing was changed.');
    expect(await service.stored()).toEqual([]);
    expect(existsSync(join(service.folder, 'x.import.ndjson'))).toBe(false);
    expect(existsSync(join(service.folder, 'x.import.ndjson.lock'))).toBe(false);
  });

  it('needs --yes without a terminal', async () => {
    const service = await startImportService();
    const argv = ['import', 'campaigns', '-f', service.file('x.csv', rows(1))];
    const { code, stdout, stderr } = await runCli(argv, { env: service.env });
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
    expect(stderr).toContain(`mkt ${argv.join(' ').replace('-f', '--file')} --dry-run`);
    expect(await service.stored()).toEqual([]);
    expect(existsSync(join(service.folder, 'x.import.ndjson'))).toBe(false);
  });

  it('needs no confirmation with --yes', async () => {
    const service = await startImportService();
    const noPrompts = scriptedPrompter();
    const yes = await service.run(['campaigns', '-f', service.file('a.csv', rows(1)), '--yes'], {
      columns: 80,
      answers: noPrompts,
    });
    expect(yes.code).toBe(0);
    expect(await service.stored()).toHaveLength(1);
  });

  it('is shown by --dry-run, which creates nothing', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(3));
    const people = await service.run(['campaigns', '-f', file, '--dry-run']);
    expect(people).toMatchObject({ code: 0, stdout: '' });
    expect(people.stderr).toContain(
      'Create 3 campaigns from x.csv in Initech Audio (organization 7):\n  NAME   COUNTRIES  CPM  CURRENCY  STATUS\n  Row 1  US         1    usd       draft\n',
    );
    expect(people.stderr).toContain('Dry run: nothing was created.');
    const programs = await service.run(['campaigns', '-f', file, '--dry-run', '--json']);
    expect(JSON.parse(programs.stdout)).toEqual(
      [1, 2, 3].map((row) => ({ row, line: row + 1, name: `Row ${row}`, state: 'pending' })),
    );
    expect(await service.stored()).toEqual([]);
    expect(existsSync(join(service.folder, 'x.import.ndjson'))).toBe(false);
  });

  it('shows what new collabs get from the organization as (default)', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', 'name,countries\nSpring looks,"DE,AT"\nSummer looks,\n');
    const { stderr } = await service.run(['collabs', file, '--dry-run']);
    expect(stderr.split('\n').slice(1, 4)).toEqual([
      '  NAME          COUNTRIES  CURRENCY   STATE',
      '  Spring looks  DE,AT      (default)  draft',
      '  Summer looks  (default)  (default)  draft',
    ]);
  });

  it('warns which names exist already', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(3));
    await service.run(['campaigns', '-f', file]);
    const { code, stderr } = await service.run([
      'campaigns',
      '-f',
      file,
      '--report',
      join(service.folder, 'again.ndjson'),
    ]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: Initech Audio already has campaign 48 "Row \d", campaign 49 "Row \d", campaign 50 "Row \d"\. The import creates another campaign for each of these names\.$/m,
    );
    expect(await service.stored()).toHaveLength(6);
  });
});

describe('the output at 80 columns', () => {
  it.each<[string, string, readonly string[], number]>([
    [
      'problems',
      'Titel,CPM amount,countries,website\nAutumn glow,"7,50","US, us",acme.example\n,700,US,\n',
      ['--map', 'Titel=name'],
      2,
    ],
    ['unknown-columns', 'Titel,cpm,Notes\nAutumn glow,700,ask Mia\n', [], 2],
    ['rejected-rows', withBadRow(3, 2), ['--yes', '--continue-on-error'], 9],
  ])('%s', async (name, text, flags, exit) => {
    const service = await startImportService();
    service.file('campaigns.csv', text);
    const terminal = { columns: 80, answers: scriptedPrompter() };
    const { code, stderr } = await inFolder(service, () =>
      service.run(['campaigns', '-f', 'campaigns.csv', ...flags], terminal),
    );
    expect(code).toBe(exit);
    await expect(withoutProgress(stderr)).toMatchFileSnapshot(`goldens/import-${name}-80-columns.txt`);
  });
});

describe('the result', () => {
  it('is printed as JSON, NDJSON or a table, and not at all with --quiet', async () => {
    const service = await startImportService();
    const json = await service.run(['campaigns', '-f', service.file('a.csv', rows(2)), '--json']);
    expect(json).toMatchObject({ code: 0 });
    const ids = (await service.stored()).map(({ id }) => id);
    const data = JSON.parse(json.stdout) as { id: number }[];
    expect(data).toMatchObject([
      { row: 1, line: 2, name: 'Row 1', state: 'created' },
      { row: 2, line: 3, name: 'Row 2', state: 'created' },
    ]);
    expect(data.map(({ id }) => id).sort()).toEqual(ids);
    const ndjson = await service.run([
      'campaigns',
      '-f',
      service.file('b.csv', rows(2)),
      '--format',
      'ndjson',
      '--fields',
      'line,state',
    ]);
    expect(ndjson.stdout).toBe('{"line":2,"state":"created"}\n{"line":3,"state":"created"}\n');
    const quiet = await service.run(['campaigns', '-f', service.file('c.csv', 'name\nQuiet\n'), '--quiet']);
    expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' });
    const table = await service.run([
      'campaigns',
      '-f',
      service.file('d.csv', 'name\nTable\n'),
      '--quiet',
      '--fields',
      'line,name,state',
    ]);
    expect(table.stdout).toBe('LINE  NAME   STATE\n   2  Table  created\n');
    const wrong = await service.run([
      'campaigns',
      '-f',
      service.file('e.csv', rows(1)),
      '--json',
      '--fields',
      'nothing',
    ]);
    expect(wrong.code).toBe(2);
  });

  it('is logged in a report without secrets', async () => {
    const service = await startImportService();
    await service.run(['campaigns', '-f', service.file('x.csv', rows(2))]);
    const text = service.read('x.import.ndjson');
    expect(text).not.toContain(tokens.ada_write);
    const [header, run, ...lines] = linesOf(text);
    expect(header).toMatchObject({ mkt_import: 1, noun: 'campaigns', organization: '7', service: service.url });
    expect(run).toMatchObject({ run: 1, rows: 2, existing: [] });
    expect(lines.map(({ row, state }) => `${row} ${state}`).sort()).toEqual([
      '1 created',
      '1 sent',
      '2 created',
      '2 sent',
    ]);
  });
});

it('masks the token in messages of the service, also in the report', async () => {
  const service = await startImportService();
  const url = await scriptedServer(({ method, headers }) =>
    method === 'POST'
      ? { status: 422, body: { errors: { name: [`Not with ${headers.authorization?.replace('Bearer ', '')}`] } } }
      : { body: [], headers: { 'total-count': '0', 'total-pages': '1' } },
  );
  const { code, stderr } = await service.run(['campaigns', '-f', service.file('x.csv', rows(1))], {
    env: { MKT_BASE_URL: url },
  });
  expect(code, stderr).toBe(6);
  expect(stderr).toContain('x.csv:2 "Row 1": Not with');
  expect(`${stderr}${service.read('x.import.ndjson')}`).not.toContain(tokens.ada_write);
});

describe('a row that the service rejects', () => {
  it('stops the import with exit code 9, its line and the message of the service', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', withBadRow(30, 7));
    const { code, stdout, stderr } = await service.run(['campaigns', '-f', file]);
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    const created = (await service.stored()).length;
    expect(created).toBeLessThan(30);
    expect(stderr).toContain(
      `error: Created ${created} of 30 campaigns in Initech Audio. ${29 - created} were not sent.`,
    );
    expect(stderr).toContain(
      '  x.csv:8 "Row 7": Min payout amount must be at most the max payout amount, which is 10000.\n',
    );
    expect(stderr).toContain(
      'Correct the rows in x.csv, then: mkt import campaigns --file x.csv --resume x.import.ndjson',
    );
  });

  it('does not stop the others with --continue-on-error, and is created by --resume when corrected', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', withBadRow(30, 7));
    const first = await service.run(['campaigns', '-f', file, '--continue-on-error', '--json']);
    expect(first.code).toBe(9);
    expect(await service.stored()).toHaveLength(29);
    const data = JSON.parse(first.stdout) as { state: string }[];
    expect(data.map(({ state }) => state)).toEqual(
      Array.from({ length: 30 }, (_, row) => (row === 6 ? 'failed' : 'created')),
    );
    const { error } = JSON.parse(first.stderr);
    expect(error).toMatchObject({
      code: 'partly_done',
      exitCode: 9,
      results: [{ row: 7, line: 8, state: 'failed', code: 'rejected' }],
    });

    service.file('x.csv', `${withBadRow(30, 0)}\nRow 31,901`);
    const second = await service.run(['campaigns', '-f', file, '--resume', join(service.folder, 'x.import.ndjson')]);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).toContain('Create 2 campaigns from x.csv');
    expect(second.stderr).toContain('Skipping 29 rows already created.');
    expect(second.stderr).toContain('Every row of x.csv has been created in Initech Audio');
    expect((await service.stored()).map(({ name }) => name).sort()).toEqual(
      Array.from({ length: 31 }, (_, row) => `Row ${row + 1}`).sort(),
    );
  });

  it('determines the exit code if nothing was created', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', withBadRow(1, 1));
    const { code, stdout, stderr } = await service.run(['campaigns', '-f', file, '--json']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'rejected',
      exitCode: 6,
      results: [{ line: 2, state: 'failed' }],
    });
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['a read-only token', { MKT_TOKEN: tokens.ada_read }, 4, 'is read-only'],
    ['a member', { MKT_TOKEN: tokens.cleo_write, MKT_ORG: '5' }, 5, 'You are not allowed to create campaigns'],
  ])('stops the import despite --continue-on-error if the reason is %s', async (_who, env, exit, message) => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(30));
    const { code, stderr } = await service.run(['campaigns', '-f', file, '--continue-on-error'], { env });
    expect(code).toBe(exit);
    expect(stderr).toContain(message);
    // Only the requests that were in flight.
    expect(linesOf(service.read('x.import.ndjson')).filter(({ state }) => state === 'sent').length).toBeLessThanOrEqual(
      4,
    );
  });

  it.each([
    [404, 'stops'],
    [302, 'stops'],
    [413, 'continues'],
  ])('with status %i %s with --continue-on-error', async (status, result) => {
    const service = await startImportService();
    const url = await scriptedServer(({ method }) =>
      method === 'POST'
        ? { status, body: {}, headers: { location: '/elsewhere' } }
        : { body: [], headers: { 'total-count': '0', 'total-pages': '1' } },
    );
    const file = service.file('x.csv', rows(30));
    const { code } = await service.run(['campaigns', '-f', file, '--continue-on-error'], {
      env: { MKT_BASE_URL: url },
    });
    expect(code).not.toBe(0);
    const sent = linesOf(service.read('x.import.ndjson')).filter(({ state }) => state === 'sent').length;
    if (result === 'stops') expect(sent).toBeLessThanOrEqual(4);
    else expect(sent).toBe(30);
  });

  it('creates no report if the service cannot be reached', async () => {
    const service = await startImportService();
    const { code } = await service.run(['campaigns', '-f', service.file('x.csv', rows(3))], {
      env: { MKT_BASE_URL: 'http://127.0.0.1:1' },
    });
    expect(code).toBe(8);
    expect(existsSync(join(service.folder, 'x.import.ndjson'))).toBe(false);
  });
});
