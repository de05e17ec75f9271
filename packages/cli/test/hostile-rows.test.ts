import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { widthOf as stringWidth } from '../src/text/width.js';
import { runCli } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';
import { mkt } from './support/spawn-cli.js';

/** Names that strangers may have chosen. */
const names = [
  'plain',
  '夏のコスメ祭り 🌸',
  '👩🏽‍🔬 lab · 🇫🇷 · ⚠ · ⚠️ · 👨‍👩‍👧',
  'مرحبا بالعالم',
  '\u202eevil\u202c reversed',
  '\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u001b]0;title\u0007',
  '\u009b2Jclear \u0090dcs\u009c \u0007bell\u0008\u007f',
  'tab\there\nnew\r\nline',
  '=HYPERLINK("http://evil.example","x")',
  '+1',
  '-2+3',
  '@SUM(A1)',
  '-122.03',
  'x'.repeat(10_000),
  '',
  'yes',
  '🫠 🫱🏽‍🫲🏻 ❤️‍🔥 हिन्दी',
];
const rows = names.map((name, index) => ({
  id: index + 1,
  name,
  privacy_setting: 'public',
  website: null,
  created_at: '2026-01-05T09:00:00Z',
}));
const list = async (argv: readonly string[], columns?: number, body: readonly object[] = rows) => {
  const url = await scriptedServer(() => ({
    body,
    headers: { 'total-count': String(body.length), 'total-pages': '1' },
  }));
  const env = { MKT_TOKEN: 't', MKT_BASE_URL: url };
  const screen = await runCli(['organizations', 'list', ...argv], { env, ...(columns !== undefined && { columns }) });
  return { ...screen, env };
};

/** CSV keeps the marks of languages that are written from right to left; on a terminal it has neither. */
const CONTROL_IN_CSV = /[^\P{Cc}\r\n\t]/u;
const CONTROL = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

describe.each([40, 80, 120])('at %i columns', (columns) => {
  it('every row is one line that fits, its columns aligned, ids whole', async () => {
    const { stdout } = await list([], columns);
    expect(stdout).not.toMatch(CONTROL);
    const [header = '', ...lines] = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(rows.length);
    const at = header.indexOf('PRIVACY');
    for (const [index, line] of lines.entries()) {
      expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      expect(line.startsWith(String(index + 1))).toBe(true);
      if (at > 0) expect(stringWidth(line.slice(0, line.indexOf('public')))).toBe(at);
    }
  });
});

