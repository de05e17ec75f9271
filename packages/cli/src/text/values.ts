import { stripVTControlCharacters } from 'node:util';

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

export const textAt = (row: unknown, path: string): string => cellText(valueAt(row, path));
export const numberAt = (row: unknown, path: string): number => Number(valueAt(row, path) ?? 0);

/** The first, the last, and evenly spaced ones between. */
export function spread<Element>(items: readonly Element[], count: number): readonly Element[] {
  const step = Math.max(1, (items.length - 1) / (count - 1));
  const chosen = Array.from({ length: count }, (_, index) => Math.round(index * step));
  return items.filter((_, index) => chosen.includes(index));
}

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Characters that a terminal may interpret unescaped (DEL, C1 controls, bidirectional marks), and two that YAML forbids. */
export const UNSAFE = '\\x7f-\\x9f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ufffe\\uffff';
const unsafe = new RegExp(`[${UNSAFE}]`, 'g');

/** Escapes these characters as in double-quoted strings of JSON and YAML. */
export const escapeUnsafe = (text: string): string =>
  text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const jsonText = (value: unknown): string => `${escapeUnsafe(JSON.stringify(value, null, 2))}\n`;

/** On one line, for NDJSON and for errors. */
export const jsonLine = (value: unknown): string => `${escapeUnsafe(JSON.stringify(value))}\n`;

/** Whether two values are the same in JSON. */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** The value of a JSON text; undefined if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The object of a JSON text, such as of a column that may be null; undefined if it is not one. */
export function objectIn(text: unknown): JsonObject | undefined {
  const value = typeof text === 'string' ? parseJson(text) : undefined;
  return isObject(value) ? value : undefined;
}

/** Control characters except the line break and the tab. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
/** Invisible characters, and those that change the text direction. */
const MARKS = /[\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Makes text of the service safe for a terminal, because anyone can write names and briefs. Line breaks and tabs stay. */
export const sanitize = (text: string): string =>
  stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(MARKS, '').replace(CONTROLS, '');

/** The same on one line, for table cells and names in messages. */
export const sanitizeLine = (text: string): string => sanitize(text).replace(/\s+/g, ' ').trim();

/**
 * Text without what CSV and TSV cannot hold: control characters, which a terminal would obey when the file is shown, and
 * lone surrogates.
 */
export const withoutControls = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[^\P{Cc}\t\n\r]/gu, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');

export const idOf = (row: unknown): string => textAt(row, 'id');
export const nameOf = (row: unknown): string => sanitizeLine(textAt(row, 'name'));

/** The items with the same key, in their order. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
