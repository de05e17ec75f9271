import type { ResourceDescription, resources } from '@mkt/sdk/contract';
import type { fetch as undiciFetch } from 'undici';
import { describe, expectTypeOf, it } from 'vitest';
import type {
  AccessToken,
  Address,
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
} from '../src/index.js';

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

  it('of the description of a resource: it names fields of that resource', () => {
    type Descriptions = typeof resources;
    expectTypeOf<Descriptions['accessTokens']>().toExtend<ResourceDescription<AccessToken>>();
    expectTypeOf<Descriptions['organizations']>().toExtend<ResourceDescription<Organization>>();
    expectTypeOf<Descriptions['members']>().toExtend<ResourceDescription<Membership>>();
    expectTypeOf<Descriptions['campaigns']>().toExtend<ResourceDescription<Campaign>>();
    expectTypeOf<Descriptions['collabs']>().toExtend<ResourceDescription<Collab>>();
    expectTypeOf<Descriptions['socialAccounts']>().toExtend<ResourceDescription<SocialAccount>>();
    expectTypeOf<Descriptions['address']>().toExtend<ResourceDescription<Address>>();
  });
});
