import { defineCommand } from '../../context/command.js';
import { PAST_TIMES } from '../../fields/past-time.js';
import { byCurrency, groupByFlag } from '../../lists/definitions.js';

export const report = defineCommand({
  name: 'report',
  summary: 'Report budgets, views, pace and what needs attention',
  notes: [
    'Reads all campaigns and collabs, and records them. What happened in the period comes from the history, so it needs readings from before: mkt watch --once in cron.',
    'The format follows from the name of FILE: .html (one file without scripts, for mail and print), .md or .json. Amounts are by currency, and never added across currencies.',
  ],
  flags: [
    { name: 'since', kind: 'text', value: 'TIME', description: `The period: since ${PAST_TIMES} (default: 7d)` },
    { name: 'until', kind: 'text', value: 'TIME', description: 'The end of the period (default: now)' },
    { name: 'month', kind: 'text', value: 'YYYY-MM', description: 'The period is a calendar month, such as 2026-11' },
    {
      name: 'compare',
      kind: 'switch',
      description: 'Compare with the month before, else with the period of the same length before',
    },
    groupByFlag,
    byCurrency('Only campaigns and collabs in a currency'),
    { name: 'out', kind: 'path', value: 'FILE', description: 'Write to this file: .html, .md or .json' },
  ],
  examples: [
    { line: 'mkt report --org 5' },
    { line: 'mkt report --org 5 --since monday --out week.html' },
    { line: 'mkt report --all-orgs --month 2026-05 --compare' },
    { line: 'mkt report --org 5 --json' },
  ],
  run: async (context, invocation) => (await import('./run.js')).report(context, invocation),
});
