import { defineCommand } from '../../context/command.js';

export const upgrade = defineCommand({
  name: 'upgrade',
  summary: 'Update mkt on this computer, or print the command that does',
  notes: [
    'The executable of a release replaces its own file: it downloads the newest release, compares the SHA-256, starts the new ' +
      'file once, and only then gives it its name. If a step fails, nothing is changed.',
    'Whatever a package manager installed, that manager updates: mkt prints the command and changes nothing.',
  ],
  flags: [
    { name: 'dry-run', kind: 'switch', description: 'Say what would be done, and change nothing' },
    {
      name: 'from',
      kind: 'text',
      value: 'URL',
      description: 'A folder with the files of a release: https, or http on this machine',
    },
  ],
  examples: [{ line: 'mkt upgrade --dry-run' }, { line: 'mkt upgrade --dry-run --jq .command' }],
  run: async (context, { flags }) => (await import('./run.js')).upgrade(context, flags),
});
