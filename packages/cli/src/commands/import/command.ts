import { drafts } from '../../api/labels.js';
import { defineCommand } from '../../context/command.js';
import { flags } from './flags.js';

const importable = Object.keys(drafts);

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Create campaigns or collabs from a spreadsheet or a data file',
  notes: [
    "Columns are named after the fields that mkt campaigns create --help lists, such as name or CPM amount, or as people call them, such as Title or Market. For others, use --map; '*=' skips all others. Read-only columns such as id and status are skipped, so you can import the output of mkt export unchanged. Titles above the column names are found.",
    'In CSV and .xlsx, an empty cell gives its field the default of the service. Countries, currencies and platforms may be written as people do: "US / Germany", "Euro", "TikTok + IG". To copy empty fields as well, export and import JSON, where null clears a field.',
    'All rows are checked before anything is created. Then mkt shows the plan and asks you to confirm it; without a terminal, add --yes. Rows are created as drafts in the order of the file, four at a time, so that neighboring ids may change places; --in-order prevents it.',
    'A report records every row, so that no row is created twice, even after Ctrl-C, a crash or a lost response. It is written next to FILE: campaigns.import.ndjson for campaigns.csv. While it exists, a second import of FILE is rejected. --resume imports the rest: rows that were not sent, rows that were rejected (correct them in FILE) and rows added at the end. It first searches the organization for rows whose responses were lost.',
    'The first row that the service rejects stops the import, unless you add --continue-on-error. Exit code 9 means that only some rows were created.',
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
      name: 'resource',
      required: true,
      description: `One of ${importable.join(', ')}`,
      completes: { choices: importable },
    },
    {
      name: 'file',
      description:
        'The file with the rows: CSV, TSV, .xlsx, JSON, NDJSON or YAML, detected by its extension; - reads a pipe',
      completes: { from: 'files' },
    },
  ],
  flags,
  examples: [
    { line: 'mkt import campaigns campaigns.csv --org 7 --dry-run', about: 'Check first' },
    { line: 'mkt import campaigns campaigns.csv --org 7 --yes' },
    {
      line: 'mkt import collabs campaigns.csv --org 7 --map cpm_amount= --map website= --yes',
      about: 'Create collabs with the same names, skipping two columns',
    },
  ],
  run: async (context, { args, flags }) => (await import('./run.js')).importRows(context, args, flags),
});
