import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it, vi } from 'vitest';
import writeWorkbook, { type SheetData } from 'write-excel-file/node';
import { type ImportService, startImportService } from './support/import.js';
import { bash, bundle, start } from './support/spawn-cli.js';

vi.setConfig({ testTimeout: 120_000 });

/** The file that a shop exports: a row for each variant of a product. Only the first has the title. */
const SHOP = [
  'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Variant SKU,Variant Price,Image Src,Status',
  'glow-serum,Glow Serum,"<p>Vitamin C</p>",Glow Lab,Skincare,"glow, serum",TRUE,GS-30,29.00,https://cdn.example/1.jpg,active',
  'glow-serum,,,,,,,GS-50,45.00,https://cdn.example/2.jpg,',
  'night-cream,Night Cream,"<p>6"" wide</p>",Glow Lab,Skincare,night,TRUE,NC-50,39.00,https://cdn.example/3.jpg,active',
].join('\n');

/** What agencies keep: titles above the column names, an unnamed column, a total, units in cells. */
const TRACKER = [
  'Influencer tracker: Q3, draft;;;;;;',
  'Client: Glow Lab;;;;;;',
  ';;;;;;',
  'Handle;Platform;Markets;Followers;Rate;;Notes',
  '@mia;TikTok + IG;US / CA;120.000;500 €;x;asked Mia',
  '@leo;YouTube;Germany;80.000;750 €;;',
  'Total;;;200.000;1.250 €;;',
].join('\r\n');

/** An ads manager adds two totals, of all campaigns and of the account. */
const ADS = [
  'Campaign name\tDelivery\tResults\tCPM\tMax. payout ($)\tFinal URL\tCampaign budget\tLand\tCurrency\tReporting starts',
  'Summer 6" sale\tactive\t120\t1.50\t9000\thttps://a.example\t1000\tUnited States\tUS$\t2026-06-01',
  'Winter push\tinactive\t80\t1.60\t8000\t\t500\tUnited Kingdom and Ireland\t€\t2026-06-01',
  'Total: Campaigns\t--\t200\t1.55\t--\t--\t--\t--\t--\t--',
  'Total of 2 results\t--\t200\t1.55\t--\t--\t1,500\t--\t--\t--',
].join('\n');

const GERMAN =
  '"Kampagne ""neu""";Länder;  Ziel  URL;Währung\nHerbst;Austria, Germany;https://a.example;Euro\nWinter;CH;;EUR\n';

/** Titles with more than one cell, and no column name that is known. */
const FRENCH = [
  'Suivi des influenceurs\t\t\t',
  'Mise à jour\t12/05/2026\t\t',
  'Nom de la campagne\tPays\tBudget (€)\tAbonnés',
  'Rentrée\tFrance\t1\u202f500,00 €\t12\u00a0000',
  'Total look\tBelgique\t2\u202f000,50 €\t8\u00a0000',
  'Total général\t\t3\u202f500,50 €\t20\u00a0000',
].join('\n');

const MANY = ['Campaign,Market,Owner', ...Array.from({ length: 2000 }, (_, row) => `Row ${row + 1},DE,Mia`)].join('\n');

const text = (content: string): Buffer => Buffer.from(content);
const utf16 = (content: string): Buffer => Buffer.from(`\ufeff${content}`, 'utf16le');
const workbook = async (data: SheetData): Promise<Buffer> => writeWorkbook(data).toBuffer();

interface Kind {
  readonly file: string;
  readonly resource?: 'campaigns' | 'collabs';
  readonly content: Buffer | Promise<Buffer>;
  /** Lines of the first error; none if the file is imported as it is. */
  readonly problems?: readonly string[];
  /** What the import says that it leaves out. */
  readonly notes: readonly string[];
  readonly stored: readonly object[];
}

