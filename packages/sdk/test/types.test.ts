import type {
  AccessToken,
  ApiPromise,
  CacheStore,
  Campaign,
  CampaignListItem,
  Collab,
  Fetch,
  Id,
  ListPromise,
  Marketplace,
  MarketplaceOptions,
  Membership,
  Organization,
  Page,
  SocialAccount,
} from '@mkt/sdk';
import type { contract, Endpoint, ResourceDescriptions, resources } from '@mkt/sdk/contract';
import type { fetch as undiciFetch } from 'undici';
import { describe, expectTypeOf, it } from 'vitest';

// Checked by the compiler: `tsc -b` fails where one does not hold.
describe('types', () => {
  it('of responses', () => {
    expectTypeOf<Marketplace['campaigns']['get']>().returns.toEqualTypeOf<ApiPromise<Campaign>>();
    expectTypeOf<Marketplace['campaigns']['list']>().returns.toEqualTypeOf<ListPromise<CampaignListItem>>();
    expectTypeOf<Marketplace['campaigns']['publish']>().returns.toEqualTypeOf<ApiPromise<Campaign>>();
    expectTypeOf<Marketplace['collabs']['submit']>().returns.toEqualTypeOf<ApiPromise<Collab>>();
    expectTypeOf<Marketplace['organizations']['create']>().returns.toEqualTypeOf<ApiPromise<Organization>>();
    expectTypeOf<Marketplace['members']['update']>().returns.toEqualTypeOf<ApiPromise<Membership>>();
    expectTypeOf<Marketplace['socialAccounts']['get']>().returns.toEqualTypeOf<ApiPromise<SocialAccount>>();
    expectTypeOf<Marketplace['accessTokens']['delete']>().returns.toEqualTypeOf<ApiPromise<void>>();
    expectTypeOf<Awaited<ListPromise<Campaign>>>().toEqualTypeOf<Page<Campaign>>();
    expectTypeOf<Page<Campaign>['items']>().toEqualTypeOf<Campaign[]>();
    expectTypeOf<Campaign['id']>().toEqualTypeOf<Id>();
    expectTypeOf<Organization['id']>().toEqualTypeOf<Id>();
    expectTypeOf<SocialAccount['id']>().toEqualTypeOf<Id>();
    expectTypeOf<AccessToken['id']>().toEqualTypeOf<Id>();
    expectTypeOf<AccessToken['token']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Awaited<ReturnType<Marketplace['accessTokens']['create']>>['token']>().toEqualTypeOf<string>();
  });

  it('of complete value sets: any other value is a mistake', () => {
    expectTypeOf<Campaign['status']>().toEqualTypeOf<'draft' | 'active' | 'paused' | 'finished'>();
    expectTypeOf<'archived'>().not.toExtend<Campaign['status']>();
  });

  it('of open value sets: the known ones complete, any other is let through', () => {
    expectTypeOf<Campaign['platform_ids'][number]>().toEqualTypeOf<'youtube' | 'tiktok' | (string & {})>();
    expectTypeOf<'vimeo'>().toExtend<Campaign['platform_ids'][number]>();
  });

  it('have no index signature: a misspelt field is an error', () => {
    expectTypeOf<Campaign>().not.toHaveProperty('nmae');
    expectTypeOf<CampaignListItem>().not.toHaveProperty('brief');
    expectTypeOf<Campaign>().toHaveProperty('brief');
  });

  it('of the bound form lose only the organization', () => {
    type Acme = ReturnType<Marketplace['organization']>;
    expectTypeOf<Parameters<Acme['campaigns']['get']>>().toEqualTypeOf<
      [id: number | string, options?: Parameters<Marketplace['campaigns']['get']>[2]]
    >();
    expectTypeOf<Acme['members']['list']>().returns.toEqualTypeOf<ListPromise<Membership>>();
  });

  it('take ids of either kind, and only what the contract knows', () => {
    expectTypeOf<Parameters<Marketplace['campaigns']['get']>[1]>().toEqualTypeOf<number | string>();
    expectTypeOf<{ role: 'owner' }>().not.toExtend<Parameters<Marketplace['members']['update']>[2]>();
    expectTypeOf<{ name: string; nmae: string }>().toExtend<Parameters<Marketplace['campaigns']['create']>[1]>();
    expectTypeOf<Record<never, never>>().not.toExtend<Parameters<Marketplace['campaigns']['create']>[1]>();
  });

  it('of options allow undefined, and any store', () => {
    expectTypeOf<{ token: string; baseUrl: string; timeout: undefined }>().toExtend<MarketplaceOptions>();
    expectTypeOf<{ token: string | undefined; baseUrl: string | undefined }>().toExtend<MarketplaceOptions>();
    expectTypeOf<Map<string, { etag: string; body: string }>>().toExtend<CacheStore>();
    expectTypeOf<typeof fetch>().toExtend<Fetch>();
    expectTypeOf<typeof undiciFetch>().toExtend<Fetch>();
    expectTypeOf<(url: string) => Promise<Response>>().toExtend<Fetch>();
    expectTypeOf<(url: string | URL, init?: RequestInit) => Promise<Response>>().toExtend<Fetch>();
    expectTypeOf<Console>().toExtend<NonNullable<MarketplaceOptions['logger']>>();
  });

  it('of the description of a resource: a kind for each field of its responses and requests, however deep', () => {
    type Descriptions = typeof resources;
    type Required = ResourceDescriptions<typeof contract>;
    expectTypeOf<Descriptions>().toExtend<Required>();
    type Fields<Name extends keyof Descriptions> = Descriptions[Name]['fields'];
    type Without<Name extends keyof Descriptions, Field extends keyof Fields<Name>> = Omit<Fields<Name>, Field>;
    expectTypeOf<Fields<'campaigns'>>().toExtend<Required['campaigns']['fields']>();
    expectTypeOf<Without<'campaigns', 'view_count'>>().not.toExtend<Required['campaigns']['fields']>();
    expectTypeOf<Without<'campaigns', 'brief'>>().not.toExtend<Required['campaigns']['fields']>();
    expectTypeOf<Without<'collabs', 'published_at'>>().not.toExtend<Required['collabs']['fields']>();
    expectTypeOf<Without<'collabs', 'purge_banner_image'>>().not.toExtend<Required['collabs']['fields']>();
    expectTypeOf<Without<'members', 'user'> & { user: Omit<Fields<'members'>['user'], 'email'> }>().not.toExtend<
      Required['members']['fields']
    >();
    expectTypeOf<Without<'campaigns', 'name'> & { name: 'txt' }>().not.toExtend<Required['campaigns']['fields']>();
  });

  it('of the description of a resource: kinds for the rows of a list below an item', () => {
    type Invoice = { id: number; amount: string };
    type Required = ResourceDescriptions<{
      campaigns: (typeof contract)['campaigns'] & { invoices: Endpoint<Invoice, never> };
    }>['campaigns'];
    type Campaigns = (typeof resources)['campaigns'];
    expectTypeOf<Campaigns>().not.toExtend<Required>();
    expectTypeOf<Campaigns & { rows: { invoices: { id: 'id' } } }>().not.toExtend<Required>();
    expectTypeOf<Campaigns & { rows: { invoices: { id: 'id'; amount: 'text' } } }>().toExtend<Required>();
  });

  it('of the description of a resource: it names fields of that resource', () => {
    type Required = ResourceDescriptions<typeof contract>;
    expectTypeOf<'nmae'>().not.toExtend<Required['campaigns']['title']>();
    expectTypeOf<'user.name'>().toExtend<Required['members']['title']>();
    expectTypeOf<'cpm'>().not.toExtend<NonNullable<Required['campaigns']['money']>['currency']>();
  });
});
