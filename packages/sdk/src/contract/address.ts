import * as z from 'zod/mini';
import { body, endpoint } from './endpoint.js';
import {
  check,
  countryCode,
  decimal,
  filled,
  id,
  type KnownFields,
  representation,
  text,
  timestamp,
} from './fields.js';

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

const plainDecimal = /^-?\d{1,3}(\.\d+)?$/;

/** Only for other types: the checks have sentences of their own. */
const typeError = {
  error: ({ code }: { readonly code: string }) =>
    code === 'invalid_union' ? 'must be a number or a decimal string' : undefined,
};

/** Degrees within ±`bound`, as a number or a plain decimal string. */
const degrees = (bound: number) =>
  z.union([z.number(), text(32)], typeError).check(
    check({ code: 'not_decimal' }, (value) => typeof value === 'number' || plainDecimal.test(value), { abort: true }),
    check({ code: 'out_of_bounds', bound }, (value) => Math.abs(Number(value)) <= bound),
  );

export const addressFields = z.object({
  /** Street and number. @remarks Required when there is no address yet. */
  address_one: z.optional(filled()),
  /** Flat, floor, building. */
  address_two: z.optional(z.nullable(text())),
  /** City. @remarks Required when there is no address yet. */
  city: z.optional(filled()),
  /** State, province or region. @remarks Required when there is no address yet. */
  state: z.optional(filled()),
  /** Postal code. @remarks Required when there is no address yet. */
  postal_code: z.optional(filled()),
  /** Two-letter country code, such as `DE`. @remarks Required when there is no address yet. */
  country_code: z.optional(countryCode()),
  /** Degrees north, -90 to 90: a number or a decimal string, rounded to 8 decimals. */
  latitude: z.optional(z.nullable(degrees(90))),
  /** Degrees east, -180 to 180: a number or a decimal string, rounded to 8 decimals. */
  longitude: z.optional(z.nullable(degrees(180))),
  /** Identifier of the place at Google. */
  google_place_id: z.optional(z.nullable(text())),
});
/** What `PATCH /me/address.json` takes: everything required the first time, any subset later. */
export interface AddressFields extends z.input<typeof addressFields> {}

const one = '/me/address.json';

export const address = {
  /** 404 when none is set yet. */
  get: endpoint({ operation: 'address.get', method: 'GET', path: one, response: addressRepresentation }),
  /** Creates it when there is none; then the street, city, state, postal code and country are required. */
  update: endpoint({
    operation: 'address.update',
    method: 'PATCH',
    path: one,
    request: body('address', addressFields),
    response: addressRepresentation,
  }),
  /** It can be created again later. 404 when none is set. */
  delete: endpoint({ operation: 'address.delete', method: 'DELETE', path: one, status: 204 }),
};
