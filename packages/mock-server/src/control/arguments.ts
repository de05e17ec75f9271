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

/** What queries must know about a schema. */
interface Outline {
  readonly type: string;
  /** Of an object. */
  readonly fields: Readonly<Record<string, Schema>>;
}

export function outlineOf(schema: Schema): Outline {
  const { type, innerType, shape: fields = {} } = definitionOf(schema);
  return innerType ? outlineOf(innerType) : { type, fields };
}
