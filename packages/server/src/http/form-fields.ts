import { isBlank, type Schema } from '@mkt/sdk/contract';

/** What a form needs to know of a field's schema. */
export interface FieldKind {
  readonly kind: 'text' | 'integer' | 'boolean' | 'list' | 'choice' | 'flag';
  /** The values of a choice. */
  readonly choices: readonly string[];
}

interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly entries?: Readonly<Record<string, string>>;
}

/** More than any list of the contract may hold: longer ones are refused, and need not be split to their end. */
const mostParts = 1000;

const kinds: Readonly<Record<string, FieldKind['kind']>> = {
  number: 'integer',
  boolean: 'boolean',
  array: 'list',
  enum: 'choice',
  unknown: 'flag',
};

export function fieldKind(schema: Schema): FieldKind {
  const definition = schema._zod.def as unknown as Definition;
  if (definition.innerType) return fieldKind(definition.innerType);
  return { kind: kinds[definition.type] ?? 'text', choices: Object.values(definition.entries ?? {}) };
}

export const fieldsOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema as unknown as { readonly shape: Readonly<Record<string, Schema>> }).shape;

const accepts = (schema: Schema, value: unknown): boolean => schema.safeParse(value).success;

/**
 * A form's texts as the JSON that they stand for; what does not look like its type stays text, and the contract complains.
 * A field left empty is absent where something is created, so that defaults apply, and null where something is changed.
 */
export function typedFields(sent: Readonly<Record<string, unknown>>, schema: Schema, creates: boolean) {
  const shape = fieldsOf(schema);
  const typed: Record<string, unknown> = { ...sent };
  for (const [name, value] of Object.entries(sent)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!field || typeof value !== 'string') continue;
    if (!isBlank(value)) typed[name] = typedValue(fieldKind(field).kind, value.trim(), value);
    else if (creates && accepts(field, undefined)) delete typed[name];
    else if (accepts(field, null)) typed[name] = null;
    else if (fieldKind(field).kind === 'list') typed[name] = [];
  }
  return typed;
}

function typedValue(kind: FieldKind['kind'], trimmed: string, text: string): unknown {
  if (kind === 'integer') return /^-?\d{1,16}$/.test(trimmed) ? Number(trimmed) : text;
  if (kind === 'boolean') return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
  if (kind === 'list') return trimmed.split(/[\s,]+/, mostParts).filter((part) => part !== '');
  return kind === 'choice' ? trimmed : text;
}
