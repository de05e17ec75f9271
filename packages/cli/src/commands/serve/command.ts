import { defineCommand } from '../../context/command.js';

/** Its flags are those of the server, so everything after `serve` is passed on. */
export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the reference server on this machine, with demo data',
  passThrough: true,
  examples: [{ line: 'mkt serve --port 4010' }, { line: 'mkt serve --db shop.db' }],
  run: async (context, { args, command }) =>
    (await import('../../api/serve.js')).serve('mkt serve', args, context.io, command.examples),
});
