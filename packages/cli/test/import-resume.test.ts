import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type ImportWorld, importWorld, linesOf } from './support/import.js';
import { crash, expected, names, rows, whole } from './support/import-report.js';
import { person } from './support/person.js';
import { runCli } from './support/run-cli.js';

vi.setConfig({ testTimeout: 60_000 });

const resume = (world: ImportWorld, file: string, ...more: string[]) =>
  world.run(['campaigns', '-f', file, '--resume', join(world.folder, 'x.import.ndjson'), ...more]);

describe('a second run', () => {
  it('is rejected while a report exists, with the commands to resume or to start again', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', rows(3));
    await world.run(['campaigns', '-f', file, '--map', 'cpm_amount=']);
    const again = await world.run(['campaigns', '-f', file, '--map', 'cpm_amount=']);
    expect(again.code).toBe(2);
    expect(again.stderr).toBe(
      [
        'error: x.csv has already been imported: x.import.ndjson lists all 3 rows as created. Nothing was created.',
        '  try:  To create all rows again: mkt import campaigns --file x.csv --map cpm_amount= --report x.import-2.ndjson',
        '',
      ].join('\n'),
    );
    expect((await world.run(['campaigns', '-f', file, '--dry-run'])).code).toBe(2);
    world.file('x.csv', rows(4));
    const changed = await world.run(['campaigns', '-f', file]);
    expect(changed.stderr).toContain('x.import.ndjson is the report of an import of x.csv with 3 of 3 rows created.');
    expect(changed.stderr).toContain(
      'To import the rest, with corrected and added rows: mkt import campaigns --file x.csv --resume x.import.ndjson\n',
    );
    expect(await world.kept()).toHaveLength(3);
  });

  it('with --resume has nothing left to do', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', rows(3));
    await world.run(['campaigns', '-f', file]);
    const { code, stderr, stdout } = await resume(world, file, '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(3);
    const answers = person();
    const report = join(world.folder, 'x.import.ndjson');
    const asked = await world.run(['campaigns', '-f', file, '--resume', report], { columns: 80, answers });
    expect(asked).toMatchObject({ code: 0, stderr: expect.stringMatching(/^All 3 rows of x\.csv have been created/) });
    expect(answers.asked).toEqual([]);
    const dry = await resume(world, file, '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      stderr: 'All 3 rows of x.csv have already been created.\nDry run: nothing was created.\n',
    });
    expect(await world.kept()).toHaveLength(3);
  });

  it('after one that ended before its first row is rejected, and --resume starts it', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', rows(3));
    await world.run(['campaigns', '-f', file]);
    crash(world, (lines) => whole(lines.slice(0, 1)));
    const { code, stderr } = await world.run(['campaigns', '-f', file]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        'x.import.ndjson is the report of an import of x.csv that has not sent a row yet. Nothing was',
      ),
    });
    expect((await resume(world, file)).code).toBe(0);
    expect(await world.kept()).toHaveLength(6);
  });
});

