import type { Schema } from '@mkt/sdk/contract';

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
