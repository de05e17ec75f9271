import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type ImportService, linesOf, startImportService } from './support/import.js';
import { crash, expected, names, rows, whole } from './support/import-report.js';
import { scriptedPrompter } from './support/prompter.js';
import { runCli } from './support/run-cli.js';

vi.setConfig({ testTimeout: 60_000 });

const resume = (service: ImportService, file: string, ...more: string[]) =>
  service.run(['campaigns', '-f', file, '--resume', join(service.folder, 'x.import.ndjson'), ...more]);

describe('a second import of a file', () => {
  it('is rejected while a report exists, with the commands to resume or to start again', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(3));
    await service.run(['campaigns', '-f', file, '--map', 'cpm_amount=']);
    const again = await service.run(['campaigns', '-f', file, '--map', 'cpm_amount=']);
    expect(again.code).toBe(2);
    expect(again.stderr).toBe(
      [
        'error: x.csv has already been imported: x.import.ndjson lists all 3 rows as created. Nothing was created.',
        '  try:  To create all rows again: mkt import campaigns --file x.csv --map cpm_amount= --report x.import-2.ndjson',
        '',
      ].join('\n'),
    );
    service.file('x.csv', rows(4));
    const changed = await service.run(['campaigns', '-f', file]);
    expect(changed.stderr).toContain('x.import.ndjson is the report of an import of x.csv with 3 of 3 rows created.');
    expect(changed.stderr).toContain(
      'To import the rest, with corrected and added rows: mkt import campaigns --file x.csv --resume x.import.ndjson\n',
    );
    expect(await service.stored()).toHaveLength(3);
  });

  it('with --dry-run shows the plan and a warning while a report exists', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(3));
    await service.run(['campaigns', '-f', file]);
    const report = service.read('x.import.ndjson');
    service.file('x.import-2.ndjson', '');
    const { code, stderr } = await service.run(['campaigns', '-f', file, '--dry-run']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        'warning: x.csv has already been imported: x.import.ndjson lists all 3 rows as created.\n  To create all rows again: mkt import campaigns --file x.csv --report x.import-3.ndjson\n',
      ),
    });
    expect(stderr).toContain('Create 3 campaigns from x.csv');
    expect(stderr).toContain('Dry run: nothing was created.');
    expect(service.read('x.import.ndjson')).toBe(report);
    const data = await service.run(['campaigns', '-f', file, '--dry-run', '--json']);
    expect(data).toMatchObject({ code: 0, stderr: 'Dry run: nothing was created.\n' });
    expect(JSON.parse(data.stdout)).toHaveLength(3);
    expect(await service.stored()).toHaveLength(3);
  });

  it('into another organization suggests another report, and not to resume', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(3));
    await service.run(['campaigns', '-f', file]);
    const { code, stderr } = await service.run(['campaigns', '-f', file, '--org', '5']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: [
        `error: x.import.ndjson is the report of an import of x.csv as campaigns of organization 7 at ${service.url} with 3 of 3 rows created. Nothing was created.`,
        '  try:  To create all rows: mkt import campaigns --org 5 --file x.csv --report x.import-2.ndjson',
        '',
      ].join('\n'),
    });
    const report = join(service.folder, 'x.import-2.ndjson');
    expect((await service.run(['campaigns', '--org', '5', '--file', file, '--report', report])).code).toBe(0);
  });

  it('with --resume does nothing if all rows are created', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(3));
    await service.run(['campaigns', '-f', file]);
    const { code, stderr, stdout } = await resume(service, file, '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(3);
    const answers = scriptedPrompter();
    const report = join(service.folder, 'x.import.ndjson');
    const asked = await service.run(['campaigns', '-f', file, '--resume', report], { columns: 80, answers });
    expect(asked).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Every row of x\.csv has been created/) });
    expect(answers.asked).toEqual([]);
    const dry = await resume(service, file, '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      stderr: 'Every row of x.csv has already been created.\nDry run: nothing was created.\n',
    });
    expect(await service.stored()).toHaveLength(3);
  });

  it('is rejected if the first one sent no row, and --resume starts it', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(3));
    await service.run(['campaigns', '-f', file]);
    crash(service, (lines) => whole(lines.slice(0, 1)));
    const { code, stderr } = await service.run(['campaigns', '-f', file]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        'x.import.ndjson is the report of an import of x.csv that has not sent a row yet. Nothing was',
      ),
    });
    expect((await resume(service, file)).code).toBe(0);
    expect(await service.stored()).toHaveLength(6);
  });
});

