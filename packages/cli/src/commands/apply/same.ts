import { richText } from '@mkt/server/rich-text';
import { canonicalBrief } from './brief-form.js';

/** Lists in which the order says nothing. */
const SETS = ['countries', 'platform_ids'];

const address = (value: unknown): unknown =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value).href : value;

const asSet = (value: unknown): string =>
  Array.isArray(value) ? JSON.stringify(value.map(String).sort()) : String(value);

const asBrief = (value: unknown): string | null =>
  typeof value === 'string' ? canonicalBrief(richText(value)) || null : null;

/**
 * Whether two values of a field say the same, however each of them is written: what the service makes of a value on
 * its way in must not look like a difference on the next run.
 */
export function same(field: string, one: unknown, other: unknown): boolean {
  const [left, right] = [one ?? null, other ?? null];
  if (left === right) return true;
  if (field === 'brief') return asBrief(left) === asBrief(right);
  if (field === 'website') return address(left) === address(right);
  if (SETS.includes(field)) return asSet(left) === asSet(right);
  return Array.isArray(left) && JSON.stringify(left) === JSON.stringify(right);
}
