import { isObject, type JsonObject } from './json.js';

/** A resource as the API returned it, including unknown fields. */
export type Row = object;

const own = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;

/** The value at a field, or at a path such as `user.email`. */
export const valueAt = (row: unknown, path: string): unknown => path.split('.').reduce(own, row);

/**
 * The paths of all values in a row; a nested object has those of its values: `user.id`, `user.name`. A value that is not
 * an object, which a non-conforming list may contain, has none.
 */
export const pathsOf = (row: unknown, prefix = ''): string[] =>
  Object.entries(isObject(row) ? row : {}).flatMap(([key, value]) =>
    isObject(value) && Object.keys(value).length > 0 ? pathsOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );

/** A row with only these fields, in this order; paths stay nested. */
export function pick(row: Row, paths: readonly string[]): Row {
  const picked: JsonObject = {};
  for (const path of paths) {
    const value = valueAt(row, path);
    if (value === undefined) continue;
    const keys = path.split('.');
    const last = keys.pop() ?? path;
    let target = picked;
    for (const key of keys) {
      const inner = isObject(target[key]) ? target[key] : {};
      target[key] = inner;
      target = inner;
    }
    target[last] = value;
  }
  return picked;
}

/** An id of the command line, a file or the settings as the API has it: a number if it is one. */
export const idValue = (id: string): string | number => (/^\d{1,15}$/.test(id) ? Number(id) : id);

/** `1,234,567.89`. */
export const grouped = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

/** A value as one cell: lists with commas, nothing for null, numbers unchanged. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(',');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** The first, the last, and evenly spaced ones between. */
export function spread<Element>(items: readonly Element[], count: number): readonly Element[] {
  const step = Math.max(1, (items.length - 1) / (count - 1));
  const chosen = Array.from({ length: count }, (_, index) => Math.round(index * step));
  return items.filter((_, index) => chosen.includes(index));
}
