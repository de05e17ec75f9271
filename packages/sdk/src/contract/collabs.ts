import * as z from 'zod/mini';
import { body, endpointsOf } from './endpoint.js';
import {
  countryCodes,
  currencyCode,
  filled,
  filledWebAddress,
  id,
  itemUrl,
  type KnownFields,
  listed,
  purge,
  representation,
  richText,
  timestamp,
  url,
  webAddress,
} from './fields.js';
import { collabStates } from './states.js';

export const collab = representation({
  /** Number of the collab. */
  id,
  /** Name of the collab. */
  name: z.string(),
  /** `draft`, `submitted_for_review`, `published` or `paused`. */
  state: listed(...collabStates),
  /** Three-letter currency code, such as `usd`. */
  currency: z.string(),
  /** Two-letter codes of the countries it is for, such as `DE`. */
  countries: z.array(z.string()),
  /** Web address of the product; null when none is given. */
  website: z.nullable(url),
  /** Whether creators must allow Spark Ads. */
  require_spark_ads: z.boolean(),
  /** Whether the product is sent to the creator. */
  requires_product_shipment: z.boolean(),
  /** Number of submissions. */
  submissions_count: z.int(),
  /** Number of completed submissions. */
  completed_count: z.int(),
  /** When it was published; absent until then. */
  published_at: z.optional(timestamp),
  /** When it was created. */
  created_at: timestamp,
  /** When it last changed. */
  updated_at: timestamp,
  /** Address of this collab's JSON representation. */
  url: itemUrl,
  /** Address of the banner, readable without a token; null when there is none. */
  banner_image_url: z.nullable(url),
  /** The brief as safe HTML; null when there is none. Not in lists. */
  brief: z.nullable(z.string()),
});
/** A brand brief that creators apply to. */
export interface Collab extends KnownFields<z.infer<typeof collab>> {}

export const collabListItem = z.omit(collab, { brief: true });
/** A collab as lists have it: without its brief. */
export interface CollabListItem extends Omit<Collab, 'brief'> {}

export const collabFields = z.object({
  /** Name of the collab: 1 to 255 characters. @default `Untitled collab` */
  name: z.optional(filled()),
  /** Web address of the product, http or https. @default the organization's */
  website: z.optional(z.nullable(webAddress())),
  /** Three-letter currency code. @default the organization's */
  currency: z.optional(currencyCode()),
  /** Two-letter country codes, such as `DE`. @default the organization's */
  countries: z.optional(countryCodes()),
  /** Whether creators must allow Spark Ads. @default false */
  require_spark_ads: z.optional(z.boolean()),
  /** Whether the product is sent to the creator. @default false */
  requires_product_shipment: z.optional(z.boolean()),
  /** The brief as HTML, at most 64 KiB; unsafe markup is removed. @default the organization's template */
  brief: z.optional(z.nullable(richText())),
  /** `"1"` removes the banner. */
  purge_banner_image: purge,
});
/** What a new collab, or a change of one, takes; all of it optional. */
export interface CollabFields extends z.input<typeof collabFields> {}

const { list, get, create, update, remove, action } = endpointsOf<(typeof collabStates)[number]>(
  'collabs',
  '/organizations/:organization_id/collabs.json',
  '/organizations/:organization_id/collabs/:id.json',
);

export const collabs = {
  list: list({ role: 'member', response: collabListItem }),
  get: get({ role: 'member', response: collab }),
  /**
   * Starts as a draft. The body is optional: what is left out comes from the page of `website` in the query, then from the
   * organization's defaults.
   */
  create: create({
    role: 'admin',
    query: { website: filledWebAddress() },
    request: body('collab', collabFields, { optional: true, purge: 'purge_banner_image' }),
    response: collab,
  }),
  /** Any subset. `purge_banner_image` removes the banner. */
  update: update({
    role: 'admin',
    request: body('collab', collabFields, { optional: 'with-purge', purge: 'purge_banner_image' }),
    response: collab,
  }),
  /** A collab with approved submissions stays: 422. */
  delete: remove({ role: 'admin' }),
  submit: action('submit', {
    from: ['draft'],
    to: 'submitted_for_review',
    done: 'submitted for review',
    label: 'Submit for review',
  }),
  pause: action('pause', { from: ['published'], to: 'paused', done: 'paused' }),
  unpause: action('unpause', { from: ['paused'], to: 'published', done: 'unpaused' }),
};
