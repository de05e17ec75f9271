import * as z from 'zod/mini';
import { definitionOf } from './definition.js';
import type { Schema } from './endpoint.js';
import type { Issue } from './types.js';

/** The schema of what is at a path inside a value. */
function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const { shape, element, innerType } = definitionOf(schema);
  const inside = shape?.[key as string] ?? element;
  if (inside) return schemaAt(inside, rest);
  return innerType ? schemaAt(innerType, path) : schema;
}

/** A schema as a type expression: `string|null`, `string[]`, `"read"|"write"`. */
function typeOf(schema: Schema): string {
  const { type, format, element, innerType, options, entries } = definitionOf(schema);
  if (entries)
    return Object.values(entries)
      .map((value) => JSON.stringify(value))
      .join('|');
  if (options) return options.map(typeOf).join('|');
  if (element) return `${typeOf(element)}[]`;
  if (innerType) return type === 'nullable' ? `${typeOf(innerType)}|null` : typeOf(innerType);
  return type === 'number' && format ? 'integer' : type;
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/**
 * Where a value differs from a schema. Fields that the schema does not name are not differences. Values are not part
 * of the result, since responses may hold secrets; a name outside a known set is, cut to 80 characters.
 */
export function differences(schema: Schema, value: unknown): Issue[] {
  // Nearly every response conforms, and to keep the input of each part takes a quarter of the time.
  if (z.safeParse(schema, value).success) return [];
  const { error } = z.safeParse(schema, value, { reportInput: true });
  return (error?.issues ?? []).map(({ path, input }) => {
    const expected = typeOf(schemaAt(schema, path));
    const isUnknownName = typeof input === 'string' && expected.startsWith('"');
    return {
      path: path as (string | number)[],
      expected,
      received: isUnknownName ? JSON.stringify(input.slice(0, 80)) : kindOf(input),
    };
  });
}
