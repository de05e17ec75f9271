import type { Marketplace, Organization } from '@mkt/sdk';
import { useEffect, useMemo } from 'react';
import { clientFor, mock } from './api.js';
import { ErrorBanner } from './parts/error-banner.js';
import { LastResort } from './parts/last-resort.js';
import { MockPanel } from './parts/mock-panel.js';
import { go, listUrl, type Route, replaceUrl, useRoute } from './route.js';
import { CampaignScreen } from './screens/campaign.js';
import { CampaignsScreen } from './screens/campaigns.js';
import { NewCampaignScreen } from './screens/new-campaign.js';
import { SignInScreen } from './screens/sign-in.js';
import { setToken, useToken } from './session.js';
import { useRequest } from './use-request.js';

export function App() {
  const token = useToken();
  return (
    <>
      {token === null ? <SignInScreen /> : <Desk key={token} token={token} />}
      {mock && <MockPanel mock={mock} />}
    </>
  );
}

function Desk({ token }: { readonly token: string }) {
  const mkt = useMemo(() => clientFor(token), [token]);
  const brands = useRequest('brands', (signal) => mkt.organizations.list({ signal }).all());
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
        <ErrorBanner error={brands.error} onRetry={brands.retry} />
        {brands.data?.length === 0 && <p className="empty">You belong to no brand yet. Ask an admin to add you.</p>}
        {brand && (
          // A new key: another brand, screen or campaign starts empty.
          <LastResort key={`${brand.id} ${route.screen} ${route.campaign}`}>
            <Screen mkt={mkt} brand={brand} route={route} />
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

function Screen({ mkt, brand, route }: { mkt: Marketplace; brand: Organization; route: Route }) {
  if (route.screen === 'new') return <NewCampaignScreen mkt={mkt} brand={brand} />;
  if (route.campaign !== null) return <CampaignScreen mkt={mkt} brand={brand} id={route.campaign} />;
  return <CampaignsScreen mkt={mkt} brand={brand} page={route.page} status={route.status} />;
}
