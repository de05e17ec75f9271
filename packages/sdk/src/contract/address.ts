import * as z from 'zod/mini';
import { endpointsOf, wrappedIn } from './endpoint.js';
import { decimal, id, type KnownFields, representation, timestamp } from './fields.js';

export const addressRepresentation = representation({
  /** Number of the address. */
  id,
  /** Street and number. */
  address_one: z.string(),
  /** Flat, floor, building; null when none is given. */
  address_two: z.nullable(z.string()),
  /** City. */
  city: z.string(),
  /** State, province or region. */
  state: z.string(),
  /** Postal code. */
  postal_code: z.string(),
  /** Two-letter country code, such as `DE`. */
  country_code: z.string(),
  /** Degrees north, a decimal in a string; null when unknown. */
  latitude: z.nullable(decimal),
  /** Degrees east, a decimal in a string; null when unknown. */
  longitude: z.nullable(decimal),
  /** Identifier of the place at Google; null when unknown. */
  google_place_id: z.nullable(z.string()),
  /** When it was created. */
  created_at: timestamp,
  /** When it last changed. */
  updated_at: timestamp,
});
/** The signed-in user's shipping address, at most one. */
export interface Address extends KnownFields<z.infer<typeof addressRepresentation>> {}

const path = '/me/address.json';
const { get, update, remove } = endpointsOf('address', path, path);

export const address = {
  /** 404 when none is set yet. */
  get: get({ response: addressRepresentation, etag: false }),
  /** Creates it when there is none; then the street, city, state, postal code and country are required. */
  update: update({ request: wrappedIn('address'), response: addressRepresentation }),
  /** It can be created again later. 404 when none is set. */
  delete: remove(),
};
