import type { Schema } from '@mkt/sdk/contract';
import { fieldsOf } from '../../src/rules/fields.js';

/** Every field that a representation always has, without a value. */
export const emptyFields = (representation: Schema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fieldsOf(representation)).flatMap(
      ([
        name,
        {
          _zod: { def },
        },
      ]) => (def.type === 'optional' ? [] : [[name, def.type === 'array' ? [] : null]]),
    ),
  );
