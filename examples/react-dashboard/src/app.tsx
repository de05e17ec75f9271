import type { Marketplace, Organization } from '@mkt/sdk';
import { type MarketplaceQueries, marketplaceQueries } from '@mkt/sdk/query';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { clientFor } from './api.js';
import { ErrorBanner } from './parts/error-banner.js';
import { LastResort } from './parts/last-resort.js';
import { go, listUrl, type Route, replaceUrl, useRoute } from './route.js';
import { CampaignScreen } from './screens/campaign.js';
import { CampaignsScreen } from './screens/campaigns.js';
import { NewCampaignScreen } from './screens/new-campaign.js';
import { SignInScreen } from './screens/sign-in.js';
import { setToken, useToken } from './session.js';

export function App() {
  const token = useToken();
  return token === null ? <SignInScreen /> : <SignedIn key={token} token={token} />;
}

/** A cache for each token: the keys of queries don't contain it. */
function SignedIn({ token }: { readonly token: string }) {
  const [queryClient] = useState(() => new QueryClient());
  const [mkt] = useState(() => clientFor(token));
  const [queries] = useState(() => marketplaceQueries(mkt));
  return (
    <QueryClientProvider client={queryClient}>
      <Desk mkt={mkt} queries={queries} />
    </QueryClientProvider>
  );
}

interface Api {
  readonly mkt: Marketplace;
  readonly queries: MarketplaceQueries;
}

function Desk({ mkt, queries }: Api) {
  const brands = useQuery({
    queryKey: [...queries.organizations.queryKey(), 'all'],
    queryFn: ({ signal }) => mkt.organizations.list({ signal }).all(),
    retry: false,
  });
  const route = useRoute();
  const brand = brands.data?.find(({ id }) => String(id) === route.brand) ?? null;
  const [first] = brands.data ?? [];

  useEffect(() => {
    if (!brand && first) replaceUrl(listUrl(first.id));
  }, [brand, first]);

  return (
    <div className="desk">
      <header className="bar">
        <a className="brand-mark" href={first ? listUrl(brand?.id ?? first.id) : '#/'}>
          Campaign desk
        </a>
        {brands.data && brands.data.length > 0 && <BrandSwitcher brands={brands.data} current={brand} />}
        <button type="button" className="quiet" onClick={() => setToken(null)}>
          Sign out
        </button>
      </header>
      <main>
        <ErrorBanner error={brands.isFetching ? null : brands.error} onRetry={() => void brands.refetch()} />
        {brands.data?.length === 0 && <p className="empty">You belong to no brand yet. Ask an admin to add you.</p>}
        {brand && (
          // A new key: another brand, screen or campaign starts empty.
          <LastResort key={`${brand.id} ${route.screen} ${route.campaign}`}>
            <Screen mkt={mkt} queries={queries} brand={brand} route={route} />
          </LastResort>
        )}
      </main>
    </div>
  );
}

function BrandSwitcher({ brands, current }: { brands: readonly Organization[]; current: Organization | null }) {
  return (
    <label className="switcher">
      <span className="visually-hidden">Brand</span>
      <select value={String(current?.id ?? '')} onChange={({ target }) => go(listUrl(target.value))}>
        {brands.map(({ id, name }) => (
          <option key={id} value={String(id)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Screen({ mkt, queries, brand, route }: Api & { readonly brand: Organization; readonly route: Route }) {
  if (route.screen === 'new') return <NewCampaignScreen queries={queries} brand={brand} />;
  if (route.campaign !== null) return <CampaignScreen queries={queries} brand={brand} id={route.campaign} />;
  return <CampaignsScreen mkt={mkt} queries={queries} brand={brand} page={route.page} status={route.status} />;
}