describe('--resume refuses', () => {
  it.each<[string, (world: ImportWorld) => Promise<{ code: number; stderr: string }>, string]>([
    [
      'another file',
      (world) =>
        resume(
          world,
          world.file(
            'y.csv',
            rows(3, (row) => `Other ${row}`),
          ),
        ),
      'row 1 (line 2) was created with other values',
    ],
    [
      'a file whose created rows have moved',
      (world) => resume(world, world.file('x.csv', rows(3).replace('Row 1,1\n', ''))),
      'row 1 (line 2) was created with other values',
    ],
    [
      'another organization',
      (world) => resume(world, join(world.folder, 'x.csv'), '--org', '5'),
      'its organization is 7, not 5',
    ],
    [
      'another service',
      (world) =>
        resume(world, join(world.folder, 'x.csv'), '--base-url', world.service.url.replace('127.0.0.1', 'localhost')),
      'its service is http://127.0.0.1',
    ],
    [
      'another noun',
      (world) =>
        world.run([
          'collabs',
          '-f',
          world.file('x.csv', 'name\nRow 1\n'),
          '--resume',
          join(world.folder, 'x.import.ndjson'),
        ]),
      'its resource is campaigns, not collabs',
    ],
    [
      'other columns',
      (world) => resume(world, join(world.folder, 'x.csv'), '--map', 'cpm_amount='),
      'its --map is empty, not cpm_amount=',
    ],
    [
      'a file that is not a report',
      (world) => world.run(['campaigns', '-f', join(world.folder, 'x.csv'), '--resume', join(world.folder, 'x.csv')]),
      'x.csv is not a report of mkt import.',
    ],
    [
      'a damaged report',
      (world) => {
        const lines = world.read('x.import.ndjson').split('\n');
        lines[3] = '{"row":1,"li';
        world.file('x.import.ndjson', lines.join('\n'));
        return resume(world, join(world.folder, 'x.csv'));
      },
      'x.import.ndjson:4 is damaged',
    ],
    [
      'a report that was edited',
      (world) => {
        world.file(
          'x.import.ndjson',
          world.read('x.import.ndjson').replace('"input_format":"csv"', '"input_format":"xml"'),
        );
        return resume(world, join(world.folder, 'x.csv'));
      },
      'x.import.ndjson is not a report of mkt import.',
    ],
    [
      'a report from the future',
      (world) => {
        world.file('x.import.ndjson', world.read('x.import.ndjson').replace('"mkt_import":1', '"mkt_import":2'));
        return resume(world, join(world.folder, 'x.csv'));
      },
      'was written by a newer mkt',
    ],
  ])('%s', async (_what, run, message) => {
    const world = await importWorld();
    await world.run(['campaigns', '-f', world.file('x.csv', rows(3))]);
    const { code, stderr } = await run(world);
    expect(code, stderr).toBe(2);
    expect(stderr).toContain(message);
    expect(await world.kept()).toHaveLength(3);
    expect(await world.kept('collabs')).toHaveLength(0);
  });
});

