// Types that a program relies on, under the oldest TypeScript that is supported: another fetch, and optimistic updates.
import { type Campaign, Marketplace } from '@mkt/sdk';
import { createOnce, type Journal } from '@mkt/sdk/once';
import { marketplaceQueries } from '@mkt/sdk/query';
import { QueryClient } from '@tanstack/query-core';
import { Agent, fetch } from 'undici';

export const mkt: Marketplace = new Marketplace({
  token: process.env.MKT_TOKEN,
  baseUrl: process.env.MKT_BASE_URL,
  fetch,
  init: { dispatcher: new Agent({ connections: 10 }) },
});
const { campaigns } = marketplaceQueries(mkt);
const client = new QueryClient();

type Change = Parameters<typeof mkt.campaigns.update>;
export const onMutate = ([organization, id, fields]: Change): Campaign | undefined =>
  client.setQueryData(campaigns.get.queryKey(organization, id), (shown) => shown && { ...shown, ...fields });
// @ts-expect-error a whole item holds fields that only the server sets
export const wrong = (item: Campaign) => mkt.campaigns.update(5, 1, { ...item, name: 'New' });

export const once = (journal: Journal, name: string) =>
  createOnce(journal, name, { create: () => mkt.campaigns.create(5, { name }), find: () => undefined });
