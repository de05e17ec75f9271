import type { Command } from '../../context/command.js';
import { INPUT_FORMATS, importable } from '../../context/importable.js';

export const importCommand: Command = {
  name: 'import',
  summary: 'Create campaigns or collabs from a spreadsheet or a data file',
  notes: [
    'Columns bear the names of the fields that mkt campaigns create --help lists, as cpm_amount or as CPM amount. --map says what other columns hold. Columns that only the service sets, such as id and status, are left out, so a file of mkt export can be imported as it is.',
    'In CSV an empty cell leaves the field to the service, and a list such as countries has commas inside its cell: "US,CA".',
    'All rows are checked before anything is created. Then the plan is shown and, on a terminal, asked about; without a terminal the import begins. Rows are created four at a time, as drafts.',
    'The report remembers every row, so that none is created twice, not even after Ctrl-C, a crash or a lost answer. It is written beside FILE: campaigns.import.ndjson for campaigns.csv. A second run is refused while it is there; --resume does what is left: rows that were not begun, rows that were refused (mend them in FILE), rows added at the end. Rows whose answer was lost are looked for in the organization first.',
    'The first row that the service refuses stops the import; --continue-on-error tries all. Exit code 9: some rows were created.',
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
      description: `Where the ending does not say it: ${INPUT_FORMATS.join(', ')}`,
    },
    {
      name: 'map',
      kind: 'text',
      value: 'COLUMN=FIELD',
      repeatable: true,
      description: 'This column holds that field; COLUMN= leaves it out. Several are possible',
    },
    { name: 'dry-run', kind: 'switch', description: 'Check the rows, show the plan, create nothing' },
    { name: 'continue-on-error', kind: 'switch', description: 'Try all rows, whichever are refused' },
    { name: 'report', kind: 'path', value: 'FILE', description: 'Write the report here' },
    { name: 'resume', kind: 'path', value: 'REPORT', description: 'Do what is left of the import with this report' },
  ],
  prints: null,
  examples: [
    { line: 'mkt import campaigns --org 7 -f campaigns.csv --dry-run', about: 'Look first' },
    { line: 'mkt import campaigns --org 7 -f campaigns.csv' },
    {
      line: 'mkt import collabs --org 7 -f campaigns.csv --map cpm_amount= --map website=',
      about: 'The same names as collabs, two columns left out',
    },
  ],
  run: async (context, invocation) => (await import('./import-rows.js')).importRows(context, invocation),
};