describe('after a crash', () => {
  it('a row that was sent and created is found, and not created again', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', rows(6));
    await world.run(['campaigns', '-f', file]);
    // The answers to rows 2 and 5 were never written down.
    crash(world, (lines) => whole(lines.filter((line) => !/"row":[25],.*"created"/.test(line))));
    const { code, stderr } = await resume(world, file);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Searching Initech Audio first for 2 rows whose responses were lost.');
    expect(await names(world)).toEqual(expected(6));
    const ids = linesOf(world.read('x.import.ndjson')).flatMap(({ state, id }) =>
      state === 'created' ? [String(id)] : [],
    );
    expect(new Set(ids).size).toBe(6);
  });

  it('a row that was sent and never arrived is created', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', rows(6));
    await world.run(['campaigns', '-f', file]);
    const gone = (await world.kept()).find(({ name }) => name === 'Row 4');
    await runCli(['campaigns', 'delete', String(gone?.id), '--yes'], { env: world.env });
    crash(world, (lines) => whole(lines.filter((line) => !/"row":4,.*"created"/.test(line))));
    expect((await resume(world, file)).code).toBe(0);
    expect(await names(world)).toEqual(expected(6));
  });

  it.each(['{"row":6,"line":7,"state":"crea', '{"row":7,"line":8,"state":"se', '\n'])(
    'ignores a torn last line (%j)',
    async (torn) => {
      const world = await importWorld();
      const file = world.file('x.csv', rows(6));
      await world.run(['campaigns', '-f', file]);
      crash(world, (lines) => [
        ...whole(lines.filter((line) => !/"row":6,.*"created"/.test(line))),
        ...(torn === '\n' ? [] : [torn]),
      ]);
      const { code, stderr } = await resume(world, file);
      expect(code, stderr).toBe(0);
      expect(await names(world)).toEqual(expected(6));
      expect(linesOf(world.read('x.import.ndjson')).at(-1)).toMatchObject({ row: 6, state: 'created' });
    },
  );

  it.each(['', '{"mkt_im', '{"mkt_import":1,"mkt":"0.1'])(
    'takes a report without a whole first line (%j) as new',
    async (begun) => {
      const world = await importWorld();
      const file = world.file('x.csv', rows(2));
      world.file('x.import.ndjson', begun);
      expect((await world.run(['campaigns', '-f', file])).code).toBe(0);
      expect(await names(world)).toEqual(expected(2));
    },
  );

  it('never takes an older resource for a row', async () => {
    const world = await importWorld();
    await runCli(['campaigns', 'create', '--name', 'Row 1', '--cpm-amount', '1'], { env: world.env });
    const file = world.file('x.csv', rows(1));
    await world.run(['campaigns', '-f', file]);
    const [, second] = await world.kept();
    await runCli(['campaigns', 'delete', String(second?.id), '--yes'], { env: world.env });
    crash(world, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    expect((await resume(world, file)).code).toBe(0);
    expect(await names(world)).toEqual(['Row 1', 'Row 1']);
  });

  it('equal rows get a resource each', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', 'name,cpm_amount\nTwin,1\nTwin,1\nTwin,1\nTwin,2\n');
    await world.run(['campaigns', '-f', file]);
    const [gone] = (await world.kept()).filter(({ cpm_amount }) => cpm_amount === 1);
    await runCli(['campaigns', 'delete', String(gone?.id), '--yes'], { env: world.env });
    crash(world, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const { code, stderr } = await resume(world, file);
    expect(code, stderr).toBe(0);
    expect((await world.kept()).map(({ cpm_amount }) => cpm_amount).sort()).toEqual([1, 1, 1, 2]);
    const ids = linesOf(world.read('x.import.ndjson')).flatMap(({ state, id }) =>
      state === 'created' ? [String(id)] : [],
    );
    expect(new Set(ids).size).toBe(4);
  });

  it('matches the row with more fields first, if names are equal', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', 'name,cpm_amount\nTwin,\nTwin,1\n');
    await world.run(['campaigns', '-f', file]);
    // The row without an amount never arrived; the resource of the other row matches it, too.
    const gone = (await world.kept()).find(({ cpm_amount }) => cpm_amount === 500);
    await runCli(['campaigns', 'delete', String(gone?.id), '--yes'], { env: world.env });
    crash(world, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const { code, stderr } = await resume(world, file);
    expect(code, stderr).toBe(0);
    expect((await world.kept()).map(({ cpm_amount }) => cpm_amount).sort()).toEqual([1, 500]);
  });

  it('finds all rows that differ only in their briefs, or says that it cannot tell which is missing', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', 'name,brief\nTwin,<p>one</p>\nTwin,<p>two</p>\n');
    await world.run(['campaigns', '-f', file]);
    crash(world, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const report = world.read('x.import.ndjson');
    expect((await resume(world, file)).code).toBe(0);
    expect(await world.kept()).toHaveLength(2);

    world.file('x.import.ndjson', report);
    const [one] = await world.kept();
    await runCli(['campaigns', 'delete', String(one?.id), '--yes'], { env: world.env });
    const { code, stderr } = await resume(world, file);
    expect(code).toBe(8);
    expect(stderr).toMatch(/x\.csv:2 "Twin": No response arrived. It may be campaign \d+ in Initech Audio\./);
    expect(await world.kept()).toHaveLength(1);
  });

  it('leaves several candidates to the user, and takes the last one that is left', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', rows(2));
    await world.run(['campaigns', '-f', file]);
    // Another user created the same meanwhile.
    await runCli(['campaigns', 'create', '--name', 'Row 2', '--cpm-amount', '2'], { env: world.env });
    crash(world, (lines) => whole(lines.filter((line) => !/"row":2,.*"created"/.test(line))));
    const { code, stderr } = await resume(world, file);
    expect(code).toBe(9);
    expect(stderr).toMatch(/x\.csv:3 "Row 2": No response arrived. It may be campaign \d+ or \d+ in Initech Audio\./);
    expect(stderr).toContain('delete duplicates');
    expect(await world.kept()).toHaveLength(3);
    const surplus = (await world.kept()).at(-1);
    await runCli(['campaigns', 'delete', String(surplus?.id), '--yes'], { env: world.env });
    expect((await resume(world, file)).code).toBe(0);
    expect(await names(world)).toEqual(expected(2));
  });

  it('does not create a row again whose resource was changed', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', rows(1));
    await world.run(['campaigns', '-f', file]);
    const [made] = await world.kept();
    await runCli(['campaigns', 'update', String(made?.id), '--cpm-amount', '9'], { env: world.env });
    crash(world, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const { code, stderr } = await resume(world, file);
    expect(code, stderr).toBe(8);
    expect(stderr).toContain('It may be campaign ');
    expect(await world.kept()).toHaveLength(1);
  });

  it('collabs without names are found too', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', 'website,requires_product_shipment\nhttps://a.example,true\nhttps://b.example,\n');
    await world.run(['collabs', '-f', file]);
    crash(world, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const again = await world.run(['collabs', '-f', file, '--resume', join(world.folder, 'x.import.ndjson')]);
    expect(again.code, again.stderr).toBe(0);
    expect(await world.kept('collabs')).toHaveLength(2);
  });
});

