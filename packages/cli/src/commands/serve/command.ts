import type { Command } from '../../context/command.js';

/** Its flags are the server's own: everything after `serve` is passed on. */
export const serve: Command = {
  name: 'serve',
  summary: 'Run the reference server on this machine, with demo data',
  prints: null,
  examples: [{ line: 'mkt serve --port 4010' }, { line: 'mkt serve --db shop.db' }],
  run: () => Promise.reject(new Error('serve is handed to the server before flags are read')),
};
