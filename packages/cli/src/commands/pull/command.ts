import { defineCommand } from '../../context/command.js';

export const pull = defineCommand({
  name: 'pull',
  summary: 'Write campaigns and collabs to a file for mkt apply',
  notes: [
    'The file declares every field that mkt apply can change, and the status (for a collab: the state). Until someone changes something, mkt apply --dry-run on it reports 0 changes. With --out, the file appears only when it is complete.',
    'mkt only reads, four requests at a time, so a read-only token is enough. Banners, budgets and counts are not in the file, because mkt apply cannot change them.',
  ],
  flags: [{ name: 'out', kind: 'path', value: 'FILE', description: 'Write to this file: .yaml or .json' }],
  output: ['yaml', 'json'],
  examples: [
    { line: 'mkt pull --org 5 --out brand.yaml' },
    { line: 'mkt pull --org 5', about: 'Prints the declaration' },
  ],
  run: async (context, { flags }) => (await import('./run.js')).pullDeclaration(context, flags),
});
