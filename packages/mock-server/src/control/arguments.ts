import { definitionOf, type Schema } from '@mkt/sdk/contract';
import type * as z from 'zod/mini';
import { checked } from './errors.js';

/** An argument of a control method, as it is checked over HTTP. */
export interface Argument<Value = unknown> {
  /** As in messages about it. */
  readonly name: string;
  readonly schema: z.ZodMiniType<Value>;
}

/** The arguments of a control method, in their order. */
export type Arguments<Values extends readonly unknown[]> = {
  readonly [Index in keyof Values]-?: Argument<Values[Index]>;
};

export const argument = <Value>(name: string, schema: z.ZodMiniType<Value>): Argument<Value> => ({ name, schema });

/** @throws {ControlError} that names the invalid part */
export const checkedArguments = (input: readonly Argument[], values: readonly unknown[]): unknown[] =>
  input.map(({ name, schema }, index) => checked(name, schema, values[index]));

/** What forms and queries must know about a schema. */
interface Outline {
  readonly type: string;
  readonly isOptional: boolean;
  /** Of an object. */
  readonly fields: Readonly<Record<string, Schema>>;
  /** Of an enum. */
  readonly choices: readonly string[] | undefined;
}

export function outlineOf(schema: Schema, isOptional = false): Outline {
  const { type, innerType, shape = {}, entries } = definitionOf(schema);
  if (innerType) return outlineOf(innerType, true);
  return { type, isOptional, fields: shape, choices: entries && Object.keys(entries) };
}
