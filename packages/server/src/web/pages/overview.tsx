import { computedFields, computedValue } from '@mkt/sdk/contract';
import type { Total } from '../../store/store.js';
import type { Activity, Attention, Overview, Spending } from '../overview.js';
import type { PageContext } from '../page-context.js';
import type { PageDescription } from '../page-descriptions.js';
import { type StateTotal, stateTotals } from '../totals.js';
import { listUrl } from './filters.js';
import { Badge, UsedMeter, usedPercent, wholeNumber } from './values.js';

const cost = computedFields.campaigns.effective_cpm;

interface OverviewProps {
  readonly context: PageContext;
  readonly overview: Overview;
  /** The path of the organization's page. */
  readonly path: string;
  readonly campaigns: PageDescription;
  readonly collabs: PageDescription;
}

/** How much is spent and left, what needs attention, and which campaigns do best. */
export function OverviewSections({ context, overview, path, campaigns, collabs }: OverviewProps) {
  const { attention, mostViews, lowestCost } = overview;
  const list = `${path}/campaigns`;
  return (
    <>
      <Tiles overview={overview} list={list} />
      <section class="attention">
        <h2>Needs attention</h2>
        {attention.length === 0 && <p class="none">Nothing needs attention now.</p>}
        {attention.length > 0 && (
          <ul>
            {attention.map((each) => (
              <AttentionRows attention={each} path={path} />
            ))}
          </ul>
        )}
      </section>
      <div class="sheets">
        {mostViews.length > 0 && (
          <Ranking
            title="Most views"
            unit="Views"
            path={path}
            rows={mostViews.map(({ id, name, view_count: views }) => ({ id, name, value: views }))}
            more={listUrl(list, { sort: '-views' })}
          />
        )}
        {lowestCost.map(({ currency, rows }) => (
          <Ranking
            title={`Lowest ${cost.label.toLowerCase()}, ${currency.toUpperCase()}`}
            unit={currency.toUpperCase()}
            path={path}
            rows={rows.map((row) => ({ id: row.id, name: row.name, value: computedValue(cost, row) ?? 0 }))}
          />
        ))}
        <RecentActivity activity={overview.activity} path={path} isAdmin={context.membership?.role === 'admin'} />
        <States resource={campaigns} path={list} totals={stateTotals(overview.campaigns, context, campaigns)} />
        <States resource={collabs} path={`${path}/collabs`} totals={stateTotals(overview.collabs, context, collabs)} />
      </div>
    </>
  );
}

const sumOf = (totals: readonly Total[], column: string): number =>
  totals.reduce((sum, total) => sum + Number(total[column]), 0);

function Tiles({ overview: { campaigns, spending }, list }: { overview: Overview; list: string }) {
  const active = campaigns.filter(({ status }) => status === 'active');
  return (
    <section class="tiles" aria-label="Totals">
      <Tile label="Active campaigns" value={sumOf(active, 'total')} href={listUrl(list, { status: 'active' })} />
      <Tile label="Views" value={sumOf(campaigns, 'view_count')} href={listUrl(list, { sort: '-views' })} />
      <Tile
        label="Submissions"
        value={sumOf(campaigns, 'submissions_count')}
        href={listUrl(list, { sort: '-submissions' })}
      />
      {spending.map((each) => (
        <SpendingTile spending={each} href={listUrl(list, { currency: each.currency, sort: '-budget' })} />
      ))}
    </section>
  );
}

function SpendingTile({ spending, href }: { spending: Spending; href: string }) {
  const { currency, budget, used, left } = spending;
  const unit = currency.toUpperCase();
  const percent = usedPercent(used, budget);
  return (
    <div class="tile">
      <h2>
        <a href={href}>{`Budget in ${unit}`}</a>
      </h2>
      <p class="big">{`${wholeNumber.format(left)} ${unit} left`}</p>
      <p>
        {percent === null
          ? 'No budget'
          : `${wholeNumber.format(used)} of ${wholeNumber.format(budget)} ${unit} used, ${wholeNumber.format(percent)}\u00A0%`}
      </p>
      {percent !== null && <UsedMeter percent={percent} />}
    </div>
  );
}

const Tile = ({ label, value, href }: { label: string; value: number; href: string }) => (
  <div class="tile">
    <h2>
      <a href={href}>{label}</a>
    </h2>
    <p class="big">{wholeNumber.format(value)}</p>
  </div>
);

