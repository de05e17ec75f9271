import { type Command, defineCommand } from '../../context/command.js';
import type { Listing } from '../../shared/presenter.js';

/** `mkt export`, for everything that has a list. */
export function exportCommand(listings: readonly Listing[]): Command {
  const names = listings.map(({ resource }) => resource.command);
  return defineCommand({
    name: 'export',
    summary: 'Write all rows of a noun to a file or a pipe',
    notes: [
      'Rows are written as they arrive, however many there are. With --out the file appears only when it is complete.',
      'Lists have no briefs, so each campaign and collab is a request of its own. --fields without brief needs none.',
    ],
    args: [{ name: 'noun', required: true, description: `One of ${names.join(', ')}`, completes: { choices: names } }],
    flags: [
      {
        name: 'out',
        kind: 'path',
        value: 'FILE',
        description: 'Write here instead of stdout (-); the ending chooses the format',
      },
      {
        name: 'bom',
        kind: 'switch',
        description: 'Begin csv with the mark that Excel needs to read accents and emoji',
      },
    ],
    prints: null,
    examples: [
      { line: 'mkt export campaigns --org 5 --out campaigns.csv' },
      { line: 'mkt export collabs --org 5 --format ndjson' },
      { line: 'mkt export members --org 5 --format csv --fields user.name,user.email,role' },
    ],
    run: async (context, { args: [noun], flags }) =>
      (await import('./run.js')).exportRows(context, listings, noun, flags),
  });
}