const kinds: Readonly<Record<string, Kind>> = {
  'the export of a shop': {
    file: 'shop.csv',
    resource: 'collabs',
    content: text(SHOP),
    problems: [
      'shop.csv:1: these columns are not collab fields: "Handle", "Vendor", "Type", "Tags", ',
      '"Body (HTML)" is not a collab field. Did you mean brief?',
      'shop.csv:3: "Title" is empty, but the row has other cells. To leave out such rows, add --skip-continuations.',
    ],
    notes: ['Skipping rows without a name: line 3.', 'Skipping columns: Handle, Vendor, Type, Tags,'],
    stored: [
      { name: 'Glow Serum', brief: '<p>Vitamin C</p>' },
      { name: 'Night Cream', brief: '<p>6" wide</p>' },
    ],
  },
  'the tracker of an agency': {
    file: "Mia's  tracker (Q3).csv",
    content: text(TRACKER),
    problems: [
      'tracker (Q3).csv:4: column 6 has no name.',
      'tracker (Q3).csv:7: this row is a total: it has the sums of the rows above. To leave it out, add --skip-totals.',
    ],
    notes: [
      'Skipping lines 1 to 3 above the column names: "Influencer tracker: Q3, draft".',
      'Reading "Handle" as name, "Markets" as countries, "Platform" as platform_ids.',
      'Skipping the total in line 7.',
    ],
    stored: [
      { name: '@mia', platform_ids: ['tiktok', 'instagram'], countries: ['US', 'CA'] },
      { name: '@leo', platform_ids: ['youtube'], countries: ['DE'] },
    ],
  },
  'the export of an ads manager': {
    file: 'ads.tsv',
    content: text(ADS),
    problems: [
      '"Campaign budget" is not a campaign field. The budget is added on the website after creation.',
      '"CPM" is not a campaign field. As cpm_amount, a cell must be an integer, such as 700, not "1.50".',
      '"Max. payout ($)" is not a campaign field. Did you mean max_payout_amount?',
      '"Final URL" is not a campaign field. Did you mean website?',
      '"Land" is not a campaign field. Did you mean countries?',
      'ads.tsv:4: this row is a total',
      'ads.tsv:5: this row is a total',
    ],
    notes: ['Skipping columns: Delivery, Results, CPM, Campaign budget, Reporting starts.'],
    stored: [
      {
        name: 'Summer 6" sale',
        countries: ['US'],
        currency: 'usd',
        max_payout_amount: 9000,
        website: 'https://a.example',
      },
      { name: 'Winter push', countries: ['GB', 'IE'], currency: 'eur' },
    ],
  },
  'column names in another language, with quotes, umlauts and two spaces': {
    file: 'kampagnen.csv',
    content: utf16(GERMAN.normalize('NFD')),
    problems: ['"Länder" is not a campaign field. Did you mean countries?'],
    notes: ['Skipping columns: Ziel URL.'],
    stored: [
      { name: 'Herbst', countries: ['AT', 'DE'], currency: 'eur' },
      { name: 'Winter', countries: ['CH'], currency: 'eur' },
    ],
  },
  'titles above column names in another language, and a total of another name': {
    file: 'suivi.tsv',
    content: text(FRENCH),
    problems: [
      'suivi.tsv:3: "Pays" is not a campaign field. Did you mean countries?',
      'suivi.tsv:6: this row is a total',
    ],
    notes: ['Skipping lines 1 to 2 above the column names: "Suivi des influenceurs".', 'Skipping the total in line 6.'],
    stored: [
      { name: 'Rentrée', countries: ['FR'] },
      { name: 'Total look', countries: ['BE'] },
    ],
  },
  'collabs whose names have a column with an unknown name': {
    file: 'produkte.csv',
    resource: 'collabs',
    content: text('Produkt;Land;Notiz\nSerum;Deutschland;gut\nCreme;Schweiz;\n'),
    problems: ['produkte.csv:1: "Produkt" is not a collab field.'],
    notes: ['Skipping columns: Notiz.'],
    stored: [{ name: 'Serum' }, { name: 'Creme' }],
  },
  'a workbook with titles, dates, numbers and a total': {
    file: 'plan.xlsx',
    content: workbook([
      [{ value: 'Plan for summer' }],
      [],
      ['Campaign', 'Country', 'cpm_amount', 'Start', 'TikTok music ID', 'Spark\nads'].map((value) => ({ value })),
      [
        { value: 2026 },
        { value: 'France' },
        { value: 700 },
        { value: new Date('2026-06-01'), format: 'd.m.yy' },
        { value: '7012345678901234567' },
        { value: true },
      ],
      [{ value: new Date('2026-06-01'), format: 'd.m.yy' }, { value: 'FR' }, { value: 300 }, null, null, null],
      [{ value: 'TOTAL' }, null, { value: 1000 }],
    ] as SheetData),
    problems: ['"Spark ads" is not a campaign field.', 'plan.xlsx:6: this row is a total'],
    notes: ['Skipping lines 1 to 2 above the column names: "Plan for summer".', 'Skipping columns: Start, Spark ads.'],
    stored: [
      { name: '2026', countries: ['FR'], cpm_amount: 700, tiktok_music_id: '7012345678901234567' },
      { name: '2026-06-01', countries: ['FR'], cpm_amount: 300 },
    ],
  },
  'text between tabs with quotes that mean themselves': {
    file: 'ads.csv',
    content: utf16('Campaign\tLanding Page URL\nPMax "All"\thttps://a.example\n'),
    notes: ['Reading "Campaign" as name, "Landing Page URL" as website.'],
    stored: [{ name: 'PMax "All"', website: 'https://a.example' }],
  },
  'bars between cells': {
    file: 'bars.csv',
    content: text('Title|Countries\nA, B; C|"Trinidad & Tobago, UK"\nTotal|\n'),
    notes: [],
    stored: [{ name: 'A, B; C', countries: ['TT', 'GB'] }, { name: 'Total' }],
  },
};

