import { expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';

const { ada, json } = adaWithService();

const list = ['campaigns', 'list', '--all'];

it('prints objects of jq as csv, tsv and a table', async () => {
  const rows: { id: number; currency: string }[] = await json(...list);
  const first = rows.slice(0, 3).map(({ id, currency }) => [String(id), currency]);
  const cellsOf = async (format: string, jq: string) => {
    const { code, stdout } = await ada([...list, '--format', format, '--jq', jq]);
    expect(code).toBe(0);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(format === 'csv' ? ',' : /\s+/));
  };
  for (const jq of ['.[:3] | map({id, currency})', '.[:3][] | {id, currency}']) {
    expect(await cellsOf('csv', jq)).toEqual([['id', 'currency'], ...first]);
    expect(await cellsOf('tsv', jq)).toEqual([['id', 'currency'], ...first]);
    expect(await cellsOf('table', jq)).toEqual([['ID', 'CURRENCY'], ...first]);
  }
  // Arrays have no names for a header.
  for (const jq of ['.[:3] | map([.id, .currency])', '.[:3][] | [.id, .currency]']) {
    expect(await cellsOf('csv', jq)).toEqual(first);
    expect(await cellsOf('table', jq)).toEqual(first);
  }
});

it('has a column for each key of any object, and cells that no spreadsheet runs', async () => {
  const csv = [...list, '--format', 'csv', '--jq'];
  expect((await ada([...csv, '[{a: 1}, {b: "=1+1"}]'])).stdout).toBe("a,b\n1,\n,'=1+1\n");
  expect((await ada([...csv, '[]'])).stdout).toBe('');
  expect((await ada([...csv, '[{a: 1}]', '--no-header'])).stdout).toBe('1\n');
});

it.each([
  ['csv', '.[].id', "--format csv needs objects or arrays from --jq '.[].id'."],
  ['table', 'length', "--format table needs objects or arrays from --jq 'length'."],
  ['yaml', '.', '--jq does not write yaml.'],
  ['ndjson', '.', '--jq does not write ndjson.'],
])('rejects --format %s with --jq %s', async (format, jq, message) => {
  const { code, stdout, stderr } = await ada([...list, '--format', format, '--jq', jq]);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});
