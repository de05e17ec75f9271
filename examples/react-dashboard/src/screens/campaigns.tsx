import type { CampaignListItem, Marketplace, Organization } from '@mkt/sdk';
import { ErrorBanner } from '../parts/error-banner.js';
import { Heading } from '../parts/heading.js';
import { Amount, Status } from '../parts/status.js';
import { campaignUrl, go, listUrl, newUrl } from '../route.js';
import { useRequest } from '../use-request.js';

interface Shown {
  readonly items: readonly CampaignListItem[];
  readonly total: number;
  readonly pages: number;
}

const statuses = ['draft', 'active', 'paused', 'finished'];
const pageSize = 20;

/** One page. The API has no filters: to filter, all pages are read and the page is selected here. */
async function load(
  mkt: Marketplace,
  brand: Organization['id'],
  page: number,
  status: string,
  signal: AbortSignal,
): Promise<Shown> {
  if (status === '') {
    const { items, totalCount, totalPages } = await mkt.campaigns.list(brand, { page, signal });
    return { items, total: totalCount ?? items.length, pages: totalPages ?? 1 };
  }
  const all = (await mkt.campaigns.list(brand, { signal }).all()).filter((campaign) => campaign.status === status);
  const items = all.slice((page - 1) * pageSize, page * pageSize);
  return { items, total: all.length, pages: Math.max(1, Math.ceil(all.length / pageSize)) };
}

const counted = (total: number): string => (total === 1 ? '1 campaign' : `${total} campaigns`);

interface Props {
  readonly mkt: Marketplace;
  readonly brand: Organization;
  readonly page: number;
  readonly status: string;
}

export function CampaignsScreen({ mkt, brand, page, status }: Props) {
  const { data, error, busy, retry } = useRequest(`${brand.id} ${page} ${status}`, (signal) =>
    load(mkt, brand.id, page, status, signal),
  );
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
        <p role="status">{busy ? 'Loading …' : data ? counted(data.total) : ''}</p>
      </div>
      <ErrorBanner error={error} onRetry={retry} />
      {data?.items.length === 0 && <p className="empty">No campaigns here{data.total === 0 && ' yet'}.</p>}
      {data && (
        <div aria-busy={busy}>
          {data.items.length > 0 && <CampaignTable brand={brand} items={data.items} />}
          <Pager brand={brand} page={page} pages={data.pages} status={status} />
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
