import { idOf } from '../api/organization.js';
import type { Resource } from '../api/resources/resource.js';
import { cellText, type Row, valueAt } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';
import { cutTo } from '../text/width.js';

/** `campaign 12 "Summer UGC"`, as receipts and questions name a thing. */
export function labelOf(resource: Resource, row: Row): string {
  const title = sanitizeLine(cellText(valueAt(row, resource.title)));
  const name = title === '' ? '' : ` "${cutTo(title, 50)}"`;
  return `${resource.noun} ${idOf(row)}${name}`;
}
