import { describe, expect, it } from 'vitest';
import { startImportService } from './support/import.js';

const problems = async (resource: string, name: string, text: string, flags: readonly string[] = []) => {
  const service = await startImportService();
  const screen = await service.run([resource, '-f', service.file(name, text), ...flags]);
  expect(await service.stored(resource as 'campaigns')).toEqual([]);
  expect(screen.stdout).toBe('');
  expect(screen.code, screen.stderr).toBe(2);
  return screen.stderr;
};

describe('an invalid file: mkt import reports every problem with its place, and creates nothing', () => {
  it('for wrong values in CSV', async () => {
    const rows = [
      'Name,CPM amount,countries,website,min_payout_amount,max_payout_amount,currency',
      'Good,700,US,https://a.example,1,2,usd',
      ',-1,US,,,,',
      '"Two\nlines","7,50","US,Narnia",acme.example,20,10,Dollar',
      'Low,-1,,,,,$',
      'Twice,1e3,"US,US",,,,',
      `${'x'.repeat(256)},1,,,,,`,
    ];
    expect(await problems('campaigns', 'rows.csv', rows.join('\n'))).toBe(
      [
        'error: 11 problems in rows.csv. Nothing was created.',
        '  rows.csv:3: "Name" is empty, but the row has other cells. To leave out such rows, add --skip-continuations.',
        '  rows.csv:5 (row 4): "website" must be an http or https address, such as https://example.com, not "acme.example".',
        '  rows.csv:5 (row 4): "currency" must be a three-letter currency code, such as usd, not "Dollar". Did you mean usd (US Dollar)?',
        '  rows.csv:5 (row 4): "CPM amount" must be an integer, such as 700, not "7,50".',
        '  rows.csv:5 (row 4): "countries" must be a two-letter country code, such as DE, not "Narnia".',
        '  rows.csv:5 (row 4): "min_payout_amount" must be at most max_payout_amount, which is 10.',
        '  rows.csv:6 (row 5): "currency" must be a three-letter currency code, such as usd, not "$".',
        '  rows.csv:6 (row 5): "CPM amount" must be 0 or more, not -1.',
        '  rows.csv:7 (row 6): "CPM amount" must be an integer, such as 700, not "1e3".',
        '  rows.csv:7 (row 6): "countries" must not name a country twice.',
        '  rows.csv:8 (row 7): "Name" must be at most 255 characters long.',
        '  try:  mkt import campaigns --file rows.csv --skip-continuations',
        '',
      ].join('\n'),
    );
  });

  it('for wrong types in JSON', async () => {
    const text = `[
  {"name": "Good", "countries": []},
  {"name": 7,
   "cpm_amount": "700",
   "countries": "DE, FR"},
  "no row",
  {"cpm_amount": 7.5, "name": null}
]`;
    expect(await problems('campaigns', 'rows.json', text)).toBe(
      [
        'error: 1 problem in rows.json. Nothing was created.',
        '  rows.json:6: expected an object of fields, such as {"name": "Summer"}.',
        '',
      ].join('\n'),
    );
    expect(await problems('campaigns', 'rows.json', text.replace('  "no row",\n', ''))).toBe(
      [
        'error: 5 problems in rows.json. Nothing was created.',
        '  rows.json:3: "name" must be text, but 7 is a number. Put it in quotes: "7".',
        '  rows.json:4: "cpm_amount" must be an integer, such as 700, not "700".',
        '  rows.json:5: "countries" must be a list, such as ["DE", "FR"], not text.',
        '  rows.json:6: "name" must be text, not null.',
        '  rows.json:6: "cpm_amount" must be an integer, such as 700, not 7.5.',
        '',
      ].join('\n'),
    );
  });

  it.each<[string, string, string, string]>([
    [
      'YAML',
      'rows.yaml',
      '- name: x\n- name: y\n  cpm_amount: a lot\n',
      'rows.yaml:3: "cpm_amount" must be an integer, such as 700, not "a lot".',
    ],
    [
      'YAML that reads a text as a number',
      'rows.yaml',
      '- name: 012\n',
      'rows.yaml:1: "name" must be text, but 012 is a number. Put it in quotes: "012".',
    ],
    ['NDJSON', 'rows.ndjson', '{"name":"x"}\n\n{"name":""}\n', 'rows.ndjson:3: "name" must not be blank.'],
    [
      'a collab',
      'collabs.csv',
      'name,require_spark_ads\nx,maybe\n',
      'collabs.csv:2: "require_spark_ads" must be true or false, not "maybe".',
    ],
    [
      'broken JSON',
      'rows.json',
      '[\n {"name": "x"\n {"name": "y"}\n]',
      'rows.json:3: cannot be read: a comma is missing before this.',
    ],
    [
      'JSON that is indented with tabs',
      'rows.json',
      '[\n\t{\n\t\t"name": "x",\n\t\t"cpm_amount": -1\n\t}\n]',
      'rows.json:4: "cpm_amount" must be 0 or more, not -1.',
    ],
    [
      'a file for mkt apply',
      'plan.yaml',
      'campaigns:\n  - name: x\n',
      'plan.yaml:1: expected a list of objects, such as [{"name": "Summer"}].\n  try:  mkt apply reads files of this form\n',
    ],
    ['broken NDJSON', 'rows.ndjson', '{"name":"x"}\n{"name":\n', 'rows.ndjson:2: not valid JSON.'],
    [
      'broken YAML',
      'rows.yaml',
      '- name: x\n- name: "y\n- name: z\n',
      'rows.yaml:2: cannot be read: a quote (") is opened here but never closed.\n',
    ],
    [
      'a tab in YAML',
      'rows.yaml',
      '- name: x\n\tcpm_amount: 5\n',
      'rows.yaml:2: cannot be read: Tabs are not allowed as indentation.\n',
    ],
    [
      'a colon in YAML',
      'rows.yaml',
      '- name: Summer: the launch\n',
      'rows.yaml:1: cannot be read: text with a colon in it has to be in quotes',
    ],
    [
      'an unquoted @ in YAML',
      'rows.yaml',
      '- name: @acme\n',
      'rows.yaml:1: cannot be read: Plain value cannot start with reserved character @: put it in quotes.',
    ],
    [
      'a merge in YAML',
      'rows.yaml',
      '- &a\n  name: x\n- <<: *a\n',
      'rows.yaml:3: cannot be read: merge keys ("<<") are not supported',
    ],
    ['an alias of nothing', 'rows.yaml', '- name: x\n- *a\n', 'rows.yaml:2: cannot be read: the alias *a is unknown'],
    [
      'excessive aliases in YAML',
      'rows.yaml',
      `- &a [${'x,'.repeat(9)}x]\n- &b [${'*a,'.repeat(9)}*a]\n- &c [${'*b,'.repeat(9)}*b]\n- [${'*c,'.repeat(9)}*c]\n`,
      'rows.yaml:1: cannot be read: Excessive alias count',
    ],
    [
      'two documents in YAML',
      'rows.yaml',
      '- name: x\n---\n- name: y\n',
      'rows.yaml:2: cannot be read: a second document begins here',
    ],
    [
      'an unclosed list in JSON',
      'rows.json',
      '[\n {"name": "x"}',
      'rows.json:2: cannot be read: a ] is missing, or a line',
    ],
    [
      'a long number that a spreadsheet shortened',
      'rows.csv',
      'name,tiktok_music_id\nx,7.01235E+18\n',
      'rows.csv:2: "tiktok_music_id" was shortened by a spreadsheet to 7.01235E+18. Format the column',
    ],
    [
      'a number that is too large',
      'rows.csv',
      'name,cpm_amount\nx,99999999999999999999\n',
      'rows.csv:2: "cpm_amount" must be at most 9007199254740991, not 100000000000000000000.',
    ],
    ['an object', 'rows.json', '{"name": "x"}', 'rows.json:1: expected a list of objects'],
    ['an open quote', 'rows.csv', 'name\nx\n"y\nz\n', 'rows.csv:3: a quote is opened but never closed.'],
    ['a stray quote', 'rows.csv', 'name,brief\nx,6" heels\n', 'rows.csv:2: an unquoted cell contains a quote.'],
    [
      'an extra cell',
      'rows.csv',
      'name,countries\nx,US,CA\n',
      'rows.csv:2: has 3 cells, but the header has 2. A cell that contains the delimiter',
    ],
    ['a missing cell', 'rows.csv', 'name,countries\nx,US\ny\n', 'rows.csv:3: has 1 cell, but the header has 2.'],
    ['a column without a name', 'rows.csv', 'name,\nx,US\n', 'rows.csv:1: column 2 has no name.'],
    ['a column given twice', 'rows.csv', 'name,name\nx,y\n', 'rows.csv:1: "name" appears more than once.'],
    [
      'two columns for one field',
      'rows.csv',
      'name,Name\nx,y\n',
      'rows.csv:1: "Name" maps to name, and so does "name". Choose one with --map.',
    ],
    ['no rows', 'rows.csv', 'name,countries\n', 'rows.csv:1: the file has no rows.'],
    ['an empty file', 'rows.csv', '', 'rows.csv:1: the file has no rows.'],
    [
      'no column for a required field',
      'rows.csv',
      'countries\nUS\n',
      'rows.csv:1: there is no column for the required field name.',
    ],
    [
      'only read-only columns',
      'collabs.csv',
      'id,state\n1,draft\n',
      'collabs.csv:1: no column matches a collab field.',
    ],
  ])('for %s', async (_what, name, text, message) => {
    const resource = name.startsWith('collabs') ? 'collabs' : 'campaigns';
    expect(await problems(resource, name, text)).toContain(`  ${message}`);
  });

  it('once per line when one mistake causes several parser errors', async () => {
    expect(await problems('campaigns', 'rows.yaml', '- name: x\n\tcpm_amount: 5\n')).toMatch(/^error: 1 problem /);
    expect(await problems('campaigns', 'rows.json', '[{"name": "x}]')).toMatch(/^error: 1 problem /);
  });

  it('for a country code that does not exist, with the one that is meant', async () => {
    const text = 'name,Countries,currency\nOne,"US,UK",usd\nTwo,su,\n';
    expect(await problems('campaigns', 'rows.csv', text)).toBe(
      [
        'error: 1 problem in rows.csv. Nothing was created.',
        '  rows.csv:3: "Countries" must be a two-letter country code, such as DE, not SU. Did you mean RU?',
        '',
      ].join('\n'),
    );
  });

  it('with at most 20 lines of text, and all of them in JSON', async () => {
    const text = ['name,cpm_amount', ...Array.from({ length: 30 }, (_, row) => `x${row},-1`)].join('\n');
    const people = await problems('campaigns', 'rows.csv', text);
    expect(people).toContain('error: 30 problems in rows.csv');
    expect(people.split('\n')[21]).toBe('  ... and 10 more. To see all, add --json.');
    const { error } = JSON.parse(await problems('campaigns', 'rows.csv', text, ['--json']));
    expect(error).toMatchObject({ code: 'invalid_file', exitCode: 2 });
    expect(error.results).toHaveLength(30);
    expect(error.results[29]).toEqual({
      line: 31,
      column: 'cpm_amount',
      message: 'must be 0 or more, not -1.',
    });
  });

  it('without control characters', async () => {
    const text = 'name,cpm_amount\nx,\u001b]0;owned\u0007\u001b[31m7\n';
    const stderr = await problems('campaigns', 'rows.csv', text);
    expect(stderr).not.toContain('\u001b');
  });
});

