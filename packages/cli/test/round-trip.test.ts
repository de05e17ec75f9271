import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { campaignFields } from '@mkt/sdk/contract';

// @ts-expect-error The package has no types.
import papaparse from 'papaparse';
import { readSheet } from 'read-excel-file/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { campaigns } from '../src/api/labels.js';
import { isColumnOf, rowTypeOf } from '../src/commands/import/columns.js';
import { formatOf, readTable } from '../src/commands/import/read-file.js';
import { checkRows } from '../src/commands/import/rows.js';
import { plainText } from '../src/text/formula-free.js';
import { withoutControls } from '../src/text/values.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';

/** Texts that a format, a parser, a spreadsheet or JavaScript could take for something else. */
const FRAGMENTS = [
  ...[
    '=1+1',
    '+1',
    '-2+3',
    '@SUM(A1)',
    '\uff1d1',
    "'=1",
    "''=1",
    '=HYPERLINK("http://e.example","x")',
    "'quoted",
    '%0A',
  ],
  ...['1E+02', '7.01E+18', '007', '-5', '1.50', '0x1F', '1_000', '50%', '2026-01-05', '12:30', '1/2', '$5', '\u20ac5'],
  ...['_x0041_', '_x000D_', '_x005F_x0041_', '_X0041_', '_x00zz_', '_x0041', '__x0042__'],
  ...[
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'prototype',
    'valueOf',
    '__defineGetter__',
    'undefined',
  ],
  ...[
    'true',
    'FALSE',
    'yes',
    'no',
    'on',
    'Y',
    'null',
    '~',
    'NaN',
    '.inf',
    '<<',
    '=',
    '---',
    '...',
    '- a',
    '? b',
    ': c',
    '#d',
  ],
  ...[
    'a: b',
    'a #b',
    '&x',
    '*x',
    '!x',
    '|',
    '>',
    '{a}',
    '[a]',
    '`',
    '@',
    '%',
    ',',
    ';',
    '\t',
    '"',
    '""',
    "'",
    "''",
    '\\',
    '\\n',
  ],
  ...['\r\n', '\n', '\r', '\n\n', ' ', '  ', '\u00a0', '\u3000', '\u2028', '\u2029', '\u0085', '\u000b', '\f'],
  ...[
    '\u200b',
    '\u200c',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u202e',
    '\u2066',
    '\u2069',
    '\u061c',
    '\u2060',
    '\ufeff',
    '\u00ad',
  ],
  ...[
    '\u0000',
    '\u0007',
    '\u001b[31mred',
    '\u001b]0;t\u0007',
    '\u007f',
    '\u009b',
    '\ufffe',
    '\uffff',
    '\ufffd',
    '\u{10ffff}',
  ],
  ...[
    '여름 캠페인',
    '여름 캠페인'.normalize('NFD'),
    'Éte\u0301',
    'हिन्दी',
    'ช่วง',
    'مرحبا',
    'שלום',
    '夏のコスメ',
    '１２３',
    'Ёлка',
    'ﬁ',
  ],
  ...['👩🏽‍🔬', '🇫🇷', '⚠️', '👨‍👩‍👧', '😀', 'Z\u0351\u036b\u0343'],
  ...[
    '<b>bold</b>',
    '<script>alert(1)</script>',
    '&amp;',
    '&#13;',
    '<![CDATA[x]]>',
    ']]>',
    '<!--',
    "' OR 1=1 --",
    '{{7*7}}',
  ],
  ...['PK\u0003\u0004', 'sep=;', 'Total', 'SUM', '#REF!', '#N/A', 'ID', 'x'.repeat(60)],
];

const COUNT = 2_000;

/** The same texts in each run: each fragment by itself, then combinations. Each can be the name of a campaign. */
function hostileTexts(): string[] {
  let seed = 20_260_601;
  const below = (count: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % count;
  };
  const pick = (): string => FRAGMENTS[below(FRAGMENTS.length)] ?? '';
  const texts = new Set(FRAGMENTS);
  while (texts.size < 3 * COUNT) texts.add(Array.from({ length: 2 + below(4) }, pick).join(['', ' ', 'a'][below(3)]));
  // Also where CSV leaves out the control characters.
  const isName = (text: string) =>
    [text, withoutControls(text)].every((name) => campaignFields.shape.name.safeParse(name).success);
  return [...texts].filter(isName).slice(0, COUNT);
}

