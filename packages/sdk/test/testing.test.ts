import {
  type Campaign,
  ConfigurationError,
  type Marketplace,
  MarketplaceError,
  NotFoundError,
  PermissionError,
  TransitionError,
  ValidationError,
} from '@mkt/sdk';
import { marketplaceQueries } from '@mkt/sdk/query';
import { fakeMarketplace } from '@mkt/sdk/testing';
import { expect, expectTypeOf, it, vi } from 'vitest';
import { failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';

const campaign = sampleCampaign() as unknown as Campaign;
const many = Array.from({ length: 45 }, (_, index) => ({ ...campaign, id: index + 1 }));

it('a fake is called with the arguments of its method, and returns its data in every form of a call', async () => {
  const get = vi.fn(async (..._: unknown[]) => campaign);
  const mkt: Marketplace = fakeMarketplace({ campaigns: { get } });
  expect(await mkt.campaigns.get(5, 1, { cache: 'reload' })).toBe(campaign);
  expect(await mkt.organization(7).campaigns.get(2)).toBe(campaign);
  expect(await mkt.withOptions({ retry: 0 }).campaigns.get(5, 3)).toBe(campaign);
  const { data, meta, response } = await mkt.campaigns.get(5, 4).withResponse();
  expect([data, meta.status, await response.json()]).toEqual([campaign, 200, campaign]);
  expect((await mkt.campaigns.get(5, 5).asResponse()).status).toBe(200);
  const queries = marketplaceQueries(mkt);
  expect(await queries.campaigns.get.queryOptions(5, 6).queryFn(new AbortController())).toBe(campaign);
  expect(get.mock.calls.map((args) => args.slice(0, 2))).toEqual([
    [5, 1],
    [7, 2],
    [5, 3],
    [5, 4],
    [5, 5],
    [5, 6],
  ]);
  expect(get.mock.calls[0]).toEqual([5, 1, { cache: 'reload' }]);
});

it.each([
  ['an array', many],
  ['a function', async () => many],
] as const)('a list is %s of all items, with pages of 20', async (_, list) => {
  const mkt = fakeMarketplace({ campaigns: { list } });
  const page = await mkt.campaigns.list(5, { page: 2 });
  expect([page.items[0]?.id, page.totalCount, page.totalPages, page.hasNext()]).toEqual([21, 45, 3, true]);
  expect((await page.next())?.items).toHaveLength(5);
  expect(await mkt.campaigns.list(5).all()).toEqual(many);
  expect(await mkt.campaigns.list(5).all({ limit: 30 })).toHaveLength(30);
  let count = 0;
  for await (const { id } of mkt.organization(5).campaigns.list()) if (id) count += 1;
  expect(count).toBe(45);
  const names = await mkt.each(mkt.campaigns.list(5), async ({ name }) => name);
  expect(names).toHaveLength(45);
});

it('a response with an error status is the error of that status', async () => {
  const mkt = fakeMarketplace({
    campaigns: {
      get: () => new Response(null, { status: 404 }),
      create: () => Response.json({ errors: { name: ["can't be blank"] } }, { status: 422 }),
      list: () => new Response(null, { status: 404 }),
      publish: () => new Response(null, { status: 403 }),
    },
    request: async () => new Response(null, { status: 403 }),
    download: async () => new Response(null, { status: 404 }),
  });
  await failure(mkt.campaigns.publish(5, 1), PermissionError);
  await failure(mkt.request('GET', '/x'), PermissionError);
  await failure(mkt.download('/x'), NotFoundError);
  await failure(mkt.campaigns.list(5), NotFoundError);
  expect(await failure(mkt.campaigns.get(5, 1), NotFoundError)).toMatchObject({ operation: 'campaigns.get' });
  const invalid = await failure(mkt.campaigns.create(5, { name: '' }), ValidationError);
  expect(invalid.fieldErrors).toEqual({ name: ["can't be blank"] });
  expect(invalid).toMatchObject({
    message: "POST https://marketplace.invalid/organizations/5/campaigns.json returned 422: name can't be blank",
    ...{ operation: 'campaigns.create', method: 'POST', path: '/organizations/:organization_id/campaigns.json' },
    ...{ attempts: 1, mayHaveArrived: false },
  });
});

it('errors of a fake are those of a client: ours as they are, others as the cause', async () => {
  const rejected = new TransitionError('campaigns.publish', 'finished', 'active');
  const mkt = fakeMarketplace({
    campaigns: {
      publish: () => {
        throw rejected;
      },
      delete: () => Promise.reject(new Error('boom')),
    },
  });
  expect(await mkt.campaigns.publish(5, 1).catch((error) => error)).toBe(rejected);
  expect((await failure(mkt.campaigns.delete(5, 1), ConfigurationError)).cause).toEqual(new Error('boom'));
});

it('a method without a fake sends nothing and says so, also request() and download()', async () => {
  const mkt = fakeMarketplace({});
  for (const call of [mkt.collabs.list(5), mkt.address.get(), mkt.request('GET', '/x'), mkt.download('/x')]) {
    const error = await failure(call, MarketplaceError);
    expect(error).toMatchObject({ message: expect.stringMatching(/has no fake/), attempts: 0, mayHaveArrived: false });
  }
  const faked = fakeMarketplace({ request: async () => 7, download: async () => new Blob(['x']) });
  expect(await faked.request('GET', '/x')).toBe(7);
  expect(await (await faked.download('/x')).text()).toBe('x');
});

it('fakes are typed', () => {
  type Given = NonNullable<Parameters<typeof fakeMarketplace>[0]['campaigns']>;
  expectTypeOf<{ get: () => Promise<Campaign> }>().toExtend<Given>();
  expectTypeOf<{ get: () => Promise<{ id: number }> }>().not.toExtend<Given>();
  expectTypeOf<{ list: Campaign[] }>().toExtend<Given>();
  expectTypeOf<keyof Given>().toEqualTypeOf<keyof Marketplace['campaigns']>();
});