describe('--resume rejects', () => {
  it.each<[string, (service: ImportService) => Promise<{ code: number; stderr: string }>, string]>([
    [
      'another file',
      (service) =>
        resume(
          service,
          service.file(
            'y.csv',
            rows(3, (row) => `Other ${row}`),
          ),
        ),
      'row 1 (line 2) was created with other values',
    ],
    [
      'a file whose created rows have moved',
      (service) => resume(service, service.file('x.csv', rows(3).replace('Row 1,1\n', ''))),
      'row 1 (line 2) was created with other values',
    ],
    [
      'another organization',
      (service) => resume(service, join(service.folder, 'x.csv'), '--org', '5'),
      'its organization is 7, not 5',
    ],
    [
      'another service',
      (service) =>
        resume(service, join(service.folder, 'x.csv'), '--base-url', service.url.replace('127.0.0.1', 'localhost')),
      'its service is http://127.0.0.1',
    ],
    [
      'another resource',
      (service) =>
        service.run([
          'collabs',
          '-f',
          service.file('x.csv', 'name\nRow 1\n'),
          '--resume',
          join(service.folder, 'x.import.ndjson'),
        ]),
      'its resource is campaigns, not collabs',
    ],
    [
      'other columns',
      (service) => resume(service, join(service.folder, 'x.csv'), '--map', 'cpm_amount='),
      'its --map is empty, not cpm_amount=',
    ],
    [
      'a file that is not a report',
      (service) =>
        service.run(['campaigns', '-f', join(service.folder, 'x.csv'), '--resume', join(service.folder, 'x.csv')]),
      'x.csv is not a report of mkt import.',
    ],
    [
      'a damaged report',
      (service) => {
        const lines = service.read('x.import.ndjson').split('\n');
        lines[3] = '{"row":1,"li';
        service.file('x.import.ndjson', lines.join('\n'));
        return resume(service, join(service.folder, 'x.csv'));
      },
      'x.import.ndjson:4 is damaged',
    ],
    [
      'a report that was edited',
      (service) => {
        service.file(
          'x.import.ndjson',
          service.read('x.import.ndjson').replace('"input_format":"csv"', '"input_format":"xml"'),
        );
        return resume(service, join(service.folder, 'x.csv'));
      },
      'x.import.ndjson is not a report of mkt import.',
    ],
    [
      'a report of a newer version',
      (service) => {
        service.file('x.import.ndjson', service.read('x.import.ndjson').replace('"mkt_import":1', '"mkt_import":2'));
        return resume(service, join(service.folder, 'x.csv'));
      },
      'was written by a newer mkt',
    ],
  ])('%s', async (_what, run, message) => {
    const service = await startImportService();
    await service.run(['campaigns', '-f', service.file('x.csv', rows(3))]);
    const { code, stderr } = await run(service);
    expect(code, stderr).toBe(2);
    expect(stderr).toContain(message);
    expect(await service.stored()).toHaveLength(3);
    expect(await service.stored('collabs')).toHaveLength(0);
  });
});