const texts = hostileTexts();
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const rows = texts.map((name, index) => {
  const text = texts.at(-index - 1) ?? '';
  return { id: index + 1, name, brief: `<p>${text.replaceAll(/[&<>]/g, (character) => escapes[character] ?? '')}</p>` };
});
/** What CSV and TSV cannot hold. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;
const hasControl = (row: (typeof rows)[number]): boolean => CONTROL.test(row.name) || CONTROL.test(row.brief);

/** The names and briefs that an import of the file would send. */
async function read(path: string): Promise<{ name: unknown; brief: unknown }[]> {
  const bytes = readFileSync(path);
  const file = { path, name: path, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  const type = rowTypeOf(campaigns);
  const reading = { 'skip-totals': false, isColumn: isColumnOf([], type), skipsOthers: false };
  const table = await readTable(file, formatOf(file, undefined), reading);
  const check = { table, maps: [], skipsContinuations: false, commandWith: () => '' };
  return checkRows(path, check, type).rows.map(({ fields }) => ({ name: fields.name, brief: fields.brief }));
}

describe('2,000 hostile names and briefs', () => {
  let env: Record<string, string> = {};
  beforeAll(() => {
    expect(texts).toHaveLength(COUNT);
    expect(rows.filter(hasControl).length).toBeGreaterThan(100);
  });

  it.each(['csv', 'tsv', 'xlsx', 'yaml', 'ndjson', 'json'])(
    'are the same after an export and an import of .%s',
    async (format) => {
      const url = await scriptedServer(() => ({
        body: rows,
        headers: { 'total-count': String(COUNT), 'total-pages': '1' },
      }));
      env = { MKT_TOKEN: 't', MKT_BASE_URL: url };
      const path = join(temporaryFolder(), `names.${format}`);
      const argv = [
        'campaigns',
        'list',
        '--org',
        '7',
        '--limit',
        String(COUNT),
        '--fields',
        'name,brief',
        '--out',
        path,
      ];
      const { code, stderr } = await runCli(argv, { env });
      expect(code, stderr).toBe(0);
      const isCells = format === 'csv' || format === 'tsv';
      const lost = isCells ? rows.filter(hasControl) : [];
      const labels = lost.slice(0, 10).map(({ id }) => `id ${id}`);
      if (isCells) {
        const warning = `Left out control characters, which ${format} cannot hold: ${labels.join(', ')} and ${lost.length - 10} more.`;
        expect(stderr).toContain(warning);
      } else expect(stderr).not.toContain('warning');
      const found = await read(path);
      expect(found).toHaveLength(COUNT);
      const kept = (row: (typeof rows)[number]): boolean => !isCells || !hasControl(row);
      const differing = rows.filter((row, index) => {
        return kept(row) && (found[index]?.name !== row.name || found[index]?.brief !== row.brief);
      });
      expect(differing.map((row) => ({ ...row, found: found[row.id - 1] })).slice(0, 5)).toEqual([]);
      // Other readers of YAML reject these characters.
      if (format === 'yaml') expect(readFileSync(path, 'utf8')).not.toMatch(/[\ufffe\uffff]/);
      // Another reader.
      if (format === 'xlsx') {
        const [head, ...cells] = await readSheet(path, 1, { trim: false });
        expect(head).toEqual(['name', 'brief']);
        expect(cells).toEqual(rows.map(({ name, brief }) => [name, brief]));
      }
      if (isCells) {
        const delimiter = format === 'csv' ? ',' : '\t';
        const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
        const options = { delimiter, newline: '\n', skipEmptyLines: true };
        const { data, errors }: { data: string[][]; errors: unknown[] } = papaparse.parse(text, options);
        expect(errors).toEqual([]);
        expect(data).toHaveLength(COUNT + 1);
        const others = data.slice(1).map((cells) => cells.map((cell) => plainText(cell, delimiter)));
        for (const [index, row] of rows.entries()) if (kept(row)) expect(others[index]).toEqual([row.name, row.brief]);
      }
    },
  );
});
