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
