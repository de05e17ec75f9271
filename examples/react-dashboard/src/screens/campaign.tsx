import { type Campaign, type Organization, TransitionError } from '@mkt/sdk';
import type { MarketplaceQueries } from '@mkt/sdk/query';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ErrorBanner } from '../parts/error-banner.js';
import { Heading } from '../parts/heading.js';
import { Amount, Day, Status } from '../parts/status.js';
import { listUrl } from '../route.js';

type Action = 'publish' | 'pause' | 'resume';
const actions: Readonly<Record<string, { readonly action: Action; readonly label: string }>> = {
  draft: { action: 'publish', label: 'Publish' },
  active: { action: 'pause', label: 'Pause' },
  paused: { action: 'resume', label: 'Resume' },
};

/** The text of a brief, one line per paragraph. Its HTML is not trusted, so it is shown as text. */
const textOf = (html: string): string => {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const block of body.querySelectorAll('p, li, br, h1, h2, h3, h4, div, blockquote')) block.append('\n');
  return (body.textContent ?? '').trim();
};

interface Props {
  readonly queries: MarketplaceQueries;
  readonly brand: Organization;
  readonly id: string;
}

export function CampaignScreen({ queries, brand, id }: Props) {
  const { data: campaign, error, isFetching, refetch } = useQuery(queries.campaigns.get.queryOptions(brand.id, id));
  const next = campaign && actions[campaign.status];
  // It ends when the campaign has been read again.
  const change = useMutation(queries.campaigns[next?.action ?? 'publish'].mutationOptions());
  // After a TransitionError another user was faster: the campaign shows it.
  const failure = change.error instanceof TransitionError ? null : change.error;

  return (
    <>
      <p className="back">
        <a href={listUrl(brand.id)}>All campaigns</a>
      </p>
      {error && !isFetching ? (
        <ErrorBanner error={error} onRetry={() => void refetch()} />
      ) : (
        <ErrorBanner error={failure} wrote />
      )}
      {campaign ? (
        <Details
          campaign={campaign}
          label={next?.label}
          busy={change.isPending || isFetching}
          run={() => change.mutate([brand.id, id])}
        />
      ) : (
        isFetching && <p role="status">Loading …</p>
      )}
    </>
  );
}

interface DetailsProps {
  readonly campaign: Campaign;
  /** The name of the action that changes its status, if there is one. */
  readonly label: string | undefined;
  readonly busy: boolean;
  readonly run: () => void;
}

function Details({ campaign, label, busy, run }: DetailsProps) {
  const facts = [
    ['Budget', <Amount key="value" value={campaign.total_budget_amount} />],
    ['Left', <Amount key="value" value={campaign.unused_amount} />],
    ['Views', <Amount key="value" value={campaign.view_count} />],
    ['Submissions', <Amount key="value" value={campaign.submissions_count} />],
    ['Per thousand views', <Amount key="value" value={campaign.cpm_amount} />],
    ['Currency', campaign.currency.toUpperCase()],
    ['Countries', campaign.countries.join(', ') || 'none'],
    ['Platforms', campaign.platform_ids.join(', ') || 'none'],
    ['Published', <Day key="value" value={campaign.published_at} />],
    ['Changed', <Day key="value" value={campaign.updated_at} />],
  ] as const;
  return (
    <article>
      <div className="heading">
        <Heading>{campaign.name}</Heading>
        {label && (
          <button type="button" className="primary" disabled={busy} onClick={run}>
            {busy ? 'Working …' : label}
          </button>
        )}
      </div>
      <p role="status">
        <Status value={campaign.status} />
      </p>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2>Brief</h2>
      <p className="brief">{campaign.brief ? textOf(campaign.brief) : 'No brief yet.'}</p>
    </article>
  );
}
