import { type Row, valueAt } from '../text/row.js';

/** The fields of an address that name a place, and those that say where it is on the map. */
const PLACE = ['address_one', 'city', 'state', 'postal_code', 'country_code'];
const POSITION = ['latitude', 'longitude', 'google_place_id'];

/** The fields of the map that would still show the earlier place. */
export function outdatedPosition(before: Row | undefined, fields: Row): string[] {
  const isMoved = PLACE.some((field) => {
    const value = valueAt(fields, field);
    return value !== undefined && value !== valueAt(before, field);
  });
  if (!isMoved) return [];
  return POSITION.filter((field) => valueAt(fields, field) === undefined && (valueAt(before, field) ?? null) !== null);
}
