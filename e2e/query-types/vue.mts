// Types of `@mkt/sdk/query` with Vue: `npm run test:runtimes` compiles this against the packed SDK.
import type { Campaign, CampaignListItem, Marketplace, PageData } from '@mkt/sdk';
import { marketplaceQueries } from '@mkt/sdk/query';
import { type InfiniteData, useInfiniteQuery, useMutation, useQuery, VueQueryPlugin } from '@tanstack/vue-query';
import type { App } from 'vue';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_A, _B>(_: Same<_A, _B>): void => undefined;

export function types(mkt: Marketplace, app: App): void {
  app.use(VueQueryPlugin);
  const { campaigns } = marketplaceQueries(mkt);

  const one = useQuery(campaigns.get.queryOptions(5, 1));
  same<typeof one.data.value, Campaign | undefined>(true);
  const pages = useInfiniteQuery(campaigns.list.infiniteQueryOptions(5));
  same<typeof pages.data.value, InfiniteData<PageData<CampaignListItem>> | undefined>(true);
  const publish = useMutation(campaigns.publish.mutationOptions());
  same<typeof publish.data.value, Campaign | undefined>(true);
  publish.mutate([5, 1]);
  // @ts-expect-error the organization and the campaign
  publish.mutate([5]);
}
