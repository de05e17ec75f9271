import type { Schema } from '@mkt/sdk/contract';
import { fieldsOf } from '../../src/rules/fields.js';

const empty: Readonly<Record<string, unknown>> = { array: [], number: 0 };

/** Every field that a representation always has, without a value: null, an empty list or 0. */
export const emptyFields = (representation: Schema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fieldsOf(representation)).flatMap(([name, { _zod }]) =>
      _zod.def.type === 'optional' ? [] : [[name, empty[_zod.def.type] ?? null]],
    ),
  );
