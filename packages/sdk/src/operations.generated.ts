// Generated from the contract by `npm run generate`. Do not edit.
import type { AccessToken } from './contract/access-tokens.js';
import type { Address } from './contract/address.js';
import type { Campaign, CampaignListItem } from './contract/campaigns.js';
import type { Collab, CollabListItem } from './contract/collabs.js';
import type { Membership } from './contract/members.js';
import type { Organization } from './contract/organizations.js';
import type { SocialAccount } from './contract/social-accounts.js';
import type { Operation } from './transport/operation.js';

const accessTokenShape = {
  id: 'integer|string',
  'token?': 'string',
  description: 'string',
  permission: '"read"|"write"',
  created_at: 'string',
};
const organizationShape = {
  id: 'integer|string',
  name: 'string',
  privacy_setting: '"public"|"private"|"restricted"',
  website: 'string|null',
  created_at: 'string',
  updated_at: 'string',
  url: 'string',
  'logo_url?': 'string',
};
const membershipShape = {
  id: 'string',
  role: '"member"|"admin"',
  is_owner: 'boolean',
  created_at: 'string',
  updated_at: 'string',
  user: { id: 'string', name: 'string', email: 'string' },
};
const campaignListItemShape = {
  id: 'integer|string',
  name: 'string',
  status: '"draft"|"active"|"paused"|"finished"',
  currency: 'string',
  countries: 'string[]',
  website: 'string|null',
  content_type: 'string',
  category: 'string',
  platform_ids: 'string[]',
  tiktok_music_id: 'string|null',
  cpm_amount: 'integer',
  min_payout_amount: 'integer',
  max_payout_amount: 'integer',
  base_reward_amount: 'integer',
  total_budget_amount: 'integer',
  used_amount: 'integer',
  unused_amount: 'integer',
  view_count: 'integer',
  submissions_count: 'integer',
  published_at: 'string|null',
  paused_at: 'string|null',
  created_at: 'string',
  updated_at: 'string',
  url: 'string',
  banner_image_url: 'string|null',
};
const campaignShape = {
  id: 'integer|string',
  name: 'string',
  status: '"draft"|"active"|"paused"|"finished"',
  currency: 'string',
  countries: 'string[]',
  website: 'string|null',
  content_type: 'string',
  category: 'string',
  platform_ids: 'string[]',
  tiktok_music_id: 'string|null',
  cpm_amount: 'integer',
  min_payout_amount: 'integer',
  max_payout_amount: 'integer',
  base_reward_amount: 'integer',
  total_budget_amount: 'integer',
  used_amount: 'integer',
  unused_amount: 'integer',
  view_count: 'integer',
  submissions_count: 'integer',
  published_at: 'string|null',
  paused_at: 'string|null',
  created_at: 'string',
  updated_at: 'string',
  url: 'string',
  banner_image_url: 'string|null',
  brief: 'string|null',
};
const collabListItemShape = {
  id: 'integer|string',
  name: 'string',
  state: '"draft"|"submitted_for_review"|"published"|"paused"',
  currency: 'string',
  countries: 'string[]',
  website: 'string|null',
  require_spark_ads: 'boolean',
  requires_product_shipment: 'boolean',
  submissions_count: 'integer',
  completed_count: 'integer',
  'published_at?': 'string',
  created_at: 'string',
  updated_at: 'string',
  url: 'string',
  banner_image_url: 'string|null',
};
const collabShape = {
  id: 'integer|string',
  name: 'string',
  state: '"draft"|"submitted_for_review"|"published"|"paused"',
  currency: 'string',
  countries: 'string[]',
  website: 'string|null',
  require_spark_ads: 'boolean',
  requires_product_shipment: 'boolean',
  submissions_count: 'integer',
  completed_count: 'integer',
  'published_at?': 'string',
  created_at: 'string',
  updated_at: 'string',
  url: 'string',
  banner_image_url: 'string|null',
  brief: 'string|null',
};
const socialAccountShape = {
  id: 'integer|string',
  platform_id: 'string',
  account_url: 'string',
  uid: 'string',
  status: '"pending"|"verified"|"failed"',
  subscriber_count: 'integer|null',
  view_count: 'integer|null',
  video_count: 'integer|null',
  likes_count: 'integer|null',
  engagement_rate: 'string|null',
  last_synced_at: 'string|null',
  created_at: 'string',
  updated_at: 'string',
  url: 'string',
};
const addressRepresentationShape = {
  id: 'integer|string',
  address_one: 'string',
  address_two: 'string|null',
  city: 'string',
  state: 'string',
  postal_code: 'string',
  country_code: 'string',
  latitude: 'string|null',
  longitude: 'string|null',
  google_place_id: 'string|null',
  created_at: 'string',
  updated_at: 'string',
};

export const accessTokens = {
  list: {
    operation: 'accessTokens.list',
    method: 'GET',
    path: '/me/access_tokens.json',
    shape: accessTokenShape,
    list: true,
  } as Operation<AccessToken>,
  create: {
    operation: 'accessTokens.create',
    method: 'POST',
    path: '/me/access_tokens.json',
    wrapper: 'access_token',
    shape: accessTokenShape,
  } as Operation<AccessToken>,
  delete: { operation: 'accessTokens.delete', method: 'DELETE', path: '/me/access_tokens/:id.json' } as Operation<void>,
};

