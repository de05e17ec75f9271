import * as contract from '@mkt/sdk/contract';
import type { FieldFlags, Flag, FlagKind } from '../context/command.js';

interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly entries?: Readonly<Record<string, string>>;
  readonly element?: Schema;
  readonly options?: readonly Schema[];
}
interface Schema {
  readonly _zod: { readonly def: Definition };
}

const schemas = contract as unknown as Readonly<Record<string, Schema | undefined>>;
const descriptions = contract.descriptions as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

const schemaNamed = (name: string): Schema => {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`The contract has no schema ${name}.`);
  return schema;
};

const shapeOf = (name: string): Readonly<Record<string, Schema>> => schemaNamed(name)._zod.def.shape ?? {};

/** Names of all fields of a schema, in the contract's order. */
export const fieldNames = (schema: string): string[] => Object.keys(shapeOf(schema));

const unwrap = (schema: Schema): Schema => {
  const { type, innerType } = schema._zod.def;
  return (type === 'optional' || type === 'nullable') && innerType !== undefined ? unwrap(innerType) : schema;
};

/** The values of a field with a fixed set of them; lists and nullable fields have those of their items. */
export function valuesOf(schema: string, field: string): readonly string[] | undefined {
  for (let type = shapeOf(schema)[field]; type !== undefined; ) {
    const { entries, element, innerType, options } = type._zod.def;
    if (entries !== undefined) return Object.values(entries);
    type = element ?? innerType ?? options?.find((option) => option._zod.def.entries !== undefined);
  }
  return undefined;
}

const kindOf = (field: string, { type }: Definition): FlagKind => {
  if (field.startsWith('purge_')) return 'switch';
  if (type === 'array') return 'list';
  if (type === 'boolean') return 'boolean';
  if (type === 'number') return 'integer';
  return 'text';
};

const placeholders: Readonly<Partial<Record<FlagKind, string>>> = { list: 'A,B', integer: 'N', text: 'TEXT' };

/** Help speaks to people who have not read our decisions: no clause numbers, no backticks, no full stop at the end. */
const spoken = (description: string): string =>
  description
    .replace(/\s*\((?:api\.md|D\d)[^)]*\)/g, '')
    .replaceAll('`', '')
    .replace(/\.$/, '');

/** Fields that take a document: `@file` reads it. */
const DOCUMENTS = ['brief'];

const describe = (schema: string, field: string, kind: FlagKind): string => {
  if (kind === 'switch') return `Remove the ${field.replace('purge_', '').replaceAll('_', ' ')}`;
  // A change takes the fields of the creation; their descriptions are kept once, under that name.
  const table = descriptions[schema] ?? descriptions[schema.replace('Changes', 'Fields')];
  const text = spoken(table?.[field] ?? '');
  return DOCUMENTS.includes(field) ? `${text}. @FILE reads a file, @- reads stdin` : text;
};

/** A change keeps what it does not name: "By default ..." is true of creations alone. */
const withoutDefaults = (text: string): string => text.replace(/\.? By default [^.]*(?=\.|$)/, '');

/** The flags that a request schema of the contract asks for, one per field: `cpm_amount` is `--cpm-amount`. */
export function fieldFlags({ schema, partial, file }: FieldFlags): Flag[] {
  const flags = Object.entries(shapeOf(schema)).map(([field, type]): Flag => {
    const definition = unwrap(type)._zod.def;
    const kind = kindOf(field, definition);
    const text = describe(schema, field, kind);
    return {
      name: field.replaceAll('_', '-'),
      field,
      kind,
      value: definition.entries ? Object.keys(definition.entries).join('|') : (placeholders[kind] ?? 'TEXT'),
      description: partial ? withoutDefaults(text) : text,
      required: !partial && type._zod.def.type !== 'optional',
      ...(definition.entries && { choices: Object.values(definition.entries) }),
    };
  });
  if (file === undefined) return flags;
  return [
    ...flags,
    { name: file, field: file, kind: 'path', value: 'FILE', description: `Image to send as the ${file}` },
  ];
}
