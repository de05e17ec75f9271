import type { Flag, FlagValues } from '../../context/flags.js';

/** The formats that it reads. */
export const INPUT_FORMATS = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
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
    description: 'Field to set from a column; COLUMN= skips the column. Can be repeated',
  },
  { name: 'dry-run', kind: 'switch', description: 'Check the rows and show the plan, but create nothing' },
  { name: 'continue-on-error', kind: 'switch', description: 'Continue with the other rows after one is rejected' },
  { name: 'report', kind: 'path', value: 'FILE', description: 'Write the report to this file' },
  { name: 'resume', kind: 'path', value: 'REPORT', description: 'Continue the import that wrote this report' },
] as const satisfies readonly Flag[];

export type ImportFlags = FlagValues<typeof flags>;
