import { defineCommand } from '../../context/command.js';
import { INPUT_FORMATS, importable } from './choices.js';

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Create campaigns or collabs from a spreadsheet or a data file',
  notes: [
    'Columns have the names of the fields that mkt campaigns create --help lists, as cpm_amount or as CPM amount. --map names the fields of other columns. Columns that only the service sets, such as id and status, are skipped, so you can import a file of mkt export as it is.',
    'In CSV, the service fills in fields whose cells are empty, and a list such as countries has commas inside its cell: "US,CA".',
    'All rows are checked before anything is created. Then the plan is shown and you confirm it; without a terminal the import needs --yes. Rows are created four at a time, as drafts.',
    'A report logs every row, so that none is created twice, not even after Ctrl-C, a crash or a lost response. It is written to the folder of FILE: campaigns.import.ndjson for campaigns.csv. While it exists, a second run is rejected; --resume imports the rest: rows that were not sent, rows that were rejected (correct them in FILE), rows added at the end. It first searches the organization for rows whose responses were lost.',
    'The first row that the service rejects stops the import; --continue-on-error tries all. Exit code 9: some rows were created.',
  ],
  sample: {
    name: 'campaigns.csv',
    lines: [
      'name,cpm_amount,countries,website',
      'Autumn glow,700,"US,CA",https://acme.example/autumn',
      'Winter balm,,DE,',
      '"Gifts, wrapped",650,US,https://acme.example/gifts',
    ],
  },
  args: [
    {
      name: 'noun',
      required: true,
      description: `One of ${importable.join(', ')}`,
      completes: { choices: importable },
    },
  ],
  flags: [
    {
      name: 'file',
      short: 'f',
      kind: 'path',
      value: 'FILE',
      description: 'The rows: CSV, TSV, JSON, NDJSON or YAML, by its ending; - reads stdin',
      required: true,
    },
    {
      name: 'input-format',
      kind: 'text',
      value: 'FORMAT',
      choices: INPUT_FORMATS,
      description: `The format, if the ending does not say it: ${INPUT_FORMATS.join(', ')}`,
    },
    {
      name: 'map',
      kind: 'text',
      value: 'COLUMN=FIELD',
      repeatable: true,
      description: 'The field that a column holds; COLUMN= skips the column. Can be repeated',
    },
    { name: 'dry-run', kind: 'switch', description: 'Check the rows and show the plan, but create nothing' },
    { name: 'continue-on-error', kind: 'switch', description: 'Try all rows, even after one is rejected' },
    { name: 'report', kind: 'path', value: 'FILE', description: 'Write the report to this file' },
    { name: 'resume', kind: 'path', value: 'REPORT', description: 'Import the rest of the import with this report' },
  ],
  prints: null,
  examples: [
    { line: 'mkt import campaigns --org 7 -f campaigns.csv --dry-run', about: 'Check first' },
    { line: 'mkt import campaigns --org 7 -f campaigns.csv --yes' },
    {
      line: 'mkt import collabs --org 7 -f campaigns.csv --map cpm_amount= --map website= --yes',
      about: 'The same names as collabs, without two columns',
    },
  ],
  run: async (context, invocation) =>
    (await import('./run.js')).importRows(context, invocation, invocation.args[0], invocation.flags),
});
