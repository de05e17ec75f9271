import { defineCommand } from '../../context/command.js';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Find out why mkt does not work here, and how to fix it',
  notes: [
    'Checks Node, the settings files and their permissions, the keychain, the token, the proxy, certificates, the network path to the service, and the clock. It changes nothing. Checks that depend on a failed one are skipped. The exit code is that of the first failed check; warnings do not count.',
    'With --drift, mkt compares the service with its API document instead. It reads every GET endpoint (with GET only) and reports where responses differ: two pages and a few items of each list, in up to 5 organizations, or in the one given by --org. Each row is one difference at one endpoint; "ok", "not visible" and "not checked" are not differences. The exit code is 1 if there are differences, or if the service was unavailable (502, 503, 504) when something was to be checked.',
  ],
  flags: [{ name: 'drift', kind: 'switch', description: 'Compare the responses of the service with the API document' }],
  examples: [
    { line: 'mkt doctor' },
    { line: 'mkt doctor --json' },
    { line: 'mkt doctor --drift' },
    { line: 'mkt doctor --drift --org 5 --json' },
  ],
  run: async (context, { flags }) =>
    flags.drift ? (await import('./drift.js')).drift(context) : (await import('./doctor.js')).doctor(context),
});
