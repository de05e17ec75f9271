import { platforms } from '@mkt/sdk/contract/resources';
import type { PropsWithChildren } from 'hono/jsx';
import { type ListLimit, type ListQuery, listQueryOf } from '../../rules/context.js';
import { maxMatches, usedFilters, withoutBudget } from '../../rules/selection.js';
import { maxTested } from '../../store/store.js';
import type { PageDescription } from '../page-descriptions.js';
import type { StateTotal } from '../totals.js';
import { CountryOptions, countryName, platformName } from './countries.js';
import { labelIn, wholeNumber } from './values.js';

export const noListQuery: ListQuery = listQueryOf(() => []);

export const queryIn = (path: string): ListQuery => {
  const parameters = new URLSearchParams(path.split('?', 2)[1] ?? '');
  return listQueryOf((name) => parameters.getAll(name));
};

/** The URL of a page of the list, with its filter and order. */
export function listUrl(path: string, query: Partial<ListQuery> & { print?: string }, page?: number): string {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  if (page !== undefined) parameters.set('page', String(page));
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** What a list shows, in words: its filters and its order. */
export function queryParts({ name, status, platform, country, currency, from, to, sort, used }: ListQuery): string[] {
  return [
    name && `"${name}"`,
    status.replaceAll('_', ' ').replaceAll(',', ' or '),
    platformName(platform.toLowerCase()),
    countryName(country.toUpperCase()),
    currency.toUpperCase(),
    used && (used === withoutBudget ? 'no budget' : `${used} % used or more`),
    from && `published from ${from}`,
    to && `published to ${to}`,
    sort && `by ${sort.replace('-', '').replaceAll('_', ' ')}`,
  ].filter(Boolean);
}

/** The order of a list that the head of a column leads to first, and its name in the select. */
const orders: Readonly<Record<string, readonly [sort: string, label: string]>> = {
  name: ['name', 'Name'],
  total_budget_amount: ['-budget', 'Highest budget'],
  used_amount: ['-used', 'Most used'],
  used_percent: ['-used_percent', 'Highest percentage used'],
  view_count: ['-views', 'Most views'],
  submissions_count: ['-submissions', 'Most submissions'],
  completed_count: ['-completed', 'Most completed'],
  published_at: ['-published', 'Last published'],
};

/** The order by a field, if it has one. Computed fields have one if stores can sort by them. */
export const orderBy = ({ computedSorts }: PageDescription, field: string): string | undefined =>
  orders[field]?.[0] ?? (computedSorts.includes(field) ? `-${field}` : undefined);

interface FiltersProps {
  readonly path: string;
  readonly resource: PageDescription;
  readonly query: ListQuery;
  readonly states: readonly StateTotal[];
  readonly currencies: readonly string[];
  /** How many items match. */
  readonly listed: number;
  readonly limit: ListLimit | undefined;
}

/** Searches, filters and sorts a list with a plain form. */
export const Filters = ({ path, resource, query, states, currencies, listed, limit }: FiltersProps) => {
  const has = (field: string): boolean => resource.filters.includes(field);
  const byColumn = resource.columns.flatMap((field) => (orders[field] ? [orders[field]] : []));
  const others = resource.computedSorts.filter((name) => !byColumn.some(([sort]) => sort === `-${name}`));
  const sorts = [
    ...byColumn,
    ...others.map((name) => [`-${name}`, `Highest ${labelIn(resource, name).toLowerCase()}`] as const),
  ];
  // An order that only the head of a column has.
  const isListed = ['', 'created', ...sorts.map(([sort]) => sort)].includes(query.sort);
  const { platform, country, currency, from, to } = query;
  const isDetailed = Boolean(platform || country || currency || from || to);
  // The totals of states are those of the whole list.
  const hasTotals = !(query.name || query.used || isDetailed);
  return (
    <search>
      {/* On phones, the form is folded. */}
      <label class="fold">
        <input type="checkbox" /> {Object.values(query).some(Boolean) ? 'Filter and sort (in use)' : 'Filter and sort'}
      </label>
      <form method="get" action={path} class="filters" autocomplete="off">
        <label>
          Name <input type="search" name="name" value={query.name} />
        </label>
        <fieldset class="ticks">
          <legend>Status</legend>
          {states.map(({ state, total }) => (
            <label>
              <input type="checkbox" name="status" value={state} checked={query.status.split(',').includes(state)} />
              {state.replaceAll('_', ' ') + (hasTotals ? ` (${wholeNumber.format(total)})` : '')}
            </label>
          ))}
        </fieldset>
        {has('used_percent') && (
          <Choice
            label="Used"
            name="used"
            query={query}
            options={[...usedFilters.map((percent) => [percent, `${percent} % or more`]), [withoutBudget, 'No budget']]}
          />
        )}
        <label>
          Order{' '}
          <select name="sort">
            <option value="">Newest first</option>
            {[['created', 'Oldest first'] as const, ...sorts].map(([sort, label]) => (
              <option value={sort} selected={sort === query.sort}>
                {label}
              </option>
            ))}
            {!isListed && (
              <option value={query.sort} selected>
                As in the table
              </option>
            )}
          </select>
        </label>
        <details open={isDetailed}>
          <summary>More filters</summary>
          <div class="filters">
            {has('platform_ids') && (
              <Choice
                label="Platform"
                name="platform"
                query={query}
                options={platforms.map((id) => [id, platformName(id)])}
              />
            )}
            <Choice label="Country" name="country" query={query}>
              <CountryOptions selected={query.country} />
            </Choice>
            <Choice
              label="Currency"
              name="currency"
              query={query}
              options={currencies.map((code) => [code, code.toUpperCase()])}
            />
            {(['from', 'to'] as const).map((name) => (
              <label>
                {`Published ${name} (UTC)`} <input type="date" name={name} value={query[name]} />
              </label>
            ))}
          </div>
        </details>
        <button type="submit" class="quiet">
          Show
        </button>
        {Object.values(query).some(Boolean) && <a href={path}>Reset</a>}
        {listed > 0 && <a href={listUrl(path, { ...query, print: '1' })}>Print view</a>}
        {listed > 0 && (
          <a href={listUrl(`${path}.csv`, query)} download>
            {query.sort !== '' && (limit || listed > maxTested) ? 'Download CSV, newest first' : 'Download CSV'}
          </a>
        )}
      </form>
      {limit && (
        <p class="hint">
          {limits[limit]}{' '}
          {(limit === 'first' || limit === 'matches' || limit === 'tested') && 'The CSV file has all of them.'}
        </p>
      )}
    </search>
  );
};

interface ChoiceProps {
  readonly label: string;
  readonly name: 'used' | 'platform' | 'country' | 'currency';
  readonly query: ListQuery;
  readonly options?: readonly (readonly (string | number)[])[];
}

/** A select that filters by one value. The URL may have it in any letter case. */
const Choice = ({ label, name, query, options = [], children }: PropsWithChildren<ChoiceProps>) => (
  <label>
    {label}{' '}
    <select name={name}>
      <option value="">All</option>
      {options.map(([value = '', text]) => (
        <option value={String(value)} selected={String(value).toLowerCase() === query[name].toLowerCase()}>
          {text}
        </option>
      ))}
      {children}
    </select>
  </label>
);

export const limits: Readonly<Record<NonNullable<ListLimit>, string>> = {
  letters: `To search more than ${wholeNumber.format(maxTested)} items, enter at least three letters or digits in a row.`,
  slow: 'This search took too long and was stopped. Enter more of the name, or choose a status.',
  matches: `These are the newest ${maxMatches} matches, which are too many to sort. Enter more of the name, or choose a status, to find fewer.`,
  tested: `Of the names that match, only the newest ${wholeNumber.format(maxTested)} were tested for the other filters.`,
  first: `This list is too long to be sorted and filtered completely: only the first ${wholeNumber.format(maxTested)} items in this order were searched, without those that have no value to sort by.`,
  unsorted: `Only lists of up to ${wholeNumber.format(maxTested)} items can be sorted by name: the newest come first. Search for a name, or filter the list.`,
};
