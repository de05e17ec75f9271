import { contract, descriptions, endpoints } from '@mkt/sdk/contract';
import { expect, test } from 'vitest';

/** The endpoint tables of the API document, typed out by hand: method, path, success, scope, role, operation. */
const document = `
GET    /me/access_tokens.json                                    200 read  none          accessTokens.list
POST   /me/access_tokens.json                                    201 write none          accessTokens.create
DELETE /me/access_tokens/:id.json                                204 write none          accessTokens.delete
GET    /organizations.json                                       200 read  none          organizations.list
GET    /organizations/:id.json                                   200 read  member        organizations.get
POST   /organizations.json                                       201 write none          organizations.create
PATCH  /organizations/:id.json                                   200 write admin         organizations.update
DELETE /organizations/:id.json                                   204 write owner         organizations.delete
GET    /organizations/:organization_id/members.json              200 read  member        members.list
PATCH  /organizations/:organization_id/members/:id.json          200 write admin         members.update
DELETE /organizations/:organization_id/members/:id.json          204 write admin-or-self members.remove
GET    /organizations/:organization_id/campaigns.json            200 read  member        campaigns.list
GET    /organizations/:organization_id/campaigns/:id.json        200 read  member        campaigns.get
POST   /organizations/:organization_id/campaigns.json            201 write admin         campaigns.create
PATCH  /organizations/:organization_id/campaigns/:id.json        200 write admin         campaigns.update
DELETE /organizations/:organization_id/campaigns/:id.json        204 write admin         campaigns.delete
POST   /organizations/:organization_id/campaigns/:id/publish     303 write admin         campaigns.publish
POST   /organizations/:organization_id/campaigns/:id/pause       303 write admin         campaigns.pause
POST   /organizations/:organization_id/campaigns/:id/resume      303 write admin         campaigns.resume
GET    /organizations/:organization_id/collabs.json              200 read  member        collabs.list
GET    /organizations/:organization_id/collabs/:id.json          200 read  member        collabs.get
POST   /organizations/:organization_id/collabs.json              201 write admin         collabs.create
PATCH  /organizations/:organization_id/collabs/:id.json          200 write admin         collabs.update
DELETE /organizations/:organization_id/collabs/:id.json          204 write admin         collabs.delete
POST   /organizations/:organization_id/collabs/:id/submit        303 write admin         collabs.submit
POST   /organizations/:organization_id/collabs/:id/pause         303 write admin         collabs.pause
POST   /organizations/:organization_id/collabs/:id/unpause       303 write admin         collabs.unpause
GET    /me/social_accounts.json                                  200 read  none          socialAccounts.list
GET    /me/social_accounts/:id.json                              200 read  none          socialAccounts.get
POST   /me/social_accounts.json                                  201 write none          socialAccounts.create
DELETE /me/social_accounts/:id.json                              204 write none          socialAccounts.delete
GET    /me/address.json                                          200 read  none          address.get
PATCH  /me/address.json                                          200 write none          address.update
DELETE /me/address.json                                          204 write none          address.delete
`;

const lines = document
  .trim()
  .split('\n')
  .map((line) => line.split(/ +/).join(' '));

test('the contract has every endpoint of the document, and no other', () => {
  const written = endpoints.map(({ method, path, status, scope, role, operation }) =>
    [method, path, status, scope, role, operation].join(' '),
  );
  expect(written).toEqual(lines);
  expect(endpoints.filter(({ status }) => status !== 303)).toHaveLength(28);
});

test('an operation is the place of its endpoint', () => {
  for (const [resource, operations] of Object.entries(contract)) {
    for (const [name, { operation }] of Object.entries(operations)) expect(operation).toBe(`${resource}.${name}`);
  }
});

test('lists are paginated, the four shows have an ETag, logos come by multipart', () => {
  const having = (flag: 'paginated' | 'etag' | 'multipart') =>
    endpoints.filter((endpoint) => endpoint[flag]).map(({ operation }) => operation);
  expect(having('paginated')).toEqual([
    'accessTokens.list',
    'organizations.list',
    'members.list',
    'campaigns.list',
    'collabs.list',
    'socialAccounts.list',
  ]);
  expect(having('etag')).toEqual(['organizations.get', 'campaigns.get', 'collabs.get', 'socialAccounts.get']);
  expect(having('multipart')).toEqual(['organizations.create', 'organizations.update']);
});

test('the fields of each resource are those of the document, in its order of tables', () => {
  expect(Object.keys(descriptions.campaign)).toEqual(
    'id name status currency countries website content_type category platform_ids tiktok_music_id cpm_amount min_payout_amount max_payout_amount base_reward_amount total_budget_amount used_amount unused_amount view_count submissions_count published_at paused_at created_at updated_at url banner_image_url brief'.split(
      ' ',
    ),
  );
  expect(Object.keys(descriptions.collab)).toEqual(
    'id name state currency countries website require_spark_ads requires_product_shipment submissions_count completed_count published_at created_at updated_at url banner_image_url brief'.split(
      ' ',
    ),
  );
  expect(Object.keys(descriptions.organization)).toEqual(
    'id name privacy_setting website created_at updated_at url logo_url'.split(' '),
  );
  expect(Object.keys(descriptions.membership)).toEqual('id role is_owner created_at updated_at user'.split(' '));
  expect(Object.keys(descriptions.socialAccount)).toEqual(
    'id platform_id account_url uid status subscriber_count view_count video_count likes_count engagement_rate last_synced_at created_at updated_at url'.split(
      ' ',
    ),
  );
  expect(Object.keys(descriptions.addressRepresentation)).toEqual(
    'id address_one address_two city state postal_code country_code latitude longitude google_place_id created_at updated_at'.split(
      ' ',
    ),
  );
  expect(Object.keys(descriptions.accessToken)).toEqual('id token description permission created_at'.split(' '));
});
