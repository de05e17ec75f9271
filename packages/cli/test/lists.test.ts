import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { campaignListItem } from '@mkt/sdk/contract';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../src/text/formats.js';
import { runCli, type Terminal } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ada = (argv: readonly string[], terminal: Terminal = {}) =>
  runCli(argv, { ...terminal, env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, ...terminal.env } });

const golden = (name: string) => `goldens/${name}.txt`;
/** The fields of the goldens, which show formats: those of the contract have a test of their own. */
const fieldsOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, golden(`list-${name}-csv`)), 'utf8').split('\n', 1)[0] ?? '';

const lists = [
  ['campaigns', ['campaigns', 'list', '--org', '5']],
  ['collabs', ['collabs', 'list', '--org', '5']],
  ['members', ['members', 'list', '--org', '5']],
  ['organizations', ['organizations', 'list']],
  ['social-accounts', ['social-accounts', 'list']],
  ['tokens', ['tokens', 'list']],
] as const;

describe.each(lists)('%s list', (name, argv) => {
  const shapes: readonly (readonly [string, readonly string[], Terminal])[] = [
    ['80 columns', [], { columns: 80 }],
    ['120 columns', [], { columns: 120 }],
    ['40 columns', [], { columns: 40 }],
    ['pipe', [], {}],
    ['json', ['--json', '--fields', fieldsOf(name)], {}],
    ['csv', ['--format', 'csv', '--fields', fieldsOf(name)], {}],
    ['tsv', ['--format', 'tsv', '--fields', fieldsOf(name)], {}],
    ['ndjson', ['--format', 'ndjson', '--fields', fieldsOf(name)], {}],
    ['yaml', ['--format', 'yaml', '--fields', fieldsOf(name)], {}],
  ];
  it.each(shapes)('in %s', async (shape, more, terminal) => {
    const { code, stdout, stderr } = await ada([...argv, ...more], terminal);
    expect(code).toBe(0);
    const { columns } = terminal;
    if (columns !== undefined) {
      const widest = Math.max(...stdout.split('\n').map((line) => [...line].length));
      expect(widest).toBeLessThanOrEqual(columns);
    }
    await expect(`${stdout}--- stderr\n${stderr}`).toMatchFileSnapshot(
      golden(`list-${name}-${shape.replaceAll(' ', '-')}`),
    );
  });
});

