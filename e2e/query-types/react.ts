// Types of `@mkt/sdk/query` with React. Only compiled: by `tsc -b`, and by `npm run test:runtimes` against the packed SDK.
import type { Campaign, CampaignListItem, Marketplace, PageData } from '@mkt/sdk';
import { marketplaceQueries } from '@mkt/sdk/query';
import {
  type InfiniteData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  usePrefetchQuery,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_A, _B>(_: Same<_A, _B>): void => undefined;

export async function types(mkt: Marketplace): Promise<void> {
  const client = new QueryClient();
  const queries = marketplaceQueries(mkt, client);
  const { campaigns, address } = queries;

  const one = useQuery(campaigns.get.queryOptions(5, 1));
  same<typeof one.data, Campaign | undefined>(true);
  same<typeof one.error, Error | null>(true);
  const name = useQuery({ ...campaigns.get.queryOptions('5', 'c1'), select: (campaign) => campaign.name });
  same<typeof name.data, string | undefined>(true);
  const certain = useSuspenseQuery(campaigns.list.queryOptions(5, { page: 2 }));
  same<typeof certain.data, PageData<CampaignListItem>>(true);
  const pages = useInfiniteQuery(campaigns.list.infiniteQueryOptions(5));
  same<typeof pages.data, InfiniteData<PageData<CampaignListItem>> | undefined>(true);
  usePrefetchQuery(address.get.queryOptions());

  // Keys know their data.
  const keyed = client.getQueryData(campaigns.get.queryKey(5, 1));
  same<typeof keyed, Campaign | undefined>(true);
  const cached = client.getQueryData(campaigns.list.infiniteQueryOptions(5).queryKey);
  same<typeof cached, InfiniteData<PageData<CampaignListItem>, number> | undefined>(true);
  client.setQueryData(campaigns.get.queryKey(5, 1), (old) => old && { ...old, name: 'New' });
  // @ts-expect-error a campaign has no such field
  client.getQueryData(campaigns.get.queryKey(5, 1))?.nmae;

  const publish = useMutation(campaigns.publish.mutationOptions());
  same<typeof publish.data, Campaign | undefined>(true);
  same<typeof publish.error, Error | null>(true);
  publish.mutate([5, 1]);
  publish.mutate([5, 1, { timeout: 5000 }]);
  // @ts-expect-error the organization and the campaign
  publish.mutate([5]);
  useMutation(campaigns.create.mutationOptions()).mutate([5, { name: 'New' }]);
  // @ts-expect-error there is no such field
  useMutation(campaigns.create.mutationOptions()).mutate([5, { nmae: 'New' }]);
  const removed = await useMutation(queries.campaigns.delete.mutationOptions()).mutateAsync([5, 1]);
  same<typeof removed, void>(true);
  // @ts-expect-error reads change nothing
  campaigns.get.mutationOptions();
  // @ts-expect-error only lists have pages
  campaigns.get.infiniteQueryOptions(5, 1);

  const fetched = await client.fetchQuery(campaigns.get.queryOptions(5, 1));
  same<typeof fetched, Campaign>(true);
  await client.invalidateQueries({ queryKey: campaigns.queryKey(5) });
}