describe('a report in use', () => {
  const holder = (pid: number, host = hostname()): string => JSON.stringify({ pid, host, nonce: 'abc' });

  it('by a running process is not touched', async () => {
    const world = await importWorld();
    const file = world.file('x.csv', rows(2));
    world.file('x.import.ndjson.lock', holder(process.ppid));
    const { code, stderr } = await world.run(['campaigns', '-f', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('Another import is using x.import.ndjson');
    expect(stderr).toContain('rm x.import.ndjson.lock');
    expect(await world.kept()).toEqual([]);
  });

  it('on another computer is not touched', async () => {
    const world = await importWorld();
    world.file('x.import.ndjson.lock', holder(1, 'elsewhere'));
    expect((await world.run(['campaigns', '-f', world.file('x.csv', rows(2))])).code).toBe(2);
  });

  it('by a process that was killed before it wrote its lock is not touched', async () => {
    const world = await importWorld();
    world.file('x.import.ndjson.lock', '');
    const { code, stderr } = await world.run(['campaigns', '-f', world.file('x.csv', rows(2))]);
    expect(code).toBe(2);
    expect(stderr).toContain('Another import is using x.import.ndjson. Nothing was created.');
    expect(await world.kept()).toEqual([]);
  });

  it('by a process that was killed is taken over', async () => {
    const world = await importWorld();
    // No system gives numbers as high as this one.
    world.file('x.import.ndjson.lock', holder(2 ** 30));
    expect((await world.run(['campaigns', '-f', world.file('x.csv', rows(2))])).code).toBe(0);
    expect(existsSync(join(world.folder, 'x.import.ndjson.lock'))).toBe(false);
  });
});

it.each([
  ['.', /error: \. is not a file, so it cannot be the report\.\n/],
  ['', /error: --report is empty\.\n/],
])('a report cannot be kept in %j', async (report, message) => {
  const world = await importWorld();
  const file = world.file('x.csv', 'name\nx\n');
  const { code, stderr } = await world.run(['campaigns', '-f', file, '--report', report]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  expect(await world.kept()).toEqual([]);
});

it('a report that cannot be written creates nothing', async () => {
  const world = await importWorld();
  const file = world.file('x.csv', rows(2));
  const { code, stderr } = await world.run([
    'campaigns',
    '-f',
    file,
    '--report',
    join(world.folder, 'no/such/report.ndjson'),
  ]);
  expect(code, stderr).toBe(1);
  expect(stderr).toContain('The report cannot be written in no/such: the folder does not exist. Nothing was created.');
  expect(await world.kept()).toEqual([]);
});
