import type { Command } from '../../context/command.js';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Find out why mkt does not work here, and how to mend it',
  notes: [
    'It looks at Node, the settings and who may read them, the keychain, the token, proxy, certificates, the way to the service, and the clock. It changes nothing. What depends on something that failed is skipped. The exit code is that of the first failure; warnings alone end with 0.',
    '--drift leaves that out. It reads through every GET endpoint of the API, with GET and HEAD alone, and reports where answers depart from the API document: a few pages and things of each list, in up to 5 organizations, or in the one that --org names. Each row is one endpoint and one departure; "ok", "not visible" and "not checked" are none. It ends with 1 when there are departures.',
  ],
  flags: [{ name: 'drift', kind: 'switch', description: 'Compare the answers of the service with the API document' }],
  prints: null,
  examples: [
    { line: 'mkt doctor' },
    { line: 'mkt doctor --json' },
    { line: 'mkt doctor --drift' },
    { line: 'mkt doctor --drift --org 5 --json' },
  ],
  run: async (context, invocation) => (await import('./doctor.js')).doctor(context, invocation),
};
