import { defineCommand } from '../../context/command.js';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Find out why mkt does not work here, and how to fix it',
  notes: [
    'It checks Node, the settings and who may read them, the keychain, the token, proxy, certificates, the network path to the service, and the clock. It changes nothing. Checks that depend on a failed one are skipped. The exit code is that of the first failure; with warnings only it is 0.',
    '--drift does something else: it reads every GET endpoint of the API, with GET and HEAD only, and reports where responses differ from the API document. It reads a few pages and items of each list, in up to 5 organizations, or in the one that --org names. Each row is one endpoint and one difference; "ok", "not visible" and "not checked" are not differences. With differences it exits with 1.',
  ],
  flags: [{ name: 'drift', kind: 'switch', description: 'Compare the responses of the service with the API document' }],
  prints: null,
  examples: [
    { line: 'mkt doctor' },
    { line: 'mkt doctor --json' },
    { line: 'mkt doctor --drift' },
    { line: 'mkt doctor --drift --org 5 --json' },
  ],
  run: async (context, { flags }) =>
    flags.drift ? (await import('./drift.js')).drift(context) : (await import('./doctor.js')).doctor(context),
});
