import { stringify } from 'csv-stringify/sync';
import { percent } from './report.js';

/**
 * One row per campaign. Names that a spreadsheet would read as a formula get a leading apostrophe.
 * @param {readonly import('./report.js').Row[]} rows
 */
export const toCsv = (rows) =>
  stringify(
    rows.map((row) => ({ ...row, used_percent: percent(row.used, row.total) })),
    {
      header: true,
      columns: ['id', 'name', 'status', 'currency', 'total', 'used', 'unused', 'used_percent', 'views'],
      escape_formulas: true,
    },
  );