describe('the columns of a file', () => {
  it('get suggestions and --map flags if their names are unknown', async () => {
    const stderr = await problems('campaigns', 'rows.csv', 'Title,cpm,Notes,countrys,name\nx,1,,US,y\n');
    expect(stderr).toContain('"cpm" is not a campaign field. Did you mean cpm_amount?');
    expect(stderr).toContain('"countrys" is not a campaign field. Did you mean countries?');
    expect(stderr).toContain("--map cpm=cpm_amount --map countrys=countries --map '*='\n");
  });

  it('are suggested by most of their cells, and the others are reported then', async () => {
    const table = 'name,Geo\nA,Germany\nB,France\nC,n/a\n';
    expect(await problems('campaigns', 'rows.csv', table)).toContain('Did you mean countries?');
    expect(await problems('campaigns', 'rows.csv', table, ['--map', 'Geo=countries'])).toContain(
      'rows.csv:4: "Geo" must be a two-letter country code, such as DE, not "n/a".',
    );
    expect(await problems('campaigns', 'rows.csv', table.replace('Geo', 'Country/Region'))).toContain('rows.csv:4: ');
  });

  it('are not suggested a field that another column has', async () => {
    const stderr = await problems('campaigns', 'rows.csv', 'nme,cpm_amont,cpm_amounts,cpm_amount\nx,1,2,3\n');
    expect(stderr).toContain('"nme" is not a campaign field. Did you mean name?');
    expect(stderr).toContain('"cpm_amounts" is not a campaign field.\n');
    expect(stderr).toContain("--map nme=name --map '*='\n");
  });

  it('are skipped in an exported file if mkt does not know them, but not if they are misspelt', async () => {
    const service = await startImportService();
    const exported = 'id,name,ai_score,created_at,updated_at\n1,Autumn glow,0.7,2026-01-01T00:00:00Z,\n';
    const { code, stderr } = await service.run(['campaigns', '-f', service.file('rows.csv', exported)]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Skipping read-only columns: id, created_at, updated_at, ai_score.\n');
    const misspelt = await problems('campaigns', 'rows.csv', exported.replace('ai_score', 'cpm_amout'));
    expect(misspelt).toContain('"cpm_amout" is not a campaign field. Did you mean cpm_amount?');
  });

  it('are mapped and skipped with --map', async () => {
    const service = await startImportService();
    const file = service.file('rows.csv', 'Working title,a=b,Notes,id\nAutumn glow,700,ask Mia,12\n');
    const maps = ['--map', 'Working title=name', '--map', 'a=b=cpm_amount', '--map', 'Notes='];
    const { code, stderr } = await service.run(['campaigns', '-f', file, ...maps]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Skipping read-only columns: id.');
    expect(await service.stored()).toMatchObject([{ name: 'Autumn glow', cpm_amount: 700 }]);
  });

  it.each([
    ['name', '--map takes COLUMN=FIELD or @FILE, not "name".'],
    ['Titel=name', '--map Titel=name: the file has no column "Titel".'],
    ['Title=nam', '--map Title=nam: "nam" is not a campaign field.'],
    ['Title=status', '--map Title=status: status is read-only.'],
  ])('are rejected for --map %s', async (map, message) => {
    expect(await problems('campaigns', 'rows.csv', 'Title,name\nx,y\n', ['--map', map])).toContain(message);
  });
});

describe('rejects invalid command lines', () => {
  it.each<[readonly string[], string]>([
    [['members', '-f', 'x.csv'], '"members" cannot be imported.'],
    [['x.csv'], '"x.csv" cannot be imported.\n  try:  mkt import campaigns FILE\n        mkt import collabs FILE\n'],
    [['campaign', 'nowhere.csv'], 'file nowhere.csv: the file does not exist.'],
    [['campaigns'], 'No file was given.'],
    [['campaigns', 'x.csv', '-f', 'y.csv'], 'Two files were given: x.csv and --file y.csv.'],
    [['campaigns', 'nowhere.csv'], 'file nowhere.csv: the file does not exist.'],
    [['campaigns', '-f', 'nowhere.csv'], '--file nowhere.csv: the file does not exist.'],
    [['campaigns', '-f', 'x.csv', '--report', 'a', '--resume', 'b'], '--report and --resume cannot be used together.'],
    [['campaigns', '-', '--resume', 'nowhere.ndjson'], 'There is no report at nowhere.ndjson.'],
    [['campaigns', '-f', 'x.csv', '--input-format', 'xml'], '--input-format takes one of csv, tsv'],
  ])('%j', async (argv, message) => {
    const service = await startImportService();
    const { code, stderr } = await service.run(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
