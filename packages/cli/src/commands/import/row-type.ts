import { fieldFlags, fieldNames } from '../../api/field-flags.js';
import type { DraftResource } from '../../api/labels.js';
import { inputSchema } from '../../fields/input-schema.js';

/** The resource that rows become, and the fields that they can set. */
export type RowType = ReturnType<typeof rowTypeOf>;

export function rowTypeOf(resource: DraftResource) {
  const { schema, creation, computed } = resource;
  // Switches remove images, which a new resource does not have.
  const flags = fieldFlags({ schema: creation, wrapper: '', partial: false }).filter(({ kind }) => kind !== 'switch');
  const fields = new Map(flags.map((flag) => [flag.field ?? '', flag]));
  /** Fields that only the service sets, and computed ones; exported files contain them. */
  const readOnly = [...fieldNames(schema), ...fieldNames(creation), ...Object.keys(computed)].filter(
    (field) => !fields.has(field),
  );
  return { resource, schema: inputSchema(creation), fields, readOnly };
}
