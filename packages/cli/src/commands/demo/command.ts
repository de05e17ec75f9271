import { defineCommand } from '../../context/command.js';

export const demo = defineCommand({
  name: 'demo',
  output: [],
  summary: 'Take a tour in seven steps, on a temporary service with demo data',
  notes: [
    'Starts the reference server on a free port of this machine. It reads no profile, token, keychain, proxy setting or .mkt.json, and writes no files.',
    'Keys: Enter, Space or Right for the next step, b or Left for the previous one, q to quit. After the last step, the service runs until you quit, with its URL and tokens on the screen.',
    'Without a terminal or with --no-input, it runs as with --once.',
  ],
  flags: [{ name: 'once', kind: 'switch', description: 'Run all steps without waiting for keys, then exit' }],
  examples: [{ line: 'mkt demo' }, { line: 'mkt demo --once' }],
  run: async (context, { flags }) => (await import('./run.js')).demo(context, flags.once === true),
});
