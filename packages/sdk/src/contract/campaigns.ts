import * as z from 'zod/mini';
import { endpointsOf, wrappedIn } from './endpoint.js';
import { id, itemUrl, type KnownFields, listed, open, representation, timestamp, url } from './fields.js';
import { campaignStates } from './states.js';

export const campaign = representation({
  /** Number of the campaign. */
  id,
  /** Name of the campaign. */
  name: z.string(),
  /** `draft`, `active`, `paused` or `finished`. */
  status: listed(...campaignStates),
  /** Three-letter currency code, such as `usd`. */
  currency: z.string(),
  /** Two-letter codes of the countries it is for, such as `DE`. */
  countries: z.array(z.string()),
  /** Web address that creators promote; null when none is given. */
  website: z.nullable(url),
  /** Kind of content asked for, such as `ugc`. */
  content_type: open('ugc'),
  /** What is promoted, such as `product`. */
  category: open('product'),
  /** Platforms it runs on, such as `youtube` and `tiktok`. */
  platform_ids: z.array(open('youtube', 'tiktok')),
  /** Identifier of a music track on TikTok; null when none is given. */
  tiktok_music_id: z.nullable(z.string()),
  /** Payout per thousand views: an integer, no unit, no scale. */
  cpm_amount: z.int(),
  /** Smallest payout: an integer, no unit, no scale. */
  min_payout_amount: z.int(),
  /** Largest payout: an integer, no unit, no scale. */
  max_payout_amount: z.int(),
  /** Reward for taking part: an integer, no unit, no scale. */
  base_reward_amount: z.int(),
  /** Money funded: 0 on creation; funding happens elsewhere. */
  total_budget_amount: z.int(),
  /** Part of the budget that is spent. */
  used_amount: z.int(),
  /** Part of the budget that is left. */
  unused_amount: z.int(),
  /** Views of all submissions. */
  view_count: z.int(),
  /** Number of submissions. */
  submissions_count: z.int(),
  /** When it was published; null until then. */
  published_at: z.nullable(timestamp),
  /** When it was paused; null unless it is paused. */
  paused_at: z.nullable(timestamp),
  /** When it was created. */
  created_at: timestamp,
  /** When it last changed. */
  updated_at: timestamp,
  /** Address of this campaign's JSON representation. */
  url: itemUrl,
  /** Address of the banner, readable without a token; null when there is none. */
  banner_image_url: z.nullable(url),
  /** The brief as safe HTML; null when there is none. Not in lists. */
  brief: z.nullable(z.string()),
});
/** A budgeted creator program. */
export interface Campaign extends KnownFields<z.infer<typeof campaign>> {}

const { brief, ...short } = campaign.shape;
export const campaignListItem = representation(short);
/** A campaign as lists have it: without its brief. */
export interface CampaignListItem extends Omit<Campaign, 'brief'> {}

const { list, get, create, update, remove, action } = endpointsOf<(typeof campaignStates)[number]>(
  'campaigns',
  '/organizations/:organization_id/campaigns.json',
  '/organizations/:organization_id/campaigns/:id.json',
);

export const campaigns = {
  list: list({ role: 'member', response: campaignListItem }),
  get: get({ role: 'member', response: campaign }),
  /** Starts as a draft. What is left out is filled from defaults. */
  create: create({ role: 'admin', request: wrappedIn('campaign'), response: campaign }),
  /** Any subset. Once published, financial fields cannot be changed: 422. */
  update: update({ role: 'admin', request: wrappedIn('campaign'), response: campaign }),
  /** Only a draft without fundings: otherwise 422. */
  delete: remove({ role: 'admin' }),
  publish: action('publish', { from: ['draft'], to: 'active', done: 'published' }),
  pause: action('pause', { from: ['active'], to: 'paused', done: 'paused' }),
  resume: action('resume', { from: ['paused'], to: 'active', done: 'resumed' }),
};
