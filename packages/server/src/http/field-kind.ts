import { definitionOf, type Schema } from '@mkt/sdk/contract';

export interface FieldKind {
  readonly kind: 'text' | 'integer' | 'boolean' | 'list' | 'choice' | 'flag';
  readonly choices: readonly string[];
}

const kinds: Readonly<Record<string, FieldKind['kind']>> = {
  number: 'integer',
  boolean: 'boolean',
  array: 'list',
  enum: 'choice',
  unknown: 'flag',
};

export function fieldKind(schema: Schema): FieldKind {
  const { innerType, type, entries = {} } = definitionOf(schema);
  if (innerType) return fieldKind(innerType);
  return { kind: kinds[type] ?? 'text', choices: Object.values(entries) };
}
