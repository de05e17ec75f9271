import { defineCommand } from '../../context/command.js';

export const watch = defineCommand({
  name: 'watch',
  summary: 'Record all campaigns, print what changed, and raise alerts',
  notes: [
    'Reads all campaigns and collabs and records them in the history, from which mkt changes, mkt campaigns trend and mkt report are made. The first reading is the baseline.',
    'What others read and changed on this machine since the last report of the same watch is shown too. A watch is its conditions and its --exec: each has its own alerts, raised once for each row, and again only after the condition was false for it. --exec runs its command once per alert in a shell, with the row as JSON on stdin and the text of the alert in MKT_ALERT.',
    '--once reads once, for cron and CI. The exit code is 11 if a new alert was raised.',
  ],
  flags: [
    { name: 'every', kind: 'text', value: 'TIME', description: 'Time between two readings: 30s, 10min (default), 1h' },
    { name: 'once', kind: 'switch', description: 'Read once and exit' },
    {
      name: 'budget-used',
      kind: 'integer',
      value: 'PERCENT',
      description: 'Alert about active campaigns that have used this much of their budget',
    },
    {
      name: 'when',
      kind: 'text',
      value: 'JQ',
      description: 'Alert about campaigns and collabs for which a jq expression is true',
    },
    { name: 'exec', kind: 'text', value: 'COMMAND', description: 'Command to run for each new alert' },
  ],
  examples: [
    { line: 'mkt watch --org 5 --once' },
    { line: 'mkt watch --org 5 --once --budget-used 80', about: 'For cron', exit: 11 },
    { line: 'mkt watch --org 5 --once --when \'.state == "submitted_for_review"\'', about: 'Any condition', exit: 11 },
  ],
  run: async (context, { flags }) => (await import('./run.js')).watch(context, flags),
});