const importKind = async (service: ImportService, { file, resource = 'campaigns', content }: Kind) => {
  writeFileSync(join(service.folder, file), await content);
  return service.run([resource, '-f', join(service.folder, file)]);
};

describe('imports files as people have them', () => {
  it.each(Object.entries(kinds))('%s', async (_name, kind) => {
    const service = await startImportService();
    let { code, stderr }: { code: number | null; stderr: string } = await importKind(service, kind);
    if (kind.problems !== undefined) {
      expect(code, stderr).toBe(2);
      for (const problem of kind.problems) expect(stderr).toContain(problem);
      // The advice, pasted into a shell.
      const advice = stderr.split('\n').find((line) => line.includes('mkt import ')) ?? '';
      const command = advice.replace(/^.*?(?=mkt import )/, '').replace(/(?<= --file '?)/, `${service.folder}/`);
      ({ code, stderr } = await bash(`${command} --yes`, service.env));
    }
    expect(code, stderr).toBe(0);
    for (const note of kind.notes) expect(stderr).toContain(note);
    const stored = [...(await service.stored(kind.resource))].sort((one, other) => one.id - other.id);
    expect(stored).toHaveLength(kind.stored.length);
    expect(stored).toMatchObject(kind.stored);
  });

  it('2,000 rows in the order of the file with --in-order', { tags: ['long'] }, async () => {
    const service = await startImportService();
    const { code, stderr } = await service.run([
      'campaigns',
      service.file('many.csv', MANY),
      '--in-order',
      '--map',
      '*=',
    ]);
    expect(code, stderr).toBe(0);
    const stored = [...(await service.stored())].sort((one, other) => one.id - other.id);
    expect(stored.map(({ name }) => name)).toEqual(Array.from({ length: 2000 }, (_, row) => `Row ${row + 1}`));
  });
});

const SHEET = 'xl/worksheets/sheet1.xml';

describe('a workbook', () => {
  /** A workbook with other content in its first sheet. */
  const withSheet = async (change: (xml: string) => string): Promise<Buffer> => {
    const parts = unzipSync(await workbook([[{ value: 'Title' }], [{ value: 'One' }]]));
    const sheet = strToU8(change(strFromU8(parts[SHEET] ?? new Uint8Array())));
    return Buffer.from(zipSync({ ...parts, [SHEET]: sheet }, { level: 1 }));
  };
  const bomb = () => withSheet((xml) => xml.replace('</sheetData>', `${' '.repeat(65 * 1024 * 1024)}</sheetData>`));

  /** The same archive with another size for its sheet, where unpackers look for it. */
  const lying = (bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes);
    const name = Buffer.from(SHEET);
    for (let at = copy.indexOf(name); at >= 0; at = copy.indexOf(name, at + 1)) {
      const isCentral = at >= 46 && copy.readUInt32LE(at - 46) === 0x02014b50;
      copy.writeUInt32LE(1000, isCentral ? at - 46 + 24 : at - 30 + 22);
    }
    return copy;
  };

  it.each<[string, () => Buffer | Promise<Buffer>, string]>([
    ['that unpacks to more than 64 MiB', bomb, 'x.xlsx is too large for a workbook: its sheets have more than 64 MiB.'],
    ['with a wrong size of its sheet', async () => lying(await bomb()), 'x.xlsx cannot be read as an .xlsx workbook.'],
    [
      'with a cell at its very end',
      () =>
        withSheet((xml) =>
          xml.replace('</sheetData>', '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'),
        ),
      'x.xlsx is too large for a workbook: a sheet goes as far as XFD1048576.',
    ],
    [
      'with a row beyond all limits',
      () =>
        withSheet((xml) =>
          xml.replace('</sheetData>', "<row x='>' r='1000000000'><c r='A1000000000'><v>1</v></c></row></sheetData>"),
        ),
      'x.xlsx is too large for a workbook: a sheet goes as far as 1000000000.',
    ],
    [
      'that is cut',
      async () => (await withSheet((xml) => xml)).subarray(0, 900),
      'x.xlsx cannot be read as an .xlsx workbook.',
    ],
    ['that is another archive', () => Buffer.from(zipSync({ 'a.xml': strToU8('<a/>') })), 'x.xlsx is an archive or'],
    [
      'with broken XML',
      () => withSheet((xml) => xml.replace('</row>', '')),
      'x.xlsx cannot be read as an .xlsx workbook.',
    ],
  ])('%s is rejected without using up the memory', async (_what, content, message) => {
    const service = await startImportService();
    const path = join(service.folder, 'x.xlsx');
    writeFileSync(path, await content());
    const argv = [process.execPath, '--max-old-space-size=64', bundle, 'import', 'campaigns', path, '--yes'];
    const { code, stderr } = await start(argv, service.env).ended;
    expect(code, stderr).toBe(2);
    expect(stderr).toContain(message);
  });

  it('is read from the sheet with the most known columns, or from the one that --sheet names', async () => {
    const service = await startImportService();
    const path = join(service.folder, 'x.xlsx');
    const cover = { data: [[{ value: 'Country' }], [{ value: 'DE' }]], sheet: 'Cover' };
    const sheets = ['One', 'Two'].map((value) => ({
      data: [['Title', 'Country'].map((column) => ({ value: column })), [{ value }, { value: 'DE' }]],
      sheet: `${value}'s  list`,
    }));
    writeFileSync(path, await writeWorkbook([cover, ...sheets]).toBuffer());
    const missing = await service.run(['campaigns', path, '--sheet', 'cover']);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('has no sheet "cover".') });
    expect(missing.stderr).toContain("--sheet Cover\n        --sheet 'One'\\''s list'\n");
    const first = await service.run(['campaigns', path]);
    expect(first.stderr).toContain('Reading the sheet "One\'s list". To read another, "Cover", "Two\'s list", add');
    const second = await service.run(['campaigns', path, '--sheet', "Two's list", '--report', `${path}.ndjson`]);
    expect(second.code, second.stderr).toBe(0);
    expect((await service.stored()).map(({ name }) => name)).toEqual(['One', 'Two']);
  });
});

