import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { nearest } from '../../text/nearest.js';
import type { Row } from './result.js';

/** The part of JSON Schema that the tools use. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The arguments of a tool. They are checked by the tool itself, whose messages name what was probably meant. */
export const argumentsOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** A schema for the protocol's library, which publishes it and passes every value on. */
export const published = (schema: JsonSchema): StandardSchemaWithJSON<Row, Row> => ({
  '~standard': {
    version: 1,
    vendor: 'mkt',
    validate: (value) => ({ value: value as Row }),
    jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
  },
});

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

const didYouMean = (word: string, names: readonly string[]): string => {
  const meant = nearest(word, names);
  return meant === undefined ? `Possible: ${names.join(', ')}.` : `Did you mean ${meant}?`;
};

/** What is wrong with the arguments of a call, or with a value in them. @param at its place */
export function problemsOf(schema: JsonSchema, value: unknown, at = ''): Row[] {
  const { type, items, properties, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const given = typeOf(value);
  // An id is a number in some services, and schemas with unions are refused by some models.
  const isNumber = type === 'string' && given === 'integer';
  if (type !== undefined && type !== given && !isNumber)
    return [{ at, message: `${at} must be ${type}, not ${given}.` }];
  if (schema.enum !== undefined && !schema.enum.includes(String(value)))
    return [{ at, message: `"${String(value)}" is not possible for ${at}. ${didYouMean(String(value), schema.enum)}` }];
  if (typeof value === 'number' && (value < minimum || value > maximum))
    return [{ at, message: `${at} must be ${minimum} to ${maximum}, not ${value}.` }];
  if (items !== undefined && Array.isArray(value))
    return value.flatMap((each, index) => problemsOf(items, each, `${at}[${index}]`));
  if (properties === undefined) return [];
  const prefix = at === '' ? '' : `${at}.`;
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value as Row, name));
  return [
    ...missing.map((name) => ({ at: prefix + name, message: `${prefix}${name} is required.` })),
    ...Object.entries(value as Row).flatMap(([name, each]) => {
      const inner = properties[name];
      if (inner !== undefined) return problemsOf(inner, each, prefix + name);
      const names = Object.keys(properties);
      return [{ at: prefix + name, message: `There is no argument "${prefix}${name}". ${didYouMean(name, names)}` }];
    }),
  ];
}