describe('--resume after a crash', () => {
  it('finds created rows, and does not create them again', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(6));
    await service.run(['campaigns', '-f', file]);
    // The responses to rows 2 and 5 were not logged.
    crash(service, (lines) => whole(lines.filter((line) => !/"row":[25],.*"created"/.test(line))));
    const { code, stderr } = await resume(service, file);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Searching Initech Audio first for 2 rows whose responses were lost.');
    expect(await names(service)).toEqual(expected(6));
    const ids = linesOf(service.read('x.import.ndjson')).flatMap(({ state, id }) =>
      state === 'created' ? [String(id)] : [],
    );
    expect(new Set(ids).size).toBe(6);
  });

  it('creates rows that the service never got', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(6));
    await service.run(['campaigns', '-f', file]);
    const gone = (await service.stored()).find(({ name }) => name === 'Row 4');
    await runCli(['campaigns', 'delete', String(gone?.id), '--yes'], { env: service.env });
    crash(service, (lines) => whole(lines.filter((line) => !/"row":4,.*"created"/.test(line))));
    expect((await resume(service, file)).code).toBe(0);
    expect(await names(service)).toEqual(expected(6));
  });

  it.each(['{"row":6,"line":7,"state":"crea', '{"row":7,"line":8,"state":"se', '\n'])(
    'ignores an incomplete last line (%j)',
    async (torn) => {
      const service = await startImportService();
      const file = service.file('x.csv', rows(6));
      await service.run(['campaigns', '-f', file]);
      crash(service, (lines) => [
        ...whole(lines.filter((line) => !/"row":6,.*"created"/.test(line))),
        ...(torn === '\n' ? [] : [torn]),
      ]);
      const { code, stderr } = await resume(service, file);
      expect(code, stderr).toBe(0);
      expect(await names(service)).toEqual(expected(6));
      expect(linesOf(service.read('x.import.ndjson')).at(-1)).toMatchObject({ row: 6, state: 'created' });
    },
  );

  it.each(['', '{"mkt_im', '{"mkt_import":1,"mkt":"0.1'])(
    'treats a report with an incomplete first line (%j) as new',
    async (begun) => {
      const service = await startImportService();
      const file = service.file('x.csv', rows(2));
      service.file('x.import.ndjson', begun);
      expect((await service.run(['campaigns', '-f', file])).code).toBe(0);
      expect(await names(service)).toEqual(expected(2));
    },
  );

  it('does not mistake an older resource for a row', async () => {
    const service = await startImportService();
    await runCli(['campaigns', 'create', '--name', 'Row 1', '--cpm-amount', '1'], { env: service.env });
    const file = service.file('x.csv', rows(1));
    await service.run(['campaigns', '-f', file]);
    const [, second] = await service.stored();
    await runCli(['campaigns', 'delete', String(second?.id), '--yes'], { env: service.env });
    crash(service, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    expect((await resume(service, file)).code).toBe(0);
    expect(await names(service)).toEqual(['Row 1', 'Row 1']);
  });

  it('assigns one resource to each of several equal rows', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', 'name,cpm_amount\nTwin,1\nTwin,1\nTwin,1\nTwin,2\n');
    await service.run(['campaigns', '-f', file]);
    const [gone] = (await service.stored()).filter(({ cpm_amount }) => cpm_amount === 1);
    await runCli(['campaigns', 'delete', String(gone?.id), '--yes'], { env: service.env });
    crash(service, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const { code, stderr } = await resume(service, file);
    expect(code, stderr).toBe(0);
    expect((await service.stored()).map(({ cpm_amount }) => cpm_amount).sort()).toEqual([1, 1, 1, 2]);
    const ids = linesOf(service.read('x.import.ndjson')).flatMap(({ state, id }) =>
      state === 'created' ? [String(id)] : [],
    );
    expect(new Set(ids).size).toBe(4);
  });

  it('matches the row with more fields first, if names are equal', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', 'name,cpm_amount\nTwin,\nTwin,1\n');
    await service.run(['campaigns', '-f', file]);
    // The row without an amount never arrived; the resource of the other row matches it, too.
    const gone = (await service.stored()).find(({ cpm_amount }) => cpm_amount === 500);
    await runCli(['campaigns', 'delete', String(gone?.id), '--yes'], { env: service.env });
    crash(service, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const { code, stderr } = await resume(service, file);
    expect(code, stderr).toBe(0);
    expect((await service.stored()).map(({ cpm_amount }) => cpm_amount).sort()).toEqual([1, 500]);
  });

  it('finds rows that differ only in their briefs, and reports when it cannot tell which is missing', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', 'name,brief\nTwin,<p>one</p>\nTwin,<p>two</p>\n');
    await service.run(['campaigns', '-f', file]);
    crash(service, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const report = service.read('x.import.ndjson');
    expect((await resume(service, file)).code).toBe(0);
    expect(await service.stored()).toHaveLength(2);

    service.file('x.import.ndjson', report);
    const [one] = await service.stored();
    await runCli(['campaigns', 'delete', String(one?.id), '--yes'], { env: service.env });
    const { code, stderr } = await resume(service, file);
    expect(code).toBe(8);
    expect(stderr).toMatch(/x\.csv:2 "Twin": No response arrived. It may be campaign \d+ in Initech Audio\./);
    expect(await service.stored()).toHaveLength(1);
  });

  it('leaves several candidates to the user, and accepts the only one that remains', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(2));
    await service.run(['campaigns', '-f', file]);
    // Another user created the same meanwhile.
    await runCli(['campaigns', 'create', '--name', 'Row 2', '--cpm-amount', '2'], { env: service.env });
    crash(service, (lines) => whole(lines.filter((line) => !/"row":2,.*"created"/.test(line))));
    const { code, stderr } = await resume(service, file);
    expect(code).toBe(9);
    expect(stderr).toMatch(/x\.csv:3 "Row 2": No response arrived. It may be campaign \d+ or \d+ in Initech Audio\./);
    expect(stderr).toContain('delete duplicates');
    expect(await service.stored()).toHaveLength(3);
    const surplus = (await service.stored()).at(-1);
    await runCli(['campaigns', 'delete', String(surplus?.id), '--yes'], { env: service.env });
    expect((await resume(service, file)).code).toBe(0);
    expect(await names(service)).toEqual(expected(2));
  });

  it('does not create a row again after its resource was changed', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(1));
    await service.run(['campaigns', '-f', file]);
    const [made] = await service.stored();
    await runCli(['campaigns', 'update', String(made?.id), '--cpm-amount', '9'], { env: service.env });
    crash(service, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const { code, stderr } = await resume(service, file);
    expect(code, stderr).toBe(8);
    expect(stderr).toContain('It may be campaign ');
    expect(await service.stored()).toHaveLength(1);
  });

  it('finds collabs that have no names', async () => {
    const service = await startImportService();
    const file = service.file(
      'x.csv',
      'website,requires_product_shipment\nhttps://a.example,true\nhttps://b.example,\n',
    );
    await service.run(['collabs', '-f', file]);
    crash(service, (lines) => whole(lines.filter((line) => !line.includes('"created"'))));
    const again = await service.run(['collabs', '-f', file, '--resume', join(service.folder, 'x.import.ndjson')]);
    expect(again.code, again.stderr).toBe(0);
    expect(await service.stored('collabs')).toHaveLength(2);
  });
});

