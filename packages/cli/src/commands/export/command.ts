import { type Command, defineCommand } from '../../context/command.js';
import type { Listing } from '../../lists/presenter.js';
import { ENDINGS } from '../../text/formats.js';

/** `mkt export`, for every resource that has a list. */
export function exportCommand(listings: readonly Listing[]): Command {
  const names = listings.map(({ resource }) => resource.command);
  return defineCommand({
    name: 'export',
    summary: 'Write a whole list to a file or a pipe',
    notes: [
      'Rows are written as they arrive, so a list can be of any size. With --out, the file appears only when it is complete.',
      'Lists do not contain briefs, so mkt sends one more request for each campaign and collab. To avoid these requests, choose --fields without brief.',
    ],
    args: [
      { name: 'resource', required: true, description: `One of ${names.join(', ')}`, completes: { choices: names } },
    ],
    flags: [
      {
        name: 'out',
        kind: 'path',
        value: 'FILE',
        description: `Write to this file; its ending sets the format: ${ENDINGS.join(', ')}`,
      },
      {
        name: 'bom',
        kind: 'switch',
        description: 'Start CSV with a byte order mark, which Excel needs for accents and emoji; files have one',
      },
      { name: 'no-bom', kind: 'switch', description: 'Write CSV files without a byte order mark' },
    ],
    examples: [
      { line: 'mkt export campaigns --org 5 --out campaigns.xlsx', about: 'For Excel' },
      { line: "mkt export campaigns --org 5 --out campaigns.csv --delimiter ';'" },
      { line: 'mkt export collabs --org 5 --format ndjson' },
      { line: 'mkt export members --org 5 --format csv --fields user.name,user.email,role' },
    ],
    run: async (context, { args: [resource = ''], flags }) =>
      (await import('./run.js')).exportRows(context, listings, resource, flags),
  });
}
