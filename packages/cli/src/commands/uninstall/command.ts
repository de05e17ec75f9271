import { defineCommand } from '../../context/command.js';

export const uninstall = defineCommand({
  name: 'uninstall',
  summary: 'Show what mkt keeps on this computer; --purge removes it',
  notes: [
    'Lists the settings, the stored tokens, the history, the cache and the completions of this user, and the command that ' +
      'removes the program itself.',
    'Removed tokens stay valid until you revoke them: mkt tokens revoke ID.',
  ],
  flags: [
    { name: 'purge', kind: 'switch', description: 'Remove all of it but the program, after a confirmation' },
    { name: 'dry-run', kind: 'switch', description: 'With --purge: only show what would be removed' },
  ],
  examples: [{ line: 'mkt uninstall' }, { line: 'mkt uninstall --purge --dry-run' }],
  run: async (context, { flags }) => (await import('./run.js')).uninstall(context, flags),
});
