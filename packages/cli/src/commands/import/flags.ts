import type { Flag, FlagValues } from '../../context/flags.js';

export const INPUT_FORMATS = ['csv', 'tsv', 'xlsx', 'json', 'ndjson', 'yaml'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export const flags = [
  { name: 'file', short: 'f', kind: 'path', value: 'FILE', description: 'The same as the argument' },
  {
    name: 'input-format',
    kind: 'text',
    value: 'FORMAT',
    choices: INPUT_FORMATS,
    description: `Format of the file, if its extension does not show it: ${INPUT_FORMATS.join(', ')}`,
  },
  {
    name: 'map',
    kind: 'text',
    value: 'COLUMN=FIELD',
    repeatable: true,
    description:
      "Field to set from a column; COLUMN= skips it, '*=' skips all others, @FILE reads a mapping. Can be repeated",
  },
  { name: 'save-map', kind: 'path', value: 'FILE', description: 'Save the mapping for --map @FILE' },
  {
    name: 'sheet',
    kind: 'text',
    value: 'NAME',
    description: 'Sheet of a workbook; by default the one with the most known columns',
  },
  {
    name: 'delimiter',
    kind: 'text',
    value: 'C',
    description: 'Between the cells of FILE, if mkt does not find it: one character, or tab',
  },
  {
    name: 'skip-lines',
    kind: 'integer',
    value: 'N',
    description: 'Lines above the column names, if mkt does not find them',
  },
  { name: 'skip-totals', kind: 'switch', description: 'Leave out a total in the last row' },
  {
    name: 'skip-continuations',
    kind: 'switch',
    description: 'Leave out rows with an empty name, such as the variants of a product',
  },
  { name: 'in-order', kind: 'switch', description: 'Send one row after the other, so that ids follow the file' },
  { name: 'dry-run', kind: 'switch', description: 'Check the rows and show the plan, but create nothing' },
  { name: 'continue-on-error', kind: 'switch', description: 'Continue with the other rows after one is rejected' },
  { name: 'report', kind: 'path', value: 'FILE', description: 'Write the report to this file' },
  { name: 'resume', kind: 'path', value: 'REPORT', description: 'Continue the import that wrote this report' },
] as const satisfies readonly Flag[];

export type ImportFlags = FlagValues<typeof flags>;