describe('what a workbook has besides the text of its cells', () => {
  /** A workbook with a second sheet. @param links the rest of the XML of the first sheet, by the ids of relationships */
  const rich = async (rows: string, rest: string, targets: Record<string, string> = {}): Promise<Buffer> => {
    const data = [[{ value: 'x' }]];
    const parts = unzipSync(
      await writeWorkbook([
        { data, sheet: 'Plan' },
        { data, sheet: 'Lists' },
      ]).toBuffer(),
    );
    const sheet = strFromU8(parts[SHEET] ?? new Uint8Array()).replace(
      /<sheetData>.*<\/sheetData>/s,
      `<sheetData>${rows}</sheetData>${rest}`,
    );
    const relationships = Object.entries(targets).map(
      ([id, target]) => `<Relationship Id="${id}" Type="http://x/hyperlink" Target="${target}" TargetMode="External"/>`,
    );
    const rels = strToU8(`<Relationships>${relationships.join('')}</Relationships>`);
    return Buffer.from(
      zipSync({ ...parts, [SHEET]: strToU8(sheet), 'xl/worksheets/_rels/sheet1.xml.rels': rels }, { level: 1 }),
    );
  };
  const rowsOf = (...rows: string[][]): string =>
    rows
      .map((cells, row) => {
        const xml = cells.map((cell, column) => {
          const place = `r="${'ABCD'[column]}${row + 1}"`;
          if (cell.startsWith('=')) return `<c ${place} t="str"><f>${cell.slice(1)}</f><v>Shop</v></c>`;
          return cell === '' ? `<c ${place}/>` : `<c ${place} t="inlineStr"><is><t>${cell}</t></is></c>`;
        });
        return `<row r="${row + 1}"${cells[0] === 'Hidden' ? ' hidden="1"' : ''}>${xml.join('')}</row>`;
      })
      .join('');
  const importRich = async (content: Buffer) => {
    const service = await startImportService();
    const path = join(service.folder, 'x.xlsx');
    writeFileSync(path, content);
    const { code, stderr } = await service.run(['campaigns', path, '--in-order']);
    return { code, stderr, stored: await service.stored() };
  };

  it('is the address of a column of addresses, and links elsewhere are named', async () => {
    const formula = '=HYPERLINK("https://b.example/?a=1&amp;b=2","Shop")';
    const rows = rowsOf(
      ['Campaign', 'Website', 'Brief'],
      ['A', 'Shop', 'The brief'],
      ['B', formula, 'https://c.example'],
      ['Hidden', 'https://d.example', ''],
    );
    const links =
      '<hyperlinks><hyperlink ref="B2" r:id="rId1"/><hyperlink ref="C2" r:id="rId2"/><hyperlink ref="C3" r:id="rId3"/>' +
      '<hyperlink ref="B4" r:id="rId3"/><hyperlink ref="A2" location="Lists!A1"/></hyperlinks>';
    const { code, stderr, stored } = await importRich(
      await rich(rows, links, {
        rId1: 'https://a.example/?a=1&amp;b=2',
        rId2: 'https://docs.example/1',
        rId3: 'https://c.example/',
      }),
    );
    expect(code, stderr).toBe(0);
    expect(stored.map(({ website }) => website)).toEqual([
      'https://a.example/?a=1&b=2',
      'https://b.example/?a=1&b=2',
      'https://d.example',
    ]);
    expect(stderr.match(/the link of .*/g)).toEqual([
      'the link of "Brief" is left out: https://docs.example/1.',
      'the link of "Website" is left out: https://c.example/.',
    ]);
    expect(stderr).toContain('Hidden rows are read too: 1, the first in line 4.');
  });

  it('is a merged cell, which is a problem in the sheet that is named', async () => {
    const rows = rowsOf(
      ['Campaign', 'Country', 'Brief'],
      ['Plan', '', ''],
      ['A', 'France', 'x'],
      ['B', '', 'y'],
      ['', 'US', ''],
    );
    const merged = ['A2:C2', 'B3:B4', 'A4:A5', 'D1:XFD1048576'].map((range) => `<mergeCell ref="${range}"/>`);
    const { code, stderr } = await importRich(await rich(rows, `<mergeCells>${merged.join('')}</mergeCells>`));
    expect(code).toBe(2);
    expect(stderr).toContain('4 problems in x.xlsx. The sheet is "Plan". Nothing was created.');
    const advice = 'is merged with another cell. Split the cells, and fill in each of them.';
    for (const place of ['2: "Country"', '2: "Brief"', '4: "Country"'])
      expect(stderr).toContain(`x.xlsx:${place} ${advice}`);
    expect(stderr).toContain('x.xlsx:5: "Campaign" is empty, but');
  });
});