describe('a list of campaigns', () => {
  it.each(['csv', 'json'])('has every field of the contract, in its order, as %s', async (format) => {
    const { stdout } = await ada(['campaigns', 'list', '--org', '5', '--format', format]);
    const fields = format === 'csv' ? stdout.split('\n', 1)[0]?.split(',') : Object.keys(JSON.parse(stdout)[0]);
    expect(fields).toEqual(Object.keys(campaignListItem.shape));
  });

  const ids = async (...argv: readonly string[]) => {
    const { stdout, stderr, code } = await ada([
      'campaigns',
      'list',
      '--org',
      '5',
      ...argv,
      '--fields',
      'id',
      '--no-header',
    ]);
    expect(code).toBe(0);
    return { ids: stdout.trim().split(/\s+/).filter(Boolean).map(Number), stderr };
  };

  it('shows page 1 by default, with the command for the next page', async () => {
    const { ids: found, stderr } = await ids();
    expect(found).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(stderr).toBe('20 of 45, page 1 of 3. More: mkt campaigns list --org 5 --page 2\n');
  });
  it('shows one page with --page', async () => {
    const { ids: found, stderr } = await ids('--page', '3');
    expect(found).toEqual([41, 42, 43, 44, 45]);
    expect(stderr).toBe('5 of 45, page 3 of 3.\n');
  });
  it('is empty past the last page', async () => {
    expect(await ids('--page', '9')).toEqual({ ids: [], stderr: 'No campaigns on page 9; the last page is 3.\n' });
  });
  it('reads as many pages as --limit needs', async () => {
    const { ids: found, stderr } = await ids('--limit', '25');
    expect(found).toHaveLength(25);
    expect(stderr).toBe('25 of 45. More: mkt campaigns list --org 5 --all\n');
  });
  it('shows all rows with --all', async () => {
    const { ids: found, stderr } = await ids('--all');
    expect(found).toHaveLength(45);
    expect(stderr).toBe('45 of 45.\n');
  });
  it('reads all pages for a filter and says how many rows it searched', async () => {
    expect(await ids('--status', 'paused')).toEqual({ ids: [4, 14, 24], stderr: '3 found, 45 searched.\n' });
  });
  it('names the values of a field if no row has that of the filter', async () => {
    expect((await ids('--country', 'AQ')).stderr).toMatch(
      / No row has --country AQ\. Values found: AT, AU, BE, [A-Z, ]+, and \d+ more\.\n$/,
    );
    const cleo = { env: { MKT_TOKEN: tokens.cleo_write } };
    for (const format of ['table', 'json', 'csv'])
      expect(
        (await ada(['campaigns', 'list', '--org', '5', '--status', 'draft', '--format', format], cleo)).stderr,
      ).toMatch(/^0 found, 39 searched\. No row has --status draft\. .* Only admins see drafts\.\n$/);
    expect((await ids('--status', 'paused', '--name', 'zebra')).stderr).toBe('0 found, 45 searched.\n');
    const { stdout, stderr } = await ada(['campaigns', 'list', '--org', '5', '--country', 'AQ', '--json']);
    expect({ stdout, stderr }).toEqual({ stdout: '[]\n', stderr: '' });
  });
  it.each([
    [['campaigns', 'list', '--status', 'pausd'], '--status pausd is unknown. Did you mean paused?'],
    [['collabs', 'list', '--state', 'Publishd'], '--state publishd is unknown. Did you mean published?'],
    [['members', 'list', '--role', 'amdin'], '--role amdin is unknown. Did you mean admin?'],
    [['campaigns', 'list', '--sort', '-views'], 'this list has no field "views". Did you mean -view_count?'],
    [['campaigns', 'list', '--sort', '-used_precent'], 'Did you mean -used_percent?'],
    [['campaigns', 'list', '--sort', 'efective_cpm'], 'Did you mean effective_cpm?'],
    [['campaigns', 'list', '--org', '7', '--sort', 'nmae'], 'this list has no field "nmae". Did you mean name?'],
    [['campaigns', 'list', '--fields', 'nmae'], 'Unknown field "nmae". Did you mean name?'],
  ])('rejects a misspelt value with a suggestion: %j', async (argv, message) => {
    const { code, stdout, stderr } = await ada([...argv.slice(0, 2), '--org', '5', ...argv.slice(2)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
  it('counts the rows that pass the filter if --limit shows only some of them', async () => {
    const { stderr } = await ids('--status', 'active', '--sort', '-view_count', '--limit', '3');
    const all = await ids('--status', 'active');
    expect(stderr).toBe(
      `3 of ${all.ids.length} found, 45 searched. More: mkt campaigns list --org 5 --status active --sort -view_count --all\n`,
    );
  });
  it('takes several values of a filter, and several filters', async () => {
    const { ids: found } = await ids('--status', 'paused,finished', '--name', 'MOTHER');
    expect(found).toEqual([15]);
  });
  it('filters only one page with --page', async () => {
    const { ids: found, stderr } = await ids('--status', 'paused', '--page', '1');
    expect(found).toEqual([4, 14]);
    expect(stderr).toBe(
      '2 of 20 searched, 45 in total, page 1 of 3. More: mkt campaigns list --org 5 --status paused --page 2\n',
    );
  });
  it('stops reading when --limit rows pass the filter', async () => {
    const { ids: found, stderr } = await ids('--status', 'paused', '--limit', '1');
    expect(found).toEqual([4]);
    expect(stderr).toBe('1 found, 4 searched. More: mkt campaigns list --org 5 --status paused --all\n');
  });
  it.each([
    [['--sort', '-unused_amount'], /^ID +NAME .* UNUSED/],
    [['--sort', 'used_percent'], /^ID +NAME .* USED%/],
    [['--budget-used', '80'], /^ID +NAME .* USED%/],
    [['--sort', '-updated_at'], /^ID +NAME .* UPDATED_AT$/m],
    [['--sort', '-updated_at', '--page', '1'], /^ID +NAME .* UPDATED_AT$/m],
  ])('shows the column that sorts or limits the rows, also on a narrow terminal: %j', async (flags, head) => {
    const { stdout } = await ada(['campaigns', 'list', '--org', '5', ...flags], { columns: 60 });
    expect(stdout).toMatch(head);
  });
  it('prints no header on a terminal when there are no rows', async () => {
    const argv = ['campaigns', 'list', '--org', '5', '--country', 'AQ'];
    expect(await ada(argv, { columns: 80 })).toMatchObject({ stdout: '', stderr: expect.stringMatching(/^0 found,/) });
    expect((await ada(argv)).stdout).toMatch(/^ID +NAME/);
  });
  it('sorts all rows before it limits them', async () => {
    const { ids: found } = await ids('--sort', '-view_count', '--limit', '3');
    const all = await ada(['campaigns', 'list', '--org', '5', '--all', '--json']);
    const rows = JSON.parse(all.stdout) as { id: number; view_count: number }[];
    const wanted = rows.toSorted((left, right) => right.view_count - left.view_count).slice(0, 3);
    expect(found).toEqual(wanted.map(({ id }) => id));
  });
  it.each([
    // Campaigns were created at noon: the clock of the built program goes on while it runs.
    ['3479h', '2026-01-07T13:00:00Z'],
    ['2026-01-08', '2026-01-08T00:00:00Z'],
    ['2026-01-07T10:00:00+02:00', '2026-01-07T08:00:00Z'],
  ])('is what was created --since %s', async (since, start) => {
    const all = await ada(['campaigns', 'list', '--org', '5', '--all', '--json']);
    const rows = JSON.parse(all.stdout) as { id: number; created_at: string }[];
    const wanted = rows.flatMap(({ id, created_at }) => (Date.parse(created_at) >= Date.parse(start) ? [id] : []));
    expect(wanted.length % 45).toBeGreaterThan(0);
    expect(await ids('--since', since)).toEqual({ ids: wanted, stderr: `${wanted.length} found, 45 searched.\n` });
  });
  it('sorts empty values last in both directions', async () => {
    for (const sort of ['published_at', '-published_at']) {
      const { ids: found } = await ids('--sort', sort);
      expect(found.slice(-6).toSorted((a, b) => a - b)).toEqual([1, 2, 10, 20, 30, 40]);
    }
  });
});

describe('an empty list', () => {
  it('is [] in JSON and a sentence in a table', async () => {
    const json = await ada(['campaigns', 'list', '--org', '7', '--json']);
    expect(json).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
    for (const flags of [[], ['--all'], ['--limit', '3'], ['--sort', 'name'], ['--status', 'paused']]) {
      const people = await ada(['campaigns', 'list', '--org', '7', ...flags]);
      expect(people.stderr).toBe('No campaigns in Initech Audio.\n');
    }
  });
  it('has a header in CSV', async () => {
    const { stdout } = await ada(['collabs', 'list', '--org', '7', '--format', 'csv']);
    expect(stdout.startsWith('id,name,state,')).toBe(true);
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });
});

describe('fields', () => {
  it('begin with the brief if there are no others', async () => {
    const { stdout } = await ada(['campaigns', 'show', '1', '--org', '5', '--fields', 'brief']);
    expect(stdout).toMatch(/^brief\n {2}We look for ugc/);
  });
  it('keeps the nesting of a path in JSON, and flattens it elsewhere', async () => {
    const json = await ada(['members', 'list', '--org', '5', '--json', '--fields', 'user.email,role']);
    expect(JSON.parse(json.stdout)[0]).toEqual({ user: { email: 'ada@acme.example' }, role: 'admin' });
    const csv = await ada(['members', 'list', '--org', '5', '--format', 'csv', '--fields', 'user.email,role']);
    expect(csv.stdout.split('\n').slice(0, 2)).toEqual(['user.email,role', 'ada@acme.example,admin']);
  });
  it.each(['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml'])(
    'rejects an unknown field in %s, for a full list and an empty one',
    async (format) => {
      for (const org of ['5', '7']) {
        const argv = ['campaigns', 'list', '--org', org, '--fields', 'id,colour', '--format', format];
        const { code, stdout, stderr } = await ada(argv);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr).toContain('colour');
      }
    },
  );
  it('rejects an unknown field of an object', async () => {
    for (const flags of [[], ['--json'], ['--format', 'csv']]) {
      const argv = ['members', 'list', '--org', '5', '--fields', 'user.nme', ...flags];
      const { code, stdout, stderr } = await ada(argv);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('Did you mean user.name?');
    }
  });
  it('names the commands that print a field which lists leave out', async () => {
    const { code, stdout, stderr } = await ada(['campaigns', 'list', '--org', '5', '--fields', 'id,brief']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'error: Lists do not contain brief.\n  try:  For one: mkt campaigns show ID --fields brief\n        For all: mkt export campaigns\n',
    );
  });
  it('lists the fields if none is similar', async () => {
    const { code, stdout, stderr } = await ada(['campaigns', 'list', '--org', '5', '--fields', 'id,colour']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Unknown field "colour".');
    expect(stderr).toContain('Fields: id, name, status');
  });
  it.each([
    [
      ['members', 'list', '--json', 'role,user.email'],
      ['role', 'user'],
    ],
    [
      ['campaigns', 'show', '--json', 'id,name', '1'],
      ['id', 'name'],
    ],
    [['campaigns', 'show', '1', '--json', 'name'], ['name']],
    [
      ['orgs', 'list', '--json', 'id', '--fields', 'name'],
      ['name', 'id'],
    ],
  ])('are chosen by the word after --json, as in gh: %j', async (argv, keys) => {
    const { code, stdout } = await ada([...argv, '--org', '5']);
    expect(code).toBe(0);
    expect(Object.keys([JSON.parse(stdout)].flat()[0])).toEqual(keys);
  });
  it('are not taken from an argument after --json', async () => {
    expect(await ada(['campaigns', 'show', '--json', '1', '--org', '5'])).toMatchObject({ code: 0 });
    const { code, stderr } = await ada(['campaigns', 'show', '1', '--json', '2', '--org', '5']);
    expect(code).toBe(2);
    expect(stderr).toContain('Unexpected argument');
  });
  it('filters with jq, and prints text without quotes and objects on one line', async () => {
    expect((await ada(['orgs', 'list', '--jq', '.[].name'])).stdout).toBe('Acme Cosmetics\nInitech Audio\n');
    expect((await ada(['orgs', 'list', '--jq', '.[0] | {id, name}'])).stdout).toBe(
      '{"id":5,"name":"Acme Cosmetics"}\n',
    );
  });
  it('rejects invalid jq before the first request', async () => {
    const { code, stderr } = await ada(['orgs', 'list', '--jq', '.[', '--base-url', 'http://127.0.0.1:1']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--jq '\.\[': .*(syntax|INVALID)/);
  });
});

it.each([
  [['--page', '0'], '--page takes a number from 1, not 0.'],
  [['--page', '1', '--all'], '--page and --all cannot be used together.'],
  [['--limit', 'ten'], '--limit takes a whole number, not "ten".'],
  [['--limit', '1e3'], '--limit takes a whole number, not "1e3".'],
  [['--limit', '9007199254740993'], '--limit takes a whole number, not "9007199254740993".'],
  [['--sort', 'colour'], 'this list has no field "colour".'],
  [['--since', 'someday'], '--since takes a date or an age, not "someday".'],
  [['--since', '1m'], '1m could be minutes or months: 1min or 1mo'],
  [['--since', '2026-02-30'], '--since takes a date or an age'],
  [['--since', '7'], 'Examples: 2026-11-01, 2026-11-01T09:00:00Z, yesterday, monday, 30min, 12h, 7d, 4w, 1mo'],
  [['--format', 'xml'], `--format takes one of ${FORMATS.join(', ')}, not "xml".`],
  [['--json', '--format', 'csv'], '--json and --format csv cannot be used together.'],
])('rejects %j', async (flags, message) => {
  const { code, stdout, stderr } = await ada(['campaigns', 'list', '--org', '5', ...flags]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});
