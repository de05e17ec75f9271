import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startImportService } from './support/import.js';
import { runCli } from './support/run-cli.js';

const TWO = [
  { name: 'Autumn glow', cpm_amount: 700, countries: ['US', 'CA'] },
  { name: 'Winter balm', cpm_amount: 500, countries: ['DE'] },
];

describe('reads rows from', () => {
  it.each<[string, string]>([
    ['rows.csv', 'name,cpm_amount,countries\nAutumn glow,700,"US,CA"\nWinter balm,,DE\n'],
    ['semicolons.csv', 'name;cpm_amount;countries\r\nAutumn glow;700;US, CA\r\nWinter balm;;DE\r\n;;\r\n'],
    ['tabs.csv', '\ufeffname\tcpm_amount\tcountries\nAutumn glow\t700\tUS,CA\n\nWinter balm\t\tDE'],
    ['excel.csv', 'sep=;\r\nName;CPM amount;Countries\r\n"Autumn glow";700;"US;CA"\r\nWinter balm;;DE\r\n'],
    ['rows.tsv', 'name\tcpm_amount\tcountries\nAutumn glow\t700\tUS,CA\nWinter balm\t\tDE\n'],
    ['rows.json', JSON.stringify(TWO, null, 2)],
    ['one-line.json', JSON.stringify(TWO)],
    ['rows.xls', 'name\tcpm_amount\tcountries\nAutumn glow\t700\tUS,CA\nWinter balm\t\tDE\n'],
    ['rows', JSON.stringify(TWO)],
    ['rows.ndjson', `\r\n${TWO.map((row) => JSON.stringify(row)).join('\r\n\r\n')}\r\n`],
    ['misnamed.json', TWO.map((row) => JSON.stringify(row)).join('\n')],
    [
      'rows.yaml',
      '- name: Autumn glow\n  cpm_amount: 700\n  countries: [US, CA]\n- name: Winter balm\n  countries: [DE]\n',
    ],
  ])('%s', async (name, text) => {
    const service = await startImportService();
    const { code, stdout, stderr } = await service.run(['campaigns', '-f', service.file(name, text)]);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Created 2 campaigns in Initech Audio as drafts.');
    const stored = await service.stored();
    const byName = [...stored].sort((one, other) => one.name.localeCompare(other.name));
    expect(byName).toMatchObject(TWO);
    expect(byName.map(({ status }) => status)).toEqual(['draft', 'draft']);
  });

  it.each<[string, string, string[]]>([
    ['csv', 'name,cpm_amount\nAutumn glow,700\n', []],
    ['ndjson', '{"name":"Autumn glow","cpm_amount":700}\n', []],
    ['json', '[{"name":"Autumn glow","cpm_amount":700}]', []],
    ['yaml', '- name: Autumn glow\n  cpm_amount: 700\n', []],
    ['yaml, if --input-format says so', '[{name: Autumn glow, cpm_amount: 700}]', ['--input-format', 'yaml']],
  ])('stdin, as %s', async (_what, stdin, flags) => {
    const service = await startImportService();
    const report = join(service.folder, 'report.ndjson');
    const { code, stderr } = await service.run(['campaigns', '-f', '-', '--report', report, ...flags], { stdin });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Created 1 campaign in Initech Audio as a draft. ');
    expect(await service.stored()).toMatchObject([{ name: 'Autumn glow', cpm_amount: 700 }]);
  });

  it.each([
    ['as an argument', ['-']],
    ['as a flag', ['--file', '-']],
  ])('stdin %s', async (_how, argv) => {
    const service = await startImportService();
    const { code, stderr } = await service.run(
      ['campaigns', ...argv, '--report', join(service.folder, 'report.ndjson')],
      {
        stdin: 'name\nAutumn glow\n',
      },
    );
    expect(code, stderr).toBe(0);
    expect(await service.stored()).toMatchObject([{ name: 'Autumn glow' }]);
  });

  it('UTF-16, as some spreadsheets save it', async () => {
    const service = await startImportService();
    const path = service.file('rows.txt', '');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path, Buffer.from('\ufeffname\tcpm_amount\r\nGlühwein 🎄\t700\r\n', 'utf16le'));
    expect((await service.run(['campaigns', '-f', path])).code).toBe(0);
    expect(await service.stored()).toMatchObject([{ name: 'Glühwein 🎄', cpm_amount: 700 }]);
  });

  it.each<[string, Buffer, RegExp]>([
    ['latin1.csv', Buffer.from('name\nAutumn\nCaf\u00e9\n', 'latin1'), /latin1\.csv:3 is not valid UTF-8\./],
    ['utf16.csv', Buffer.from('name\nx\n', 'utf16le'), /utf16\.csv:1 is not text: it contains a NUL byte\./],
    ['book.xlsx', Buffer.from('PK\u0003\u0004rest'), /book\.xlsx cannot be read as an \.xlsx workbook\./],
    [
      'old.xls',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      /old\.xls is a workbook of an old format\.\n {2}try: {2}Save it as/,
    ],
    [
      'protected.xlsx',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      /is protected with a password\.\n {2}try: {2}Save it as \.xlsx, without a password/,
    ],
    ['page.xls', Buffer.from('<html><table><tr><td>name'), /page\.xls is a web page or XML, not a table\./],
    ['sign-in.csv', Buffer.from('\ufeff\n<!DOCTYPE html>\n<html>'), /sign-in\.csv is a web page or XML, not a table\./],
    ['workbook.xls', Buffer.from('<?xml version="1.0"?>\n<Workbook>'), /workbook\.xls is a web page or XML/],
    [
      'report.csv',
      Buffer.from('%PDF-1.7\n1 0 obj\n'),
      /report\.csv is a PDF, not text\.\n {2}try: {2}Save the sheet as "CSV/,
    ],
    ['rows.csv.gz', Buffer.from('1f8b0800', 'hex'), /rows\.csv\.gz is a compressed file, not text\./],
    ['notes.rtf', Buffer.from('{\\rtf1\\ansi name}'), /notes\.rtf is an RTF document, not text\./],
    ['photo.csv', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /photo\.csv is an image, not text\./],
  ])('rejects %s', async (name, bytes, message) => {
    const service = await startImportService();
    const path = service.file(name, '');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path, bytes);
    const { code, stderr } = await service.run(['campaigns', '-f', path]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('imports', () => {
  it.each(['csv', 'tsv', 'xlsx', 'json', 'ndjson', 'yaml'])(
    'exported %s files, including names that spreadsheets misread',
    async (format) => {
      const service = await startImportService();
      const hostile = [
        '=1+1',
        "'=1",
        "'-5",
        'x;=1',
        "x;''+1",
        '＝1',
        '-Dash',
        "'quoted",
        '@mention',
        '-5',
        '"Quotes", commas',
        'Zeile ß 日本 🎉',
        '1E+02',
        '_x0041_',
        'constructor',
        '__proto__',
        'Summer\u200b sale \u200f',
        '  two  spaces  ',
        'two\r\nlines\rthree',
        '여름 캠페인'.normalize('NFD'),
      ];
      const named = service.file('hostile.json', JSON.stringify(hostile.map((name) => ({ name }))));
      expect((await service.run(['campaigns', '--org', '5', '-f', named])).code).toBe(0);
      const path = join(service.folder, `campaigns.${format}`);
      expect((await runCli(['export', 'campaigns', '--org', '5', '--out', path], { env: service.env })).code).toBe(0);
      const { code, stderr } = await service.run(['campaigns', '-f', path]);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain('Skipping read-only columns: id, status,');
      const list = async (org: string) => {
        const { stdout } = await runCli(['campaigns', 'list', '--org', org, '--all', '--json'], { env: service.env });
        const rows = JSON.parse(stdout) as Record<string, unknown>[];
        const fields = ['name', 'countries', 'platform_ids', 'currency', 'cpm_amount', 'max_payout_amount', 'website'];
        return rows.map((row) => JSON.stringify(fields.map((field) => row[field]))).sort();
      };
      const there = await list('7');
      expect(there).toHaveLength(45 + hostile.length);
      expect(there).toEqual(await list('5'));
    },
  );

  it('the briefs of exported campaigns', async () => {
    const service = await startImportService();
    const path = join(service.folder, 'campaigns.csv');
    await runCli(['export', 'campaigns', '--org', '5', '--out', path], { env: service.env });
    expect((await service.run(['campaigns', '-f', path])).code).toBe(0);
    const briefs = async (org: string) => {
      const argv = ['export', 'campaigns', '--org', org, '--format', 'ndjson', '--fields', 'name,brief'];
      return (await runCli(argv, { env: service.env })).stdout.trimEnd().split('\n').sort();
    };
    expect(await briefs('7')).toEqual(await briefs('5'));
    expect((await briefs('7')).filter((line) => line.includes('<p>')).length).toBeGreaterThan(0);
  });

  it('fields without a value from exported JSON', async () => {
    const service = await startImportService();
    const empty = { website: null, brief: null, countries: [], platform_ids: [] };
    const file = service.file('empty.json', JSON.stringify([{ name: 'Empty', ...empty }]));
    expect((await service.run(['campaigns', '--org', '5', file])).code).toBe(0);
    const path = join(service.folder, 'campaigns.json');
    await runCli(['export', 'campaigns', '--org', '5', '--out', path], { env: service.env });
    expect((await service.run(['campaigns', path])).code).toBe(0);
    expect((await service.stored()).find(({ name }) => name === 'Empty')).toMatchObject(empty);
  });

  it('codes in any letter case', async () => {
    const service = await startImportService();
    const csv = service.file('rows.csv', 'name,currency,countries,platform_ids\nOne,USD,"us, Ca",TikTok\n');
    expect((await service.run(['campaigns', csv])).code).toBe(0);
    const fields = { currency: 'EUR', countries: ['de'], platform_ids: ['YouTube'], content_type: 'UGC' };
    const yaml = service.file('rows.yaml', JSON.stringify([{ name: 'Two', ...fields }]));
    expect((await service.run(['campaigns', yaml, '--report', join(service.folder, 'two.ndjson')])).code).toBe(0);
    expect(await service.stored()).toMatchObject([
      { currency: 'usd', countries: ['US', 'CA'], platform_ids: ['tiktok'] },
      { currency: 'eur', countries: ['DE'], platform_ids: ['youtube'], content_type: 'ugc' },
    ]);
  });

  it('true and false in the forms of spreadsheets', async () => {
    const service = await startImportService();
    const rows = ['1,no', '0,YES', 'TRUE,false'].map((cells, row) => `${row},${cells}\n`).join('');
    const path = service.file('collabs.csv', `name,require_spark_ads,requires_product_shipment\n${rows}`);
    expect((await service.run(['collabs', '-f', path])).code).toBe(0);
    const stored = (await service.stored('collabs')).map((row) => [
      row.name,
      row.require_spark_ads,
      row.requires_product_shipment,
    ]);
    expect(stored.sort()).toEqual([
      ['0', true, false],
      ['1', false, true],
      ['2', true, false],
    ]);
  });

  it('exported collabs', async () => {
    const service = await startImportService();
    const path = join(service.folder, 'collabs.csv');
    await runCli(['export', 'collabs', '--org', '5', '--out', path], { env: service.env });
    const { code, stderr } = await service.run(['collabs', '-f', path, '--json']);
    expect(code, stderr).toBe(0);
    const stored = await service.stored('collabs');
    expect(stored).toHaveLength(23);
    expect(stored.every(({ state }) => state === 'draft')).toBe(true);
    expect(stored.some(({ requires_product_shipment }) => requires_product_shipment === true)).toBe(true);
  });
});
