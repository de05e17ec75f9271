import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { nearest } from '../../text/nearest.js';
import { failure, failureOf, type Row } from './result.js';
import type { Bound, Session } from './session.js';

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
const argumentsOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** A schema for the protocol's library, which publishes it and passes every value on. */
const published = (schema: JsonSchema): StandardSchemaWithJSON<Row, Row> => ({
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
function problemsOf(schema: JsonSchema, value: unknown, at = ''): Row[] {
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

/** Where tools are registered, and what they work with. */
export interface Toolbox {
  readonly server: McpServer;
  readonly session: Session;
  /** In front of the names of the tools, so that two servers can be told apart: `acme_`. */
  readonly prefix: string;
}

interface Tool<Args> {
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Arguments whose content the tool checks itself. */
  readonly unchecked?: readonly string[];
  /** Whether it changes something. By default it only reads. */
  readonly writes?: boolean;
  readonly run: (args: Args, bound: Bound, request: ServerContext) => Promise<CallToolResult | InputRequiredResult>;
}

/** What a tool returns. That of each is in its result: schemas are sent to a model with every question. */
const outputSchema = published({ type: 'object' });

/** Registers a tool that checks its arguments and the session, and returns the errors of its commands. */
export function registerTool<Args>(
  { server, session, prefix }: Toolbox,
  name: string,
  { title, description, properties, required, unchecked = [], writes = false, run }: Tool<Args>,
): void {
  const schema = argumentsOf(properties, required);
  const shallow = Object.entries(properties).map(([key, { type, ...rest }]): [string, JsonSchema] => [
    key,
    { ...(unchecked.includes(key) ? {} : rest), ...(type !== undefined && { type }) },
  ]);
  const checked = argumentsOf(Object.fromEntries(shallow), required);
  const annotations = writes
    ? { readOnlyHint: false, destructiveHint: true, idempotentHint: false }
    : { readOnlyHint: true };
  const config = { title, description, inputSchema: published(schema), outputSchema, annotations };
  server.registerTool(prefix + name, config, async (given, request): Promise<CallToolResult | InputRequiredResult> => {
    const problems = problemsOf(checked, given);
    const [first, second] = problems;
    if (first !== undefined) {
      const message = second === undefined ? String(first.message) : `${problems.length} arguments are wrong.`;
      return failure({ message, ...(second !== undefined && { problems }) });
    }
    try {
      return await run(given as Args, await session.open(), request);
    } catch (error) {
      return failureOf(error);
    }
  });
}

/** Flags as `--name=value`, so that no value can be read as another flag. */
export const flagsFrom = (values: Row): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
