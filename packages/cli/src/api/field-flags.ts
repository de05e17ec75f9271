import type { FieldKinds } from '@mkt/sdk/contract';
import * as contract from '@mkt/sdk/contract';
import { hasKind, platforms } from '@mkt/sdk/contract/resources';
import type { BriefFormat } from '@mkt/server/brief-html';
import { $ZodType, type JSONSchema, toJSONSchema } from 'zod/v4/core';
import type { FieldFlags } from '../context/command.js';
import type { Flag, FlagKind } from '../context/flags.js';

type JsonSchema = JSONSchema.BaseSchema;

const schemas: Readonly<Record<string, unknown>> = contract;

/** A schema of the contract as JSON Schema. */
function jsonSchema(name: string): JsonSchema {
  const schema = schemas[name];
  if (!(schema instanceof $ZodType)) throw new Error(`The contract has no schema ${name}.`);
  return toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

/** A schema and its parts: those of list items, and the alternatives of a nullable field. */
const partsOf = (schema: JSONSchema._JSONSchema | undefined): JsonSchema[] => {
  if (typeof schema !== 'object') return [];
  const { anyOf = [], items } = schema;
  return [schema, ...[...anyOf, ...(Array.isArray(items) ? items : [items])].flatMap(partsOf)];
};

const enumOf = (parts: readonly JsonSchema[]): string[] | undefined =>
  parts.find((part) => part.enum !== undefined)?.enum?.map(String);

/** Names of all fields of a schema, in the contract's order. */
export const fieldNames = (schema: string): string[] => Object.keys(jsonSchema(schema).properties ?? {});

/** What each field of a schema is. */
export const fieldKinds = (schema: string): FieldKinds => contract.kindsOf(schemas[schema] as contract.Schema);

/** The pattern of a field that holds a code, a slug, or a list of them. */
export function patternOf(schema: string, field: string): RegExp | undefined {
  const { pattern } = partsOf(jsonSchema(schema).properties?.[field]).find((part) => part.pattern !== undefined) ?? {};
  return pattern === undefined ? undefined : new RegExp(pattern);
}

const kindOf = (isPurge: boolean, field: string, parts: readonly JsonSchema[]): FlagKind => {
  const types = parts.map(({ type }) => type);
  if (isPurge) return 'switch';
  if (types.includes('array')) return 'list';
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('string')) return 'text';
  if (types.includes('integer')) return 'integer';
  throw new Error(`There is no kind of flag for the field ${field}.`);
};

/** Those without a value have none. */
const placeholders: Readonly<Record<FlagKind, string | null>> = {
  list: 'A,B',
  integer: 'N',
  text: 'TEXT',
  seconds: 'SECONDS',
  path: 'FILE',
  switch: null,
  boolean: null,
};

/** Markdown without backticks, and without the final full stop. */
const plainText = (markdown: string): string => markdown.replaceAll('`', '').replace(/\.$/, '');

/** The codes that a field holds. */
export const codesOf = (kinds: FieldKinds, field: string): Flag['codes'] =>
  (['country', 'currency'] as const).find((kind) => hasKind(kinds, field, kind));

const describe = (schema: string, field: string, kind: FlagKind, partial: boolean): string => {
  if (kind === 'switch') return `Remove the ${field.replace('purge_', '').replaceAll('_', ' ')}`;
  const description = contract.descriptionsOf(schema)[field];
  if (description === undefined) throw new Error(`${schema}.${field} has no description yet. Run: npm run generate`);
  // A change does not touch omitted fields, so defaults apply only to creations.
  const { default: _, ...ofChanges } = description;
  const parts = partial ? ofChanges : description;
  if (!hasKind(fieldKinds(schema), field, 'richText')) return plainText(contract.descriptionText(parts));
  // The contract describes what the API takes; mkt converts other text.
  const what = `The ${field} as plain text, Markdown or HTML, at most 64 KiB; unsafe markup is removed.`;
  return `${contract.descriptionText({ ...parts, what })} @FILE reads a file, @- reads a pipe`;
};

/** How a brief may be written. */
export const briefFormats: readonly BriefFormat[] = ['html', 'markdown', 'text'];

/** What says how a brief is written, in flags, files and arguments: `brief_format`. */
export const formatField = (field: string): string => `${field}_format`;

/** The fields that a file may have: also those that say how a brief is written. */
export const fileFields = (fields: readonly string[], kinds: FieldKinds): string[] =>
  fields.flatMap((field) => (hasKind(kinds, field, 'richText') ? [field, formatField(field)] : [field]));

/** The flags for a request schema of the contract, one per field: `cpm_amount` is `--cpm-amount`. */
export function fieldFlags({ schema, partial, file }: FieldFlags): Flag[] {
  const { properties = {}, required = [] } = jsonSchema(schema);
  const kinds = fieldKinds(schema);
  const flags = Object.entries(properties).flatMap(([field, property]): Flag[] => {
    const parts = partsOf(property);
    const kind = kindOf(hasKind(kinds, field, 'purge'), field, parts);
    const text = describe(schema, field, kind, partial);
    const choices = kind === 'list' ? undefined : enumOf(parts);
    const standard = contract.descriptionsOf(schema)[field]?.default;
    const value = choices?.join('|') ?? placeholders[kind];
    const codes = codesOf(kinds, field);
    // Services may add others.
    const known = kind === 'list' && hasKind(kinds, field, 'platform') ? platforms : undefined;
    const clearable = kind === 'list' || (kind === 'text' && parts.some(({ type }) => type === 'null'));
    const name = field.replaceAll('_', '-');
    const flag: Flag = {
      name,
      field,
      kind,
      ...(value !== null && { value }),
      description: partial ? `${text}${clearable ? '; none clears it' : ''}` : text,
      ...(!partial && required.includes(field) && { required: true }),
      ...(choices && { choices }),
      ...(codes && { codes }),
      ...(known && { known }),
      ...(standard !== undefined && { standard: plainText(standard) }),
      ...(clearable && { clearable }),
    };
    if (!hasKind(kinds, field, 'richText')) return [flag];
    const formatFlag: Flag = {
      name: `${name}-format`,
      field: formatField(field),
      kind: 'text',
      value: briefFormats.join('|'),
      description: `How the ${field} is written; by default its file or its start shows it. See mkt help briefs`,
      choices: briefFormats,
    };
    return [flag, formatFlag];
  });
  if (file === undefined) return flags;
  return [
    ...flags,
    { name: file, field: file, kind: 'path', value: 'FILE', description: `Image file to upload as the ${file}` },
  ];
}