describe('a cell of a workbook', () => {
  const importCell = async (cell: object) => {
    const service = await startImportService();
    const path = join(service.folder, 'x.xlsx');
    writeFileSync(
      path,
      await workbook([['Title', 'tiktok_music_id'].map((value) => ({ value })), [cell, { value: 'x' }]] as SheetData),
    );
    const { stderr } = await service.run(['campaigns', path]);
    return { stderr, stored: await service.stored() };
  };

  it.each([
    ['a time', { value: new Date('1899-12-30T18:30:00Z'), format: 'h:mm' }, '18:30'],
    ['a day and a time', { value: new Date('2026-06-01T09:05:00Z'), format: 'd.m.yy h:mm' }, '2026-06-01 09:05'],
    ['the result of a formula with a fraction', { value: 0.1 + 0.2 }, '0.3'],
    ['a price', { value: 1234.5, format: '#,##0.00 "USD"' }, '1234.5'],
    ['a truth value', { value: true }, 'true'],
    ['spaces', { value: '  two  spaces ' }, '  two  spaces '],
  ])('with %s is text', async (_what, cell, name) => {
    expect((await importCell(cell)).stored).toMatchObject([{ name }]);
  });

  it.each([
    ['an error', '<c r="B2" t="e"><f>VLOOKUP(1,A:A,1)</f><v>#N/A</v></c>', 'not "#N/A"'],
    [
      'a formula without its result',
      '<c r="B2"><f>UPPER("de")&amp;""</f><v></v></c>',
      String.raw`not "=UPPER(\"de\")&\"\""`,
    ],
    ['a formula with an empty result', '<c r="B2" t="str"><f>""</f><v></v></c>', undefined],
  ])('with %s is not taken for an empty one', async (_what, cell, message) => {
    const service = await startImportService();
    const path = join(service.folder, 'x.xlsx');
    const parts = unzipSync(
      await workbook(
        [
          ['Title', 'Countries'],
          ['A', 'DE'],
        ].map((row) => row.map((value) => ({ value }))),
      ),
    );
    const sheet = strFromU8(parts[SHEET] ?? new Uint8Array()).replace(/<c r="B2".*?<\/c>/, cell);
    expect(sheet).toContain(cell);
    writeFileSync(path, zipSync({ ...parts, [SHEET]: strToU8(sheet) }));
    const { code, stderr } = await service.run(['campaigns', path]);
    expect(code, stderr).toBe(message === undefined ? 0 : 2);
    expect(stderr).toContain(message ?? 'Created 1 campaign');
    if (message !== undefined) expect(stderr).toContain('x.xlsx:2: "Countries" must be');
  });

  it('with a number that spreadsheets shorten is rejected', async () => {
    const service = await startImportService();
    const path = join(service.folder, 'x.xlsx');
    const rows = [
      ['Title', 'tiktok_music_id'],
      ['A', 7.012345678901234e18],
    ];
    writeFileSync(path, await workbook(rows.map((row) => row.map((value) => ({ value }))) as SheetData));
    const { code, stderr } = await service.run(['campaigns', path]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /x\.xlsx:2: "tiktok_music_id" was shortened by a spreadsheet to 7\.01\d+E\+18\. Format the column as text/,
    );
  });
});

