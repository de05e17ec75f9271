import * as z from 'zod/mini';
import { endpointsOf, wrappedIn } from './endpoint.js';
import { id, itemUrl, type KnownFields, listed, representation, timestamp, url } from './fields.js';
import { privacySettings } from './states.js';

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
    request: wrappedIn('organization', { file: 'logo', purge: 'purge_logo' }),
    response: organization,
  }),
  /** A multipart request carries a new logo. `purge_logo` removes it. */
  update: update({
    role: 'admin',
    request: wrappedIn('organization', { optional: 'with-purge', file: 'logo', purge: 'purge_logo' }),
    response: organization,
  }),
  /** Deletes all that it holds too. An organization with an active subscription stays: 422. */
  delete: remove({ role: 'owner' }),
};
