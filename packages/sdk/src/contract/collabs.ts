import * as z from 'zod/mini';
import { endpointsOf, wrappedIn } from './endpoint.js';
import { id, itemUrl, type KnownFields, listed, representation, timestamp, url } from './fields.js';
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

const { brief, ...short } = collab.shape;
export const collabListItem = representation(short);
/** A collab as lists have it: without its brief. */
export interface CollabListItem extends Omit<Collab, 'brief'> {}

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
    request: wrappedIn('collab', { optional: true, purge: 'purge_banner_image' }),
    response: collab,
  }),
  /** Any subset. `purge_banner_image` removes the banner. */
  update: update({
    role: 'admin',
    request: wrappedIn('collab', { optional: 'with-purge', purge: 'purge_banner_image' }),
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