export const organizations = {
  list: {
    operation: 'organizations.list',
    method: 'GET',
    path: '/organizations.json',
    shape: organizationShape,
    list: true,
  } as Operation<Organization>,
  get: {
    operation: 'organizations.get',
    method: 'GET',
    path: '/organizations/:id.json',
    shape: organizationShape,
    etag: true,
  } as Operation<Organization>,
  create: {
    operation: 'organizations.create',
    method: 'POST',
    path: '/organizations.json',
    wrapper: 'organization',
    file: 'logo',
    shape: organizationShape,
  } as Operation<Organization>,
  update: {
    operation: 'organizations.update',
    method: 'PATCH',
    path: '/organizations/:id.json',
    wrapper: 'organization',
    file: 'logo',
    shape: organizationShape,
  } as Operation<Organization>,
  delete: { operation: 'organizations.delete', method: 'DELETE', path: '/organizations/:id.json' } as Operation<void>,
};

export const members = {
  list: {
    operation: 'members.list',
    method: 'GET',
    path: '/organizations/:organization_id/members.json',
    shape: membershipShape,
    list: true,
  } as Operation<Membership>,
  update: {
    operation: 'members.update',
    method: 'PATCH',
    path: '/organizations/:organization_id/members/:id.json',
    wrapper: 'membership',
    shape: membershipShape,
  } as Operation<Membership>,
  remove: {
    operation: 'members.remove',
    method: 'DELETE',
    path: '/organizations/:organization_id/members/:id.json',
  } as Operation<void>,
};

export const campaigns = {
  list: {
    operation: 'campaigns.list',
    method: 'GET',
    path: '/organizations/:organization_id/campaigns.json',
    shape: campaignListItemShape,
    list: true,
  } as Operation<CampaignListItem>,
  get: {
    operation: 'campaigns.get',
    method: 'GET',
    path: '/organizations/:organization_id/campaigns/:id.json',
    shape: campaignShape,
    etag: true,
  } as Operation<Campaign>,
  create: {
    operation: 'campaigns.create',
    method: 'POST',
    path: '/organizations/:organization_id/campaigns.json',
    wrapper: 'campaign',
    shape: campaignShape,
  } as Operation<Campaign>,
  update: {
    operation: 'campaigns.update',
    method: 'PATCH',
    path: '/organizations/:organization_id/campaigns/:id.json',
    wrapper: 'campaign',
    shape: campaignShape,
  } as Operation<Campaign>,
  delete: {
    operation: 'campaigns.delete',
    method: 'DELETE',
    path: '/organizations/:organization_id/campaigns/:id.json',
  } as Operation<void>,
  publish: {
    operation: 'campaigns.publish',
    method: 'POST',
    path: '/organizations/:organization_id/campaigns/:id/publish',
  } as Operation<void>,
  pause: {
    operation: 'campaigns.pause',
    method: 'POST',
    path: '/organizations/:organization_id/campaigns/:id/pause',
  } as Operation<void>,
  resume: {
    operation: 'campaigns.resume',
    method: 'POST',
    path: '/organizations/:organization_id/campaigns/:id/resume',
  } as Operation<void>,
};

export const collabs = {
  list: {
    operation: 'collabs.list',
    method: 'GET',
    path: '/organizations/:organization_id/collabs.json',
    shape: collabListItemShape,
    list: true,
  } as Operation<CollabListItem>,
  get: {
    operation: 'collabs.get',
    method: 'GET',
    path: '/organizations/:organization_id/collabs/:id.json',
    shape: collabShape,
    etag: true,
  } as Operation<Collab>,
  create: {
    operation: 'collabs.create',
    method: 'POST',
    path: '/organizations/:organization_id/collabs.json',
    wrapper: 'collab',
    shape: collabShape,
  } as Operation<Collab>,
  update: {
    operation: 'collabs.update',
    method: 'PATCH',
    path: '/organizations/:organization_id/collabs/:id.json',
    wrapper: 'collab',
    shape: collabShape,
  } as Operation<Collab>,
  delete: {
    operation: 'collabs.delete',
    method: 'DELETE',
    path: '/organizations/:organization_id/collabs/:id.json',
  } as Operation<void>,
  submit: {
    operation: 'collabs.submit',
    method: 'POST',
    path: '/organizations/:organization_id/collabs/:id/submit',
  } as Operation<void>,
  pause: {
    operation: 'collabs.pause',
    method: 'POST',
    path: '/organizations/:organization_id/collabs/:id/pause',
  } as Operation<void>,
  unpause: {
    operation: 'collabs.unpause',
    method: 'POST',
    path: '/organizations/:organization_id/collabs/:id/unpause',
  } as Operation<void>,
};

export const socialAccounts = {
  list: {
    operation: 'socialAccounts.list',
    method: 'GET',
    path: '/me/social_accounts.json',
    shape: socialAccountShape,
    list: true,
  } as Operation<SocialAccount>,
  get: {
    operation: 'socialAccounts.get',
    method: 'GET',
    path: '/me/social_accounts/:id.json',
    shape: socialAccountShape,
    etag: true,
  } as Operation<SocialAccount>,
  create: {
    operation: 'socialAccounts.create',
    method: 'POST',
    path: '/me/social_accounts.json',
    wrapper: 'social_account',
    shape: socialAccountShape,
  } as Operation<SocialAccount>,
  delete: {
    operation: 'socialAccounts.delete',
    method: 'DELETE',
    path: '/me/social_accounts/:id.json',
  } as Operation<void>,
};

export const address = {
  get: {
    operation: 'address.get',
    method: 'GET',
    path: '/me/address.json',
    shape: addressRepresentationShape,
  } as Operation<Address>,
  update: {
    operation: 'address.update',
    method: 'PATCH',
    path: '/me/address.json',
    wrapper: 'address',
    shape: addressRepresentationShape,
  } as Operation<Address>,
  delete: { operation: 'address.delete', method: 'DELETE', path: '/me/address.json' } as Operation<void>,
};
