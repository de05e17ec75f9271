import { pathsOf, type Row } from '../text/row.js';

/** Columns of formats with cells: the contract's fields, objects as `user.email`, then all others of the first rows. */
export function cellPaths(fields: readonly string[], rows: readonly Row[]): string[] {
  const found = new Set(rows.flatMap((row) => pathsOf(row)));
  const opened = fields.flatMap((field) => {
    const inside = [...found].filter((path) => path.startsWith(`${field}.`));
    return inside.length > 0 ? inside : [field];
  });
  return [...new Set([...opened, ...found])];
}
