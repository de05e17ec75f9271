import type { Schema } from './endpoint.js';

/** What a zod schema says about itself; each type of schema has some of these. */
interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly innerType?: Schema;
  readonly options?: readonly Schema[];
  readonly entries?: Readonly<Record<string, string>>;
}

/** JSON Schema says the same, and takes 20 kB of code to make. */
export const definitionOf = (schema: Schema): Definition => schema._zod.def as unknown as Definition;
