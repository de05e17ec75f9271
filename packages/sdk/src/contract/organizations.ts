import * as z from 'zod/mini';
import { body, endpointsOf } from './endpoint.js';
import {
  filled,
  id,
  itemUrl,
  type KnownFields,
  listed,
  purge,
  representation,
  timestamp,
  url,
  webAddress,
} from './fields.js';

const privacySettings = ['public', 'private', 'restricted'] as const;

export const organization = representation({
  /** Number of the organization. */
  id,
  /** Name of the brand. */
  name: z.string(),
  /** Who sees the brand: `public`, `private` or `restricted`. A private one has a logo. */
  privacy_setting: listed(...privacySettings),
  /** Web address of the brand; null when none is given. */
  website: z.nullable(url),
  /** When it was created. */
  created_at: timestamp,
  /** When it last changed. */
  updated_at: timestamp,
  /** Address of this organization's JSON representation. */
  url: itemUrl,
  /** Address of the logo, readable without a token; absent when there is none. */
  logo_url: z.optional(url),
});
/** A brand. */
export interface Organization extends KnownFields<z.infer<typeof organization>> {}

export const organizationFields = z.object({
  /** Name of the brand: 1 to 255 characters. */
  name: filled(),
  /** `public` (the default), `private` (needs a logo) or `restricted`. */
  privacy_setting: z.optional(z.enum(privacySettings)),
  /** Web address of the brand, http or https. */
  website: z.optional(z.nullable(webAddress())),
  /** `"1"` removes the logo. */
  purge_logo: purge,
});
export const organizationChanges = z.partial(organizationFields);
/** What `POST /organizations.json` takes besides the logo. */
export interface OrganizationFields extends z.input<typeof organizationFields> {}
/** What `PATCH /organizations/:id.json` takes besides the logo: any subset. */
export interface OrganizationChanges extends z.input<typeof organizationChanges> {}

const { list, get, create, update, remove } = endpointsOf(
  'organizations',
  '/organizations.json',
  '/organizations/:id.json',
);

export const organizations = {
  list: list({ response: organization }),
  get: get({ role: 'member', response: organization }),
  /** The caller becomes its owner. A private organization needs a logo, sent as multipart. */
  create: create({
    request: body('organization', organizationFields, { file: 'logo', purge: 'purge_logo' }),
    response: organization,
    multipart: true,
  }),
  /** A multipart request carries a new logo. `purge_logo` removes it. */
  update: update({
    role: 'admin',
    request: body('organization', organizationChanges, { optional: 'with-purge', file: 'logo', purge: 'purge_logo' }),
    response: organization,
    multipart: true,
  }),
  /** Deletes all that it holds too. An organization with an active subscription stays: 422. */
  delete: remove({ role: 'owner' }),
};
