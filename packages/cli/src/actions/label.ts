import { idOf } from '../organization.js';
import { cellText, type Row, valueAt } from '../output/row.js';
import { sanitizeLine } from '../output/sanitize.js';
import { cutTo } from '../output/width.js';
import type { Resource } from '../resources/resource.js';

/** `campaign 12 "Summer UGC"`, as receipts and questions name a thing. */
export function labelOf(resource: Resource, row: Row): string {
  const title = sanitizeLine(cellText(valueAt(row, resource.title)));
  const name = title === '' ? '' : ` "${cutTo(title, 50)}"`;
  return `${resource.noun} ${idOf(row)}${name}`;
}
