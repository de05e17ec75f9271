import type { Leaf } from '../../context/command.js';

export const demo: Leaf = {
  name: 'demo',
  summary: 'Take a tour in six steps, on a temporary service with demo data',
  notes: [
    'It starts the reference server on a free port of this machine. It reads no profile, token, keychain, proxy setting or .mkt.json of yours, and writes nothing.',
    'Keys: Enter, Space or Right for the next step, b or Left for the one before, q to quit. After the last step the service runs until you quit, with its URL and tokens on the screen.',
    'Without a terminal, and with --no-input, it runs as with --once.',
  ],
  flags: [{ name: 'once', kind: 'switch', description: 'Run through all steps without waiting for keys, then end' }],
  prints: null,
  examples: [{ line: 'mkt demo' }, { line: 'mkt demo --once' }],
  load: async () => (await import('./demo.js')).demo,
};