/** What to do about a row. */
const nextSteps = {
  used: 'Ask the operator of this server for more budget, or pause it.',
  'no budget': 'Creators see it, but it cannot pay. Ask the operator of this server to fund it, or pause it.',
  'in review': 'The operator of this server reviews it. Check that its brief is complete.',
  'old draft': 'Publish it, or delete it.',
} as const satisfies Readonly<Record<Attention['reason'], string>>;

const listsOf: Readonly<Record<Attention['reason'], (path: string) => string>> = {
  used: (path) => listUrl(`${path}/campaigns`, { status: 'active', used: '80', sort: '-used_percent' }),
  'no budget': (path) => listUrl(`${path}/campaigns`, { status: 'active', sort: 'used_percent' }),
  'in review': (path) => listUrl(`${path}/collabs`, { status: 'submitted_for_review' }),
  'old draft': (path) => listUrl(`${path}/campaigns`, { status: 'draft', sort: 'created' }),
};

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

function AttentionRows({ attention: { reason, rows, total }, path }: { attention: Attention; path: string }) {
  const table = reason === 'in review' ? 'collabs' : 'campaigns';
  return (
    <>
      {rows.map((row) => {
        const percent = 'used_amount' in row ? usedPercent(row.used_amount, row.total_budget_amount) : null;
        const isUsedUp = reason === 'used' && 'used_amount' in row && row.used_amount >= row.total_budget_amount;
        const label =
          reason === 'used'
            ? isUsedUp
              ? 'budget used up'
              : `${percent} % used`
            : reason === 'old draft'
              ? `draft since ${day.format(Date.parse(row.created_at))}`
              : reason;
        return (
          <li>
            <a href={`${path}/${table}/${row.id}`}>{row.name}</a>
            <span
              class={`badge ${isUsedUp ? 'badge-failed' : reason === 'in review' ? 'badge-other' : 'badge-paused'}`}
            >
              {label}
            </span>
            <small>{nextSteps[reason]}</small>
          </li>
        );
      })}
      {(total === null ? rows.length === 5 : total > rows.length) && (
        <li>
          <a href={listsOf[reason](path)}>
            {total === null
              ? 'Show all drafts, oldest first'
              : `Show all ${wholeNumber.format(total)}: ${reason === 'used' ? '80 % used or more' : reason}`}
          </a>
        </li>
      )}
    </>
  );
}

interface RankingProps {
  readonly title: string;
  readonly unit: string;
  readonly path: string;
  readonly rows: readonly { readonly id: number | string; readonly name: string; readonly value: number }[];
  readonly more?: string;
}

/** Campaigns with bars. */
function Ranking({ title, unit, path, rows, more }: RankingProps) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <section class="sheet ranking">
      <h2>{title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Campaign</th>
            <th scope="col" class="number">
              {unit}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, value }) => (
            <tr>
              <th scope="row">
                <a href={`${path}/campaigns/${id}`}>{name}</a>
                <svg class="bar" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 4">
                  <rect width={String(Math.round((value * 100) / most))} height="4" />
                </svg>
              </th>
              <td class="number">{wholeNumber.format(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more && (
        <p>
          <a href={more}>All campaigns by {unit.toLowerCase()}</a>
        </p>
      )}
    </section>
  );
}

const RecentActivity = ({
  activity,
  path,
  isAdmin,
}: {
  activity: readonly Activity[];
  path: string;
  isAdmin: boolean;
}) =>
  activity.length > 0 && (
    <section class="sheet activity">
      <h2>Recent activity</h2>
      <dl>
        {activity.map(({ at, what, table, id, name }) => (
          <div>
            <dt>
              <time datetime={at}>{day.format(Date.parse(at))}</time>
            </dt>
            <dd>
              <a href={`${path}/${table}/${id}`}>{name}</a> {what}
            </dd>
          </div>
        ))}
      </dl>
      {isAdmin && (
        <p class="hint">
          The API has no other history and no trends. On a computer with mkt, <code>mkt changes</code> and{' '}
          <code>mkt campaigns trend</code> show what was recorded there.
        </p>
      )}
    </section>
  );

/** The totals of a list per status, with links to the filtered list. */
const States = ({
  resource,
  path,
  totals,
}: {
  resource: PageDescription;
  path: string;
  totals: readonly StateTotal[];
}) => (
  <section class="sheet totals">
    <h2>
      <a href={path}>{resource.heading}</a>
    </h2>
    <dl>
      {totals.map(({ state, total }) => (
        <div>
          <dt>
            <a href={listUrl(path, { status: state })}>
              <Badge value={state} />
            </a>
          </dt>
          <dd>{wholeNumber.format(total)}</dd>
        </div>
      ))}
    </dl>
  </section>
);
