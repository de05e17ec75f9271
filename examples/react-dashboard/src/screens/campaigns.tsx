import type { CampaignListItem, Marketplace, Organization, PageData } from '@mkt/sdk';
import type { MarketplaceQueries, QueryOptions } from '@mkt/sdk/query';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ErrorBanner } from '../parts/error-banner.js';
import { Heading } from '../parts/heading.js';
import { Amount, Status } from '../parts/status.js';
import { campaignUrl, go, listUrl, newUrl } from '../route.js';

const statuses = ['draft', 'active', 'paused', 'finished'];
const pageSize = 20;

interface Props {
  readonly mkt: Marketplace;
  readonly queries: MarketplaceQueries;
  readonly brand: Organization;
  readonly page: number;
  readonly status: string;
}

/** One page. The API has no filters: to filter, all pages are read and the page is selected here. */
function pageQuery({ mkt, queries, brand, page, status }: Props): QueryOptions<PageData<CampaignListItem>> {
  if (status === '') return queries.campaigns.list.queryOptions(brand.id, { page });
  return {
    queryKey: [...queries.campaigns.queryKey(brand.id), 'filtered', { status, page }],
    queryFn: async ({ signal }) => {
      const all = (await mkt.campaigns.list(brand.id, { signal }).all()).filter((one) => one.status === status);
      const items = all.slice((page - 1) * pageSize, page * pageSize);
      return { items, number: page, totalCount: all.length, totalPages: Math.max(1, Math.ceil(all.length / pageSize)) };
    },
    retry: false,
  };
}

const counted = (total: number): string => (total === 1 ? '1 campaign' : `${total} campaigns`);

export function CampaignsScreen(props: Props) {
  const { brand, page, status } = props;
  const { data, error, isFetching, refetch } = useQuery({ ...pageQuery(props), placeholderData: keepPreviousData });
  const total = data?.totalCount ?? data?.items.length ?? 0;
  return (
    <>
      <div className="heading">
        <Heading>Campaigns</Heading>
        <a className="button primary" href={newUrl(brand.id)}>
          New campaign
        </a>
      </div>
      <div className="tools">
        <label>
          Status{' '}
          <select value={status} onChange={({ target }) => go(listUrl(brand.id, 1, target.value))}>
            <option value="">all</option>
            {statuses.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <p role="status">{isFetching ? 'Loading …' : data ? counted(total) : ''}</p>
      </div>
      <ErrorBanner error={isFetching ? null : error} onRetry={() => void refetch()} />
      {data?.items.length === 0 && <p className="empty">No campaigns here{total === 0 && ' yet'}.</p>}
      {data && (
        <div aria-busy={isFetching}>
          {data.items.length > 0 && <CampaignTable brand={brand} items={data.items} />}
          <Pager brand={brand} page={page} pages={data.totalPages ?? 1} status={status} />
        </div>
      )}
    </>
  );
}

function CampaignTable({ brand, items }: { brand: Organization; items: readonly CampaignListItem[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col" className="number">
            Budget
          </th>
          <th scope="col" className="number">
            Left
          </th>
          <th scope="col" className="number">
            Views
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, name, status, total_budget_amount, unused_amount, view_count }) => (
          <tr key={id}>
            <th scope="row">
              <a href={campaignUrl(brand.id, id)}>{name}</a>
            </th>
            <td>
              <Status value={status} />
            </td>
            <td className="number" data-label="Budget">
              <Amount value={total_budget_amount} />
            </td>
            <td className="number" data-label="Left">
              <Amount value={unused_amount} />
            </td>
            <td className="number" data-label="Views">
              <Amount value={view_count} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Pager({ brand, page, pages, status }: { brand: Organization; page: number; pages: number; status: string }) {
  if (pages <= 1) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {page > 1 ? <a href={listUrl(brand.id, Math.min(page - 1, pages), status)}>Previous</a> : <span>Previous</span>}
      <span aria-current="page">
        Page {page} of {pages}
      </span>
      {page < pages ? <a href={listUrl(brand.id, page + 1, status)}>Next</a> : <span>Next</span>}
    </nav>
  );
}
