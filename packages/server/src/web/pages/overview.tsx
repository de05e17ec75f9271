import { computedFields, computedValue } from '@mkt/sdk/contract';
import type { ListQuery } from '../../rules/context.js';
import { deletionErrors } from '../../rules/deletion.js';
import { withoutBudget } from '../../rules/selection.js';
import type { Attention, Overview, Spending } from '../overview.js';
import { offers, type PageContext } from '../page-context.js';
import { endpointFor, type PageDescription, pageDescriptionOf } from '../page-descriptions.js';
import { type StateTotal, stateTotals, sumOf } from '../totals.js';
import { listUrl } from './filters.js';
import { Badge, Day, Term, UsedMeter, usedPercent, wholeNumber } from './values.js';

const cost = computedFields.campaigns.effective_cpm;

type OverviewProps = { context: PageContext; overview: Overview; path: string };

/** How much is spent and left, what needs attention, and which campaigns do best. */
export function OverviewSections({ context, overview, path }: OverviewProps) {
  const [campaigns, collabs] = [pageDescriptionOf('campaigns'), pageDescriptionOf('collabs')];
  const { attention, mostViews, lowestCost, spending } = overview;
  const list = `${path}/campaigns`;
  const mayChange = offers(context, endpointFor(campaigns, 'update'));
  return (
    <>
      <section class="attention">
        <h2>Needs attention</h2>
        {attention.length === 0 && <p class="none">Nothing needs attention now.</p>}
        {attention.length > 0 && (
          <ul>
            {attention.map((each) => (
              <AttentionRows attention={each} path={path} mayChange={mayChange} />
            ))}
          </ul>
        )}
      </section>
      <Tiles overview={overview} list={list} />
      {spending.length > 0 && <SpendingTable spending={spending} list={list} />}
      {context.membership?.role !== 'admin' && (
        <p class="hint">Drafts are left out of these numbers. Only admins see them.</p>
      )}
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
        {lowestCost.rows.length > 0 && (
          <Ranking
            title={`Lowest ${cost.label.toLowerCase()}`}
            unit={lowestCost.currency.toUpperCase()}
            path={path}
            rows={lowestCost.rows.map((row) => ({ id: row.id, name: row.name, value: computedValue(cost, row) ?? 0 }))}
            choices={spending.map(({ currency }) => ({
              label: currency.toUpperCase(),
              href: `${path}?cost=${currency}#cost`,
              isCurrent: currency === lowestCost.currency,
            }))}
          />
        )}
        <RecentActivity activity={overview.activity} path={path} isAdmin={context.membership?.role === 'admin'} />
        <States resource={campaigns} path={list} totals={stateTotals(overview.campaigns, context, campaigns)} />
        <States resource={collabs} path={`${path}/collabs`} totals={stateTotals(overview.collabs, context, collabs)} />
      </div>
    </>
  );
}

const Tiles = ({ overview: { campaigns }, list }: { overview: Overview; list: string }) => {
  const active = campaigns.filter(({ status }) => status === 'active');
  const tiles = [
    ['Active campaigns', sumOf(active, 'total'), { status: 'active' }],
    ['Views', sumOf(campaigns, 'view_count'), { sort: '-views' }],
    ['Submissions', sumOf(campaigns, 'submissions_count'), { sort: '-submissions' }],
  ] as const;
  return (
    <section class="tiles" aria-label="Totals">
      {tiles.map(([label, value, query]) => (
        <div class="tile">
          <h2>
            <a href={listUrl(list, query)}>{label}</a>
          </h2>
          <p class="big">{wholeNumber.format(value)}</p>
        </div>
      ))}
    </section>
  );
};

