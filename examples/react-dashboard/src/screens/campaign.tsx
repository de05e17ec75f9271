import { type Campaign, type Marketplace, type Organization, TransitionError } from '@mkt/sdk';
import { useState } from 'react';
import { ErrorBanner } from '../parts/error-banner.js';
import { Heading } from '../parts/heading.js';
import { Amount, Day, Status } from '../parts/status.js';
import { listUrl } from '../route.js';
import { useRequest } from '../use-request.js';

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
  readonly mkt: Marketplace;
  readonly brand: Organization;
  readonly id: string;
}

export function CampaignScreen({ mkt, brand, id }: Props) {
  const campaignRequest = useRequest(id, (signal) => mkt.campaigns.get(brand.id, id, { signal }));
  const { data: campaign, error, retry } = campaignRequest;
  const [failure, setFailure] = useState<Error | null>(null);
  const [acting, setActing] = useState(false);

  const run = async (action: Action): Promise<void> => {
    setActing(true);
    setFailure(null);
    try {
      await mkt.campaigns[action](brand.id, id);
    } catch (problem) {
      // Another user was faster: the current state is read below.
      if (!(problem instanceof TransitionError)) setFailure(problem as Error);
    }
    setActing(false);
    retry();
  };

  return (
    <>
      <p className="back">
        <a href={listUrl(brand.id)}>All campaigns</a>
      </p>
      {error ? <ErrorBanner error={error} onRetry={retry} /> : <ErrorBanner error={failure} wrote />}
      {campaign ? (
        // The button stays the same until the campaign is read again.
        <Details campaign={campaign} busy={acting || campaignRequest.busy} run={(action) => void run(action)} />
      ) : (
        !error && <p role="status">Loading …</p>
      )}
    </>
  );
}

function Details({ campaign, busy, run }: { campaign: Campaign; busy: boolean; run: (action: Action) => void }) {
  const next = actions[campaign.status];
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
        {next && (
          <button type="button" className="primary" disabled={busy} onClick={() => run(next.action)}>
            {busy ? 'Working …' : next.label}
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
