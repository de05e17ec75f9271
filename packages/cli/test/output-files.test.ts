import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import readWorkbook from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';

const { ada, json } = adaWithService();

const readRows = async (path: string) => {
  const [sheet] = await readWorkbook(path);
  return sheet?.data ?? [];
};

describe('--out', () => {
  const writers = [
    ['export', ['export', 'campaigns'], '.csv'],
    ['a list', ['campaigns', 'list'], '.csv'],
    ['mkt pull', ['pull'], '.yaml'],
  ] as const;
  it.each(
    writers.flatMap(([name, argv, example]) =>
      ['w.pdf', 'c.mp4', 'c.1', 'w.zip', 'x.exe', 'w.table'].map((file) => [name, argv, file, example] as const),
    ),
  )('of %s rejects an ending that it cannot write: %j %s', async (_name, argv, file, example) => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await ada([...argv, '--out', join(cwd, file)], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const ending = file.slice(file.indexOf('.'));
    expect(stderr).toContain(`error: mkt ${argv[0] === 'pull' ? 'pull ' : ''}cannot write ${ending} files.`);
    expect(stderr).toMatch(new RegExp(`Endings: .*\\${example}`));
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each([
    [['export', 'campaigns', '--json'], 'x.csv'],
    [['campaigns', 'list', '--format', 'csv'], 'x.xlsx'],
    [['pull', '--json'], 'x.yaml'],
  ])('rejects a format that contradicts the ending: %j %s', async (argv, file) => {
    const out = join(temporaryFolder(), file);
    const { code, stderr } = await ada([...argv, '--out', out]);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot be used together');
    expect(existsSync(out)).toBe(false);
  });

  it.each([
    ['export', ['export', 'members']],
    ['a list', ['members', 'list']],
  ])('without an ending writes CSV: %s', async (_name, argv) => {
    const out = join(temporaryFolder(), 'members');
    expect(await ada([...argv, '--out', out])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(out, 'utf8')).toMatch(/^\ufeffid,role,is_owner,/);
  });

  it('of a list writes the rows that the list would print, and says so', async () => {
    const out = join(temporaryFolder(), 'paused.json');
    const { code, stdout, stderr } = await ada(['campaigns', 'list', '--status', 'paused', '--out', out]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(`3 found, 45 searched.\nWrote 3 campaigns to ${out}.\n`);
    expect(JSON.parse(readFileSync(out, 'utf8')).map(({ id }: { id: number }) => id)).toEqual([4, 14, 24]);
  });

  it('of mkt pull takes .yaml, .yml, .json and no ending', async () => {
    const folder = temporaryFolder();
    for (const file of ['a.yaml', 'a.yml', 'a.json', 'a']) {
      const out = join(folder, file);
      expect(await ada(['pull', '--out', out])).toMatchObject({ code: 0, stdout: '' });
      if (file === 'a.json') expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ organization: 5 });
      expect(await json('apply', out, '--dry-run')).toMatchObject({ up_to_date: true });
    }
  });
});

describe('a workbook', () => {
  const hostile = {
    id: 1,
    name: '=HYPERLINK("https://evil.example","x")',
    status: 'active',
    currency: 'usd',
    countries: ['US', '@SUM(A1)'],
    cpm_amount: 500,
    used_amount: 9_007_199_254_740_991,
    view_count: -3,
    tiktok_music_id: '0012345678901234567',
    website: null,
    created_at: '2026-05-01T10:00:00Z',
    content_type: '2026-05-01T10:00:00Z',
    brief: 'x'.repeat(40_000),
    category: 'caf\u00e9 \u{1f600} \u0007<&>"\u001b[31m',
  };

  it('has text as text, amounts as numbers and times as dates', async () => {
    const url = await scriptedServer(({ url: path = '' }) =>
      path.includes('/campaigns.json')
        ? { body: [hostile], headers: { 'total-count': '1', 'total-pages': '1' } }
        : { body: path.includes('/campaigns/') ? hostile : { id: 5, name: 'Acme' } },
    );
    const env = { MKT_TOKEN: 't', MKT_BASE_URL: url, MKT_ORG: '5' };
    const folder = temporaryFolder();
    for (const argv of [
      ['export', 'campaigns'],
      ['campaigns', 'list'],
    ]) {
      const out = join(folder, `${argv[0]}.xlsx`);
      const { code, stderr } = await runCli([...argv, '--out', out], { env });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const [head = [], row = []] = await readRows(out);
      const cell = (name: string) => row[head.indexOf(name)];
      expect(head.slice(0, 4)).toEqual(['id', 'name', 'status', 'currency']);
      expect(cell('id')).toBe(1);
      expect(cell('name')).toBe(hostile.name);
      expect(cell('countries')).toBe('US,@SUM(A1)');
      expect(cell('cpm_amount')).toBe(500);
      expect(cell('view_count')).toBe(-3);
      // Spreadsheets keep 15 digits of a number.
      expect(cell('used_amount')).toBe('9007199254740991');
      expect(cell('tiktok_music_id')).toBe(hostile.tiktok_music_id);
      expect(cell('website')).toBe(null);
      expect(cell('created_at')).toEqual(new Date(hostile.created_at));
      expect(cell('content_type')).toBe(hostile.content_type);
      expect(cell('category')).toBe(hostile.category);
      if (argv[0] === 'export') {
        expect(String(cell('brief'))).toHaveLength(32_767);
        expect(stderr).toContain(
          'warning: Cut text at 32,767 characters, the limit of a cell in .xlsx: id 1. JSON keeps it.',
        );
      }
    }
  });

  it('has the fields of --fields, and no header with --no-header', async () => {
    const out = join(temporaryFolder(), 'x.xlsx');
    const argv = ['members', 'list', '--fields', 'user.email,role', '--out', out];
    await ada(argv);
    expect((await readRows(out)).slice(0, 2)).toEqual([
      ['user.email', 'role'],
      ['ada@acme.example', 'admin'],
    ]);
    await ada([...argv, '--no-header']);
    expect((await readRows(out))[0]).toEqual(['ada@acme.example', 'admin']);
  });

  it('is not printed by --format xlsx, which says what to do', async () => {
    const { code, stderr } = await ada(['export', 'members', '--format', 'xlsx']);
    expect(code).toBe(2);
    expect(stderr).toContain('--out FILE.xlsx');
  });

  it('cannot be filtered with jq', async () => {
    const out = join(temporaryFolder(), 'x.xlsx');
    const { code, stderr } = await ada(['members', 'list', '--jq', '.', '--out', out]);
    expect(code).toBe(2);
    expect(stderr).toContain('--jq');
    expect(existsSync(out)).toBe(false);
  });
});

describe('--delimiter', () => {
  it('separates the cells of CSV, which mkt import reads', async () => {
    const list = await ada(['campaigns', 'list', '--format', 'csv', '--delimiter', ';', '--fields', 'id,countries']);
    expect(list.stdout.split('\n').slice(0, 2)).toEqual(['id;countries', '1;US']);
    const out = join(temporaryFolder(), 'x.csv');
    expect(await ada(['export', 'collabs', '--out', out, '--delimiter', 'tab'])).toMatchObject({ code: 0 });
    expect(readFileSync(out, 'utf8')).toMatch(/^\ufeffid\tname\t/);
    expect(await ada(['export', 'collabs', '--out', out, '--delimiter', ';'])).toMatchObject({ code: 0 });
    expect(await ada(['import', 'collabs', '-f', out, '--org', '7', '--yes'])).toMatchObject({ code: 0 });
    const names = '[.[].name] | sort';
    const { stdout } = await ada(['collabs', 'list', '--all', '--jq', names]);
    expect(await ada(['collabs', 'list', '--all', '--jq', names, '--org', '7'])).toMatchObject({ stdout });
  });
  it('of jq rows is written by jq with @csv, or is that of --delimiter', async () => {
    const list = ['members', 'list', '--jq'];
    expect((await ada([...list, '.[] | [.id, .role] | @csv'])).stdout).toMatch(/^"mem_5_ada","admin"\n/);
    const { stdout } = await ada([...list, '.[] | [.id, .role]', '--format', 'csv', '--delimiter', ';']);
    expect(stdout).toMatch(/^mem_5_ada;admin\n/);
  });
  it.each([
    [['--format', 'csv', '--delimiter', 'x'], '--delimiter takes one of'],
    [['--json', '--delimiter', ';'], '--delimiter works only with csv.'],
    [['--delimiter', ';'], '--delimiter works only with csv.'],
  ])('is rejected where it has no effect: %j', async (flags, message) => {
    const { code, stdout, stderr } = await ada(['members', 'list', ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('only page 1 of a list', () => {
  it.each([
    ['csv', ['--format', 'csv']],
    ['JSON', ['--json']],
    ['jq', ['--jq', 'length']],
    ['a file', ['--out', 'x.csv']],
  ])('is reported with how to get all: %s', async (_name, flags) => {
    const cwd = temporaryFolder();
    const given = flags.map((flag) => (flag === 'x.csv' ? join(cwd, flag) : flag));
    const { code, stderr } = await ada(['campaigns', 'list', ...given], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('Only page 1 of 3: 20 of 45 campaigns. For all: mkt campaigns list');
    expect(stderr).toContain('--all');
    expect((await ada(['campaigns', 'list', ...given, '--all'], { cwd })).stderr).not.toContain('Only page');
  });
});