const SpendingTable = ({ spending, list }: { spending: readonly Spending[]; list: string }) => (
  <section class="scroll spending" tabindex={0} aria-label="Budget by currency">
    <table>
      <thead>
        <tr>
          <th scope="col">Budget in</th>
          {['Left', 'Used', 'Budget', '%'].map((label) => (
            <th scope="col" class="number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {spending.map(({ currency, budget, used, left }) => {
          const percent = usedPercent(used, budget);
          return (
            <tr>
              <th scope="row">
                <a href={listUrl(list, { currency, sort: '-budget' })}>{currency.toUpperCase()}</a>
              </th>
              {[
                ['Left', left],
                ['Used', used],
                ['Budget', budget],
              ].map(([label, amount]) => (
                <td class="number" data-label={label}>
                  {wholeNumber.format(Number(amount))}
                </td>
              ))}
              <td class="number" data-label="%">
                {percent === null ? <span class="none">–</span> : `${wholeNumber.format(percent)}\u00A0%`}
                {percent !== null && <UsedMeter percent={percent} />}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  </section>
);

/** What those who may change a row can do about it. */
function nextStep(reason: Attention['reason'], row: Attention['rows'][number]): string {
  if (reason === 'used') return 'Ask the operator of this server for more budget, or pause it.';
  if (reason === 'no budget')
    return 'Creators see it, but it cannot pay. Ask the operator of this server to fund it, or pause it.';
  if (reason === 'in review') return 'The operator of this server reviews it. Check that its brief is complete.';
  const error = 'status' in row ? deletionErrors.campaigns(row) : deletionErrors.collabs(row);
  return error === null ? 'Finish it, or delete it.' : 'Finish it.';
}

/** The lists of exactly those that are counted. */
const queries: Readonly<Record<Attention['reason'], Partial<ListQuery>>> = {
  used: { status: 'active', used: '80', sort: '-used_percent' },
  'no budget': { status: 'active', used: withoutBudget },
  'in review': { status: 'submitted_for_review' },
  'old draft': { status: 'draft', sort: 'created' },
};

type AttentionProps = { attention: Attention; path: string; mayChange: boolean };

function AttentionRows({ attention: { reason, table, rows, total }, path, mayChange }: AttentionProps) {
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
              ? [table === 'collabs' ? 'collab, ' : '', 'draft since ', <Day at={row.created_at} />]
              : reason;
        return (
          <li>
            <a href={`${path}/${table}/${row.id}`}>{row.name}</a>
            <span
              class={`badge ${isUsedUp ? 'badge-failed' : reason === 'in review' ? 'badge-other' : 'badge-paused'}`}
            >
              {label}
            </span>
            {mayChange && <small>{nextStep(reason, row)}</small>}
          </li>
        );
      })}
      {(total === null ? rows.length === 5 : total > rows.length) && (
        <li>
          <a href={listUrl(`${path}/${table}`, queries[reason])}>
            {total === null
              ? `Show all drafts of ${table}, oldest first`
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
  /** Other units, as links. */
  readonly choices?: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
}

function Ranking({ title, unit, path, rows, more, choices = [] }: RankingProps) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <section class="sheet ranking" id={choices.length > 0 ? 'cost' : undefined}>
      <h2>{title}</h2>
      {choices.length > 1 && (
        <nav aria-label="Currency">
          {choices.map(({ label, href, isCurrent }) => (
            <a href={href} aria-current={isCurrent ? 'true' : undefined}>
              {label}
            </a>
          ))}
        </nav>
      )}
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

type ActivityProps = Pick<Overview, 'activity'> & { path: string; isAdmin: boolean };

const RecentActivity = ({ activity, path, isAdmin }: ActivityProps) =>
  activity.length > 0 && (
    <section class="sheet activity">
      <h2>Recent activity</h2>
      <dl>
        {activity.map(({ at, what, table, id, name }) => (
          <Term name={<Day at={at} />}>
            <a href={`${path}/${table}/${id}`}>{name}</a> {what}
          </Term>
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

type StatesProps = { resource: PageDescription; path: string; totals: readonly StateTotal[] };

/** The totals of a list per status, with links to the filtered list. */
const States = ({ resource, path, totals }: StatesProps) => (
  <section class="sheet totals">
    <h2>
      <a href={path}>{resource.heading}</a>
    </h2>
    <dl>
      {totals.map(({ state, total }) => (
        <Term
          name={
            <a href={listUrl(path, { status: state })}>
              <Badge value={state} />
            </a>
          }
        >
          {wholeNumber.format(total)}
        </Term>
      ))}
    </dl>
  </section>
);
