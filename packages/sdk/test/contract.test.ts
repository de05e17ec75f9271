import { fileURLToPath } from 'node:url';
import {
  campaign,
  campaignChanges,
  collab,
  contract,
  descriptions,
  type Endpoint,
  endpoints,
  exampleIdsOf,
  examples,
  fieldsOfKind,
  hasKind,
  type Kind,
  kindsIn,
  operationDescriptions,
  parametersOf,
  type ResourceDescription,
  type ResourceExamples,
  type ResourceName,
  resources,
  socialAccount,
} from '@mkt/sdk/contract';
import { type BuildOptions, build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';

/** The type of a schema, or of the elements of its lists: `enum`. */
function typeIn(schema: z.core.$ZodType): string {
  const { type, innerType, element } = schema._zod.def as z.core.$ZodTypeDef &
    Record<'innerType' | 'element', z.core.$ZodType>;
  return innerType || element ? typeIn(innerType ?? element) : type;
}

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

// An endpoint that the document does not have yet breaks no promise.
test('the contract has every endpoint of the document as it is written there', () => {
  const written = endpoints.map(({ method, path, status, scope, role, operation }) =>
    [method, path, status, scope, role, operation].join(' '),
  );
  expect(written.filter((line) => lines.includes(line))).toEqual(lines);
  expect(lines.filter((line) => !line.includes(' 303 '))).toHaveLength(28);
});

test('an operation is the place of its endpoint', () => {
  for (const [resource, operations] of Object.entries(contract)) {
    for (const [name, { operation }] of Object.entries(operations)) expect(operation).toBe(`${resource}.${name}`);
  }
});

test('lists are paginated, the four shows have an ETag, logos come by multipart', () => {
  const documented = lines.map((line) => line.split(' ').at(-1));
  const having = (isMeant: (endpoint: Endpoint) => unknown) =>
    endpoints
      .filter((endpoint) => isMeant(endpoint) && documented.includes(endpoint.operation))
      .map(({ operation }) => operation);
  expect(having(({ paginated }) => paginated)).toEqual([
    'accessTokens.list',
    'organizations.list',
    'members.list',
    'campaigns.list',
    'collabs.list',
    'socialAccounts.list',
  ]);
  expect(having(({ etag }) => etag)).toEqual([
    'organizations.get',
    'campaigns.get',
    'collabs.get',
    'socialAccounts.get',
  ]);
  expect(having(({ request }) => request?.file)).toEqual(['organizations.create', 'organizations.update']);
});

test('the fields of each resource are those of the document, in its order of tables', () => {
  const check = (fields: object, documented: string) =>
    expect(
      Object.keys(fields),
      'These are the tables of the API document. Add a new field to packages/sdk/test/contract.test.ts, where the document has it.',
    ).toEqual(documented.split(' '));
  check(
    descriptions.campaign,
    'id name status currency countries website content_type category platform_ids tiktok_music_id cpm_amount min_payout_amount max_payout_amount base_reward_amount total_budget_amount used_amount unused_amount view_count submissions_count published_at paused_at created_at updated_at url banner_image_url brief',
  );
  check(
    descriptions.collab,
    'id name state currency countries website require_spark_ads requires_product_shipment submissions_count completed_count published_at created_at updated_at url banner_image_url brief',
  );
  check(descriptions.organization, 'id name privacy_setting website created_at updated_at url logo_url');
  check(descriptions.membership, 'id role is_owner created_at updated_at user');
  check(
    descriptions.socialAccount,
    'id platform_id account_url uid status subscriber_count view_count video_count likes_count engagement_rate last_synced_at created_at updated_at url',
  );
  check(
    descriptions.addressRepresentation,
    'id address_one address_two city state postal_code country_code latitude longitude google_place_id created_at updated_at',
  );
  check(descriptions.accessToken, 'id token description permission created_at');
});

describe('the description of a resource', () => {
  const all: readonly ResourceDescription[] = Object.values(resources);

  test('exists for every resource of the contract, under its name', () => {
    expect(Object.keys(resources)).toEqual(Object.keys(contract));
    expect(all.map(({ name }) => name)).toEqual(Object.keys(contract));
  });

  test('has the states that the schema accepts, and transitions between them', () => {
    const enumOf = (schema: unknown) => (schema as z.ZodMiniEnum).options;
    expect(resources.campaigns.states.names).toEqual(enumOf(campaign.shape.status));
    expect(resources.collabs.states.names).toEqual(enumOf(collab.shape.state));
    expect(resources.socialAccounts.states.names).toEqual(enumOf(socialAccount.shape.status));
    for (const { states } of all)
      expect(states?.names ?? []).toEqual(states ? expect.arrayContaining([states.initial]) : []);
    const moves = Object.entries(contract).flatMap(([resource, operations]) =>
      Object.values(operations).flatMap(({ operation, status, transition }) => {
        expect(transition !== null, operation).toBe(status === 303);
        if (!transition) return [];
        const { states } = resources[resource as ResourceName] as ResourceDescription;
        expect(states?.names, operation).toEqual(expect.arrayContaining([...transition.from, transition.to]));
        return `${operation}: ${transition.from} to ${transition.to}`;
      }),
    );
    // D37, D38
    expect(moves).toEqual([
      'campaigns.publish: draft to active',
      'campaigns.pause: active to paused',
      'campaigns.resume: paused to active',
      'collabs.submit: draft to submitted_for_review',
      'collabs.pause: published to paused',
      'collabs.unpause: paused to published',
    ]);
  });

  test('locks the amounts of a campaign that clients set, and their currency', () => {
    const { fields, money, locked } = resources.campaigns;
    const writable = Object.keys(campaignChanges.shape);
    const financial = fieldsOfKind(fields, 'amount').filter((name) => writable.includes(name));
    expect([...locked.fields].sort()).toEqual([...financial, money.currency].sort());
  });

  test.each(Object.keys(contract) as ResourceName[])('has kinds of the fields of %s that fit their schemas', (name) => {
    const operations: readonly Endpoint[] = Object.values(contract[name]);
    const own = operations.filter(({ operation }) => kindsIn(operation) === resources[name].fields);
    const shapeOf = (schema: unknown) => (schema as z.ZodMiniObject | undefined)?.shape ?? {};
    const requested = Object.assign({}, ...own.map(({ request }) => shapeOf(request?.fields)));
    const fields = { ...requested, ...Object.assign({}, ...own.map(({ response }) => shapeOf(response ?? undefined))) };
    const { fields: kinds, money }: ResourceDescription = resources[name];
    const advice = `These are the fields of ${name}. Say what each is in packages/sdk/src/contract/resources.ts, where the others are.`;
    expect(Object.keys(kinds).sort(), advice).toEqual(Object.keys(fields).sort());
    for (const [field, schema] of Object.entries<z.ZodMiniType>(fields)) {
      const isAny = (...some: Kind[]) => some.some((kind) => hasKind(kinds, field, kind));
      const type = typeIn(schema);
      expect({ field, is: [isAny('flag'), isAny('amount', 'number'), isAny('choice', 'state')] }).toEqual({
        field,
        is: [type === 'boolean', type === 'number', type === 'enum'],
      });
      if (isAny('amount')) expect(money).toBeDefined();
      // No request sets what moves by itself, follows from others or never changes.
      if (isAny('counter', 'derived', 'identity')) expect(Object.keys(requested)).not.toContain(field);
    }
  });

  test('has kinds of fields inside others', () => {
    const { fields } = resources.members;
    expect([hasKind(fields, 'user.email', 'email'), hasKind(fields, 'user', 'email')]).toEqual([true, false]);
    expect(hasKind(fields, 'user.toString.name', 'text')).toBe(false);
    expect(fieldsOfKind(resources.address.fields, 'place')).toEqual([
      ...['address_one', 'city', 'state', 'postal_code', 'country_code'],
    ]);
    expect([kindsIn('members.update'), kindsIn('campaigns.publish'), kindsIn('other.list')]).toEqual([
      fields,
      resources.campaigns.fields,
      {},
    ]);
  });

  test('is neither in the client nor needs the schemas', async () => {
    const inputsOf = async (entry: string) => {
      const options: BuildOptions = {
        bundle: true,
        write: false,
        format: 'esm',
        conditions: ['mkt-source'],
        metafile: true,
      };
      const entryPoints = [fileURLToPath(new URL(`../src/${entry}.ts`, import.meta.url))];
      const { metafile } = await build({ ...options, outdir: 'out', platform: 'browser', entryPoints });
      const [{ inputs } = { inputs: {} }] = Object.values(metafile?.outputs ?? {});
      return Object.keys(inputs).map((path) => path.replace(/^.*(?=\/(src|node_modules)\/)/, ''));
    };
    const client = await inputsOf('index');
    expect(client).toContain('/src/contract/campaigns.ts');
    expect(client.filter((path) => /(resources|kinds|requests|table)\.ts/.test(path))).toEqual([]);
    expect((await inputsOf('contract/resources')).sort()).toEqual(
      ['computed', 'kinds', 'resources', 'states'].map((name) => `/src/contract/${name}.ts`),
    );
  });

  test('has an example for every endpoint: an id for each path parameter, fields for each required body', () => {
    for (const [resource, operations] of Object.entries(contract)) {
      const { requests }: ResourceExamples = examples[resource as ResourceName];
      for (const [name, endpoint] of Object.entries<Endpoint>(operations)) {
        const { request } = endpoint;
        const { fields }: { fields?: unknown } = requests[name] ?? {};
        expect(Object.keys(exampleIdsOf(endpoint)), `${resource}.${name}`).toEqual(parametersOf(endpoint.path));
        if (request) expect(request.fields.safeParse(fields).error?.issues, `${resource}.${name}`).toBeUndefined();
        else expect(fields, `${resource}.${name}`).toBeUndefined();
      }
    }
  });

  test('describes operations by the doc comments of their entries', () => {
    expect(operationDescriptions['campaigns.delete']).toBe('Only a draft without fundings: otherwise 422.');
    expect(operationDescriptions['campaigns.publish']).toBeUndefined();
    const operations = endpoints.map(({ operation }) => operation);
    expect(operations).toEqual(expect.arrayContaining(Object.keys(operationDescriptions)));
  });
});
