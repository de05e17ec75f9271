import { isBlank, type Schema } from '@mkt/sdk/contract';

/** The information about a field that forms need. */
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

/** Exceeds the limit of every list in the contract. Longer lists are rejected, so they are not split completely. */
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
 * Converts the strings of a form to JSON values. Strings that do not match the type stay, and fail validation.
 * Empty fields are omitted on creation, so that defaults apply, and null in updates.
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