it.each([
  'عرض الصيف الكبير لكل العائلات',
  'לקראת הקיץ: מבצע (עד 50%)',
  'Летняя распродажа: крем для рук',
  'Καλοκαιρινές προσφορές για όλους',
  'ช่วงฤดูร้อน โปรโมชั่นสำหรับทุกคน',
  'गर्मियों का ऑफ़र सभी ग्राहकों के लिए',
  '夏のコスメ祭り 🌸 全商品が半額になります',
  '👩🏽‍🔬 lab · 🇫🇷 · ⚠️ · 👨‍👩‍👧 · 🫱🏽‍🫲🏻 · ❤️‍🔥',
])('is cut with an ellipsis at the edge of the screen: %s', async (name) => {
  for (const columns of [8, 13, 17]) {
    const { stdout } = await list(['--fields', 'name', '--no-header'], columns, [{ id: 1, name }]);
    const [cut = '', rest] = stdout.trimEnd().split('…');
    expect({ rest, isPrefix: name.startsWith(cut) }).toEqual({ rest: '', isPrefix: true });
    // A wide character or a space before the ellipsis leaves some columns empty.
    expect(columns - stringWidth(`${cut}…`)).toBeOneOf([0, 1, 2]);
  }
});
// As tmux and glibc show them.
it.each([
  ['여름 캠페인', 11],
  ['여름 캠페인'.normalize('NFD'), 11],
  ['हिन्दी अभियान', 12],
  ['ช่วงฤดูร้อน', 8],
  ['E\u0301te\u0301 a\u0300 Zu\u0308rich', 12],
])('is as wide as on a terminal: %s', (name, width) => {
  expect(stringWidth(name)).toBe(width);
});
it('is cut nowhere in a pipe', async () => {
  const { stdout } = await list([]);
  expect(stdout).toContain('x'.repeat(10_000));
  expect(stdout).not.toMatch(CONTROL);
});
it('is the same table from the built program', async () => {
  const { stdout, env } = await list([]);
  expect((await mkt(['organizations', 'list'], env)).stdout).toBe(stdout);
});
// Takes minutes where laying out a cell takes quadratic time.
it('lays out long names that are not ASCII', async () => {
  const long = Array.from({ length: 200 }, (_, index) => ({ ...rows[0], id: index + 1, name: '夏'.repeat(10_000) }));
  const { stdout } = await list([], undefined, long);
  expect(stdout.trimEnd().split('\n')).toHaveLength(long.length + 1);
});
it('is whole in JSON, what a terminal would obey escaped', async () => {
  const { stdout } = await list(['--json']);
  expect(stdout).not.toMatch(CONTROL);
  expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual(names);
});
it.each([
  ['csv', `"'=HYPERLINK(""http://evil.example"",""x"")"`],
  ['tsv', `'=HYPERLINK("http://evil.example","x")`],
])('is not a formula in %s, and numbers stay numbers', async (format, formula) => {
  const { stdout } = await list(['--format', format, '--fields', 'name']);
  expect(stdout.split('\n')).toContain(formula);
  for (const line of ["'@SUM(A1)", "'-2+3", '+1', '-122.03']) expect(stdout.split('\n')).toContain(line);
  expect(stdout).not.toMatch(CONTROL_IN_CSV);
  expect((await list(['--format', format, '--fields', 'name'], 80)).stdout).not.toMatch(CONTROL);
});
it.each([
  [',', 'x;=1', "x;'=1"],
  [',', 'x,=1', '"x,=1"'],
  [',', "x\n'=1\t+2", `"x\n''=1\t'+2"`],
  [',', '＝1', "'＝1"],
  [';', 'x,=1', "x,'=1"],
  [';', 'x;=1', '"x;=1"'],
  ['tab', 'x;=1,@b', "x;'=1,'@b"],
])('is not a formula for programs that expect another delimiter than %s', async (delimiter, name, cell) => {
  const hostile = [{ ...rows[0], name }];
  const { stdout } = await list(['--format', 'csv', '--fields', 'name', '--delimiter', delimiter], undefined, hostile);
  expect(stdout).toBe(`name\n${cell}\n`);
});
it.each(['csv', 'tsv'])('reads back from %s as it was, control characters and apostrophes apart', async (format) => {
  const { stdout, stderr } = await list(['--format', format]);
  const options = format === 'csv' ? {} : { delimiter: '\t', relax_quotes: true };
  const read: { id: string; name: string }[] = parse(stdout, { columns: true, ...options });
  expect(read.map(({ id }) => Number(id))).toEqual(rows.map(({ id }) => id));
  expect(read[1]?.name).toBe(names[1]);
  expect(read[7]?.name).toBe(names[7]);
  expect(stderr).toBe(
    `warning: Left out control characters, which ${format} cannot hold: id 6, id 7. JSON keeps it.\n`,
  );
});
describe('YAML', () => {
  /** Text that a reader of YAML could take for something else. */
  const ambiguous = [
    ...names,
    ...[
      'no',
      'on',
      'Y',
      '~',
      'null',
      '1e3',
      '.5',
      '0o14',
      '014',
      '0x1f',
      '1_000',
      '190:20:30',
      '+1',
      '.inf',
      '=',
      '<<',
    ],
    ...[
      '2026-01-05',
      '2026-01-05T09:00:00Z',
      '# text',
      'a: b',
      'a:',
      '- a',
      '? a',
      '!a',
      '&a',
      '*a',
      '%a',
      '@a',
      '---',
    ],
    ...[
      'two\nlines',
      'two\nlines\n',
      '\n\n  indented\nlines  ',
      'a\n\tb',
      ' a ',
      '"a"',
      "it's",
      '[a]',
      '{a}',
      '\ufeffa',
    ],
  ];
  it.each(['1.1', '1.2'] as const)('reads back as the same text by version %s', async (version) => {
    const body = ambiguous.map((name) => ({ [name]: 1, name, list: [name] }));
    const { stdout } = await list(['--format', 'yaml'], undefined, body);
    expect(parseYaml(stdout, { version })).toEqual(body);
    expect(stdout).not.toMatch(CONTROL);
  });
  it('quotes what readers of YAML 1.1 take for a boolean or a date', async () => {
    const body = [{ name: 'yes', created_at: '2026-01-05T09:00:00Z' }];
    const { stdout } = await list(['--format', 'yaml'], undefined, body);
    expect(stdout).toBe("- name: 'yes'\n  created_at: '2026-01-05T09:00:00Z'\n");
  });
});
it.each([undefined, 80])('is harmless in a sheet and in a brief (%j columns)', async (columns) => {
  const name = names.join('');
  const brief = `<p>Caf&#233; &amp; bar&nbsp;${names[5]} &#x1b;[2J</p><ul><li>one<li>two</ul><a href="https://acme.example">look</a>`;
  const url = await scriptedServer(() => ({ body: { id: 1, name, countries: ['US', '\u001b[31mCA'], brief } }));
  const { stdout } = await runCli(['campaigns', 'show', '1', '--org', '5'], {
    env: { MKT_TOKEN: 't', MKT_BASE_URL: url },
    ...(columns !== undefined && { columns }),
  });
  expect(stdout).not.toMatch(CONTROL);
  for (const part of [
    'plain夏のコスメ祭り 🌸',
    'US, CA',
    'Café & bar red link',
    '- one',
    '- two',
    'look (https://acme.example)',
  ])
    expect(stdout.replaceAll(/\n {2,}(?!-)/g, ' ')).toContain(part);
});
it('is harmless in errors and receipts too', async () => {
  const url = await scriptedServer(() => ({
    status: 422,
    body: { errors: { 'na\u001b[31mme': ['bad \u001b]0;x\u0007value'] } },
  }));
  const { stderr, code } = await runCli(['organizations', 'create', '--name', 'x'], {
    env: { MKT_TOKEN: 't', MKT_BASE_URL: url },
  });
  expect(code).toBe(6);
  expect(stderr).not.toMatch(CONTROL);
  expect(stderr).toContain('name  bad value');
});
