import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { address, type Resource } from '../api/labels.js';
import { numberAt, type Row, textAt, valueAt } from '../text/values.js';

/** Why the service would certainly not delete it; undefined if it may. */
export function undeletable({ deletable, states, plural }: Resource, row: Row): string | undefined {
  if (deletable === undefined) return undefined;
  const { state: needed, zero, never } = deletable;
  const state = textAt(row, states?.field ?? '');
  if (needed !== undefined && state !== needed && states?.names.includes(state))
    return `it is ${state.replaceAll('_', ' ')}. Only ${plural} in the state "${needed}" can be deleted`;
  if (never !== undefined && valueAt(row, never.field) === true) return never.because;
  return zero !== undefined && numberAt(row, zero.field) > 0 ? zero.otherwise : undefined;
}

/** The fields of the map that would still show the earlier place. */
export function outdatedPosition(before: Row | undefined, fields: Row): string[] {
  const isMoved = fieldsOfKind(address.fields, 'place').some((field) => {
    const value = valueAt(fields, field);
    return value !== undefined && value !== valueAt(before, field);
  });
  if (!isMoved) return [];
  return fieldsOfKind(address.fields, 'position').filter(
    (field) => valueAt(fields, field) === undefined && (valueAt(before, field) ?? null) !== null,
  );
}