describe('the lock of a report', () => {
  const holder = (pid: number, host = hostname()): string => JSON.stringify({ pid, host, nonce: 'abc' });

  it('of a running process is respected', async () => {
    const service = await startImportService();
    const file = service.file('x.csv', rows(2));
    service.file('x.import.ndjson.lock', holder(process.ppid));
    const { code, stderr } = await service.run(['campaigns', '-f', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('Another import is using x.import.ndjson');
    expect(stderr).toContain('rm x.import.ndjson.lock');
    expect(await service.stored()).toEqual([]);
  });

  it('of another computer is respected', async () => {
    const service = await startImportService();
    service.file('x.import.ndjson.lock', holder(1, 'elsewhere'));
    expect((await service.run(['campaigns', '-f', service.file('x.csv', rows(2))])).code).toBe(2);
  });

  it('is respected while it is empty', async () => {
    const service = await startImportService();
    service.file('x.import.ndjson.lock', '');
    const { code, stderr } = await service.run(['campaigns', '-f', service.file('x.csv', rows(2))]);
    expect(code).toBe(2);
    expect(stderr).toContain('Another import is using x.import.ndjson. Nothing was created.');
    expect(await service.stored()).toEqual([]);
  });

  it('of a process that has ended is taken over', async () => {
    const service = await startImportService();
    // No system gives numbers as high as this one.
    service.file('x.import.ndjson.lock', holder(2 ** 30));
    expect((await service.run(['campaigns', '-f', service.file('x.csv', rows(2))])).code).toBe(0);
    expect(existsSync(join(service.folder, 'x.import.ndjson.lock'))).toBe(false);
  });
});

it.each([
  ['.', /error: \. is not a file, so it cannot be the report\.\n/],
  ['', /error: --report is empty\.\n/],
])('rejects %j as a report', async (report, message) => {
  const service = await startImportService();
  const file = service.file('x.csv', 'name\nx\n');
  const { code, stderr } = await service.run(['campaigns', '-f', file, '--report', report]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  expect(await service.stored()).toEqual([]);
});

it('creates nothing if the report cannot be written', async () => {
  const service = await startImportService();
  const file = service.file('x.csv', rows(2));
  const { code, stderr } = await service.run([
    'campaigns',
    '-f',
    file,
    '--report',
    join(service.folder, 'no/such/report.ndjson'),
  ]);
  expect(code, stderr).toBe(1);
  expect(stderr).toContain('The report cannot be written in no/such: the folder does not exist. Nothing was created.');
  expect(await service.stored()).toEqual([]);
});