describe('a mapping', () => {
  it('is saved with --save-map, and used with --map @FILE for other files and when resuming', async () => {
    const service = await startImportService();
    const map = join(service.folder, 'columns.map');
    const [one, other] = [
      service.file('one.csv', GERMAN),
      service.file('other.csv', GERMAN.replace('Herbst', 'Sommer')),
    ];
    const maps = ['--map', 'Kampagne "neu"=name', '--map', 'Länder=countries', '--map', '*='];
    expect((await service.run(['campaigns', one, ...maps, '--save-map', map])).code).toBe(0);
    expect(service.read('columns.map')).toBe('Kampagne "neu"=name\nLänder=countries\n*=\n');
    expect((await service.run(['campaigns', other, '--map', `@${map}`])).code).toBe(0);
    expect((await service.stored()).map(({ name }) => name).sort()).toEqual(['Herbst', 'Sommer', 'Winter', 'Winter']);
    writeFileSync(other, `${GERMAN.replace('Herbst', 'Sommer')}Frühling;FR;;EUR\n`);
    const resumed = await service.run(['campaigns', other, '--resume', join(service.folder, 'other.import.ndjson')]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await service.stored()).toHaveLength(5);
    expect((await service.run(['campaigns', one, '--map', '@nowhere'])).stderr).toContain(
      '--map nowhere: the file does not exist.',
    );
  });
});

