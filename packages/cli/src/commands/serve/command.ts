import type { Leaf } from '../../context/command.js';

/** Its flags are the server's own: everything after `serve` is passed on. */
export const serve: Leaf = {
  name: 'serve',
  summary: 'Run the reference server on this machine, with demo data',
  prints: null,
  examples: [{ line: 'mkt serve --port 4010' }, { line: 'mkt serve --db shop.db' }],
  load: () => Promise.reject(new Error('serve is handed to the server before flags are read')),
};
