import { maxMatches } from '../../rules/context.js';
import type { StateTotal } from '../totals.js';
import { wholeNumber } from './values.js';

/** The filter and the order of a list, from the query of its URL. */
export interface ListQuery {
  readonly name: string;
  readonly status: string;
  readonly sort: string;
}

export const noListQuery: ListQuery = { name: '', status: '', sort: '' };

export function listQueryOf(path: string): ListQuery {
  const query = new URLSearchParams(path.split('?', 2)[1] ?? '');
  return {
    name: query.get('name')?.trim() ?? '',
    status: query.get('status') ?? '',
    sort: query.get('sort') === 'newest' ? 'newest' : '',
  };
}

/** The URL of a page of the list, with its filter and order. */
export function listUrl(path: string, query: ListQuery, page?: number): string {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  if (page !== undefined) parameters.set('page', String(page));
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

interface FiltersProps {
  readonly path: string;
  readonly query: ListQuery;
  readonly totals: readonly StateTotal[];
  /** How many items match. */
  readonly listed: number;
}

/** Searches, filters and sorts a list with a plain form. */
export const Filters = ({ path, query, totals, listed }: FiltersProps) => (
  <search>
    <form method="get" action={path} class="filters">
      <label>
        Name <input type="search" name="name" value={query.name} />
      </label>
      <label>
        Status{' '}
        <select name="status">
          <option value="">All</option>
          {totals.map(({ state, total }) => (
            <option value={state} selected={state === query.status}>
              {`${state.replaceAll('_', ' ')} (${wholeNumber.format(total)})`}
            </option>
          ))}
        </select>
      </label>
      <label>
        Order{' '}
        <select name="sort">
          <option value="">Oldest first</option>
          <option value="newest" selected={query.sort === 'newest'}>
            Newest first
          </option>
        </select>
      </label>
      <button type="submit" class="quiet">
        Show
      </button>
      {Object.values(query).some(Boolean) && <a href={path}>Reset</a>}
      {listed > 0 && (
        <a href={listUrl(`${path}.csv`, query)} download>
          Download CSV
        </a>
      )}
    </form>
    {query.name !== '' && listed >= maxMatches && (
      <p class="hint">
        These are the first {maxMatches} matches. Enter more of the name, or choose a status, to find fewer. The CSV
        file has all of them.
      </p>
    )}
  </search>
);

/** The totals of a list per status, with links to the filtered list. */
export const Totals = ({ heading, path, totals }: { heading: string; path: string; totals: readonly StateTotal[] }) => (
  <section class="sheet totals">
    <h2>
      <a href={path}>{heading}</a>
    </h2>
    <dl>
      {totals.map(({ state, total }) => (
        <div>
          <dt>
            <a href={listUrl(path, { ...noListQuery, status: state })}>{state.replaceAll('_', ' ')}</a>
          </dt>
          <dd>{wholeNumber.format(total)}</dd>
        </div>
      ))}
    </dl>
  </section>
);