describe('the lines of a file', () => {
  const rows = '# a "b\nKampagne;x\nA;US\nB;DE\n';
  it('are skipped with --skip-lines, also when resuming', async () => {
    const service = await startImportService();
    const path = service.file('x.csv', rows);
    const flags = ['--skip-lines', '1', '--map', 'Kampagne=name', '--map', 'x=countries'];
    expect((await service.run(['campaigns', path, ...flags])).code).toBe(0);
    writeFileSync(path, `${rows}C;FR\n`);
    const report = join(service.folder, 'x.import.ndjson');
    const other = await service.run(['campaigns', path, '--resume', report, '--skip-lines', '2']);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('the file has no column "Kampagne"') });
    expect((await service.run(['campaigns', path, '--resume', report])).code).toBe(0);
    expect((await service.stored()).map(({ name }) => name)).toEqual(['A', 'B', 'C']);
  });

  it.each([
    [['x.csv', '--sheet', 'Plan'], '--sheet works only with xlsx, and x.csv is csv.'],
    [['x.json', '--skip-lines', '1'], '--skip-lines works only with csv, tsv, xlsx, and x.json is json.'],
    [['x.csv', '--delimiter', '::'], '--delimiter takes one character, or tab.'],
  ])('%j is rejected', async ([file = '', ...flags], message) => {
    const service = await startImportService();
    expect(await service.run(['campaigns', service.file(file, rows), ...flags])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it('may be separated by any character', async () => {
    const service = await startImportService();
    const path = service.file('x.csv', 'name^countries\n"A^B"^"US,CA"\nC,D;E^DE\n');
    expect((await service.run(['campaigns', path, '--delimiter', '^'])).code).toBe(0);
    expect(await service.stored()).toMatchObject([
      { name: 'A^B', countries: ['US', 'CA'] },
      { name: 'C,D;E', countries: ['DE'] },
    ]);
  });
});

describe('cells', () => {
  const csvOf = (column: string, cells: readonly string[]): string =>
    ['Title', ...cells.map((_, row) => `Row ${row}`)]
      .map((name, row) => `${name}\t${row === 0 ? column : cells[row - 1]}`)
      .join('\n');

  it.each<[string, string, readonly (readonly [cell: string, value: unknown])[]]>([
    [
      'countries',
      'Countries',
      [
        ['US / CA', ['US', 'CA']],
        ['US and CA', ['US', 'CA']],
        ['us+ca & de', ['US', 'CA', 'DE']],
        ['Germany; austria | CH', ['DE', 'AT', 'CH']],
        ['Bosnia and Herzegovina and Croatia', undefined],
        ['Bosnia and Herzegovina, Croatia', ['BA', 'HR']],
        ['USA, UK', ['US', 'GB']],
        ['South Korea', ['KR']],
        ['Deutschland, Österreich / Corée du Sud', ['DE', 'AT', 'KR']],
        ['日本', ['JP']],
        ["Côte d'Ivoire", ['CI']],
        ['Narnia', undefined],
        ['US-CA', undefined],
        ['EU', undefined],
        ['US, worldwide', undefined],
      ],
    ],
    [
      'platform_ids',
      'Platform',
      [
        ['TikTok + IG', ['tiktok', 'instagram']],
        ['You Tube, Tik Tok', ['youtube', 'tiktok']],
        ['X / Twitter', ['twitter']],
        ['YT and Insta', ['youtube', 'instagram']],
        ['Facebook', ['facebook']],
        ['TikTok or YouTube', undefined],
        ['YouTube (Shorts)', undefined],
      ],
    ],
    [
      'currency',
      'Currency',
      [
        ['€', 'eur'],
        ['£', 'gbp'],
        ['US$', 'usd'],
        ['zł', 'pln'],
        ['Euro', 'eur'],
        ['swiss franc', 'chf'],
        ['EUR', 'eur'],
        ['$', undefined],
        ['¥', undefined],
        ['kr', undefined],
        ['Dollar', undefined],
      ],
    ],
  ])('of %s are read if they are certain, else rejected', async (field, column, cells) => {
    const service = await startImportService();
    const certain = cells.filter(([, value]) => value !== undefined);
    const { code, stderr } = await service.run([
      'campaigns',
      service.file(
        'good.tsv',
        csvOf(
          column,
          certain.map(([cell]) => cell),
        ),
      ),
      '--in-order',
    ]);
    expect(code, stderr).toBe(0);
    const stored = [...(await service.stored())].sort((one, other) => one.id - other.id);
    expect(stored.map((row) => row[field])).toEqual(certain.map(([, value]) => value));
    const uncertain = cells.filter(([, value]) => value === undefined);
    const bad = csvOf(
      column,
      uncertain.map(([cell]) => cell),
    );
    const refused = await service.run(['campaigns', service.file('bad.tsv', bad)]);
    expect(refused.code).toBe(2);
    for (const [row] of uncertain.entries()) expect(refused.stderr).toContain(`bad.tsv:${row + 2}: "${column}" must `);
  });

  it('of platforms are listed if they are not known', async () => {
    const service = await startImportService();
    const file = service.file('p.csv', 'Title,Platform\nA,"TikTok, Facebook"\nB,facebook + Snap\n');
    const { code, stderr } = await service.run(['campaigns', file]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('\nPlatforms that are not known: facebook, snap.\n')]);
  });

  it('of a last row called Total are a campaign unless they are sums', async () => {
    const service = await startImportService();
    const csv = (last: string) => `Title,cpm_amount\nA,700\nB,300\n${last}\n`;
    for (const total of ['Summe,1000', 'Total,"=SUBTOTAL(109,B2:B3)"'])
      expect(await service.run(['campaigns', service.file('sum.csv', csv(total))])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('sum.csv:4: this row is a total'),
      });
    expect((await service.run(['campaigns', service.file('x.csv', csv('Total,900'))])).code).toBe(0);
    expect((await service.stored()).map(({ name }) => name).sort()).toEqual(['A', 'B', 'Total']);
  });
});
