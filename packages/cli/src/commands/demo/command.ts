import { defineCommand } from '../../context/command.js';

export const demo = defineCommand({
  name: 'demo',
  summary: 'Show around in six steps, on a service with demo data that is gone afterwards',
  notes: [
    'It starts the reference server on a free port of this machine. Nothing of yours takes part: no profile, token, keychain, proxy or .mkt.json is read, and nothing is written.',
    'Keys: Enter, Space or Right for the next step, b or Left for the one before, q to leave. After the last step the service goes on until you leave, with its address and tokens on the screen.',
    'Without a terminal, and with --no-input, it runs as with --once.',
  ],
  flags: [{ name: 'once', kind: 'switch', description: 'Run through all steps without waiting for keys, then end' }],
  prints: null,
  examples: [{ line: 'mkt demo' }, { line: 'mkt demo --once' }],
  run: async (context, { flags }) => (await import('./run.js')).demo(context, flags.once === true),
});
