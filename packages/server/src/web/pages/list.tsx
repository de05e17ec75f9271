import type { Parameters } from '../../http/authorizer.js';
import type { View } from '../../http/view.js';
import type { ListQuery } from '../../rules/context.js';
import type { MemberCounts } from '../../rules/deletion.js';
import type { Total } from '../../store/store.js';
import { bulkActions } from '../bulk.js';
import { offers, type PageContext } from '../page-context.js';
import { endpointFor, type Item, type PageDescription } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import { stateTotals } from '../totals.js';
import { ButtonLink } from './buttons.js';
import { Filters, listUrl, noListQuery, queryIn, queryParts } from './filters.js';
import { crumbsInside, crumbsTo, Page } from './layout.js';
import { Table, type TableProps } from './table.js';
import { counted, Day, wholeNumber } from './values.js';

export interface Subject {
  readonly resource: PageDescription;
  readonly item: Item;
  readonly parameters: Parameters;
}

interface ListProps {
  readonly context: PageContext;
  readonly resource: PageDescription;
  readonly view: View;
  /** The totals of the items that the visitor may see; empty for lists without filters. */
  readonly totals: readonly Total[];
  /** The item that the list belongs to, unless that is an organization or the visitor. */
  readonly parent: Subject | null;
  /** Of a list of members: they decide who can be removed. */
  readonly counts: MemberCounts | null;
  readonly shown: ReadonlyMap<string, string>;
  /** What all of its rows show. */
  readonly listed: string;
}

/** How many rows a page for printing has at most. */
export const maxPrinted = 1000;

/** A list for printing: all rows, with totals, without controls. */
function printedPage({ context, resource, view }: ListProps) {
  const items = view.body as readonly Item[];
  const path = pageOf(view.endpoint, context.parameters);
  const total = Number(view.headers['Total-Count']);
  const count =
    total > items.length
      ? `The first ${wholeNumber.format(items.length)} of ${wholeNumber.format(total)}`
      : counted(total, resource);
  const parts = [count, ...queryParts(queryIn(context.path))];
  const shown = { context, resource: { ...resource, filters: [] }, items, path, query: noListQuery };
  return (
    <Page
      context={context}
      title={resource.heading}
      part="print view"
      crumbs={crumbsInside(context)}
      hasOwnTarget={items.length > 0}
    >
      <p>
        {parts.join(', ')}, <Day at={new Date().toISOString()} />
      </p>
      {items.length > 0 && <Table {...shown} isPrinted />}
    </Page>
  );
}

/** A page of a list: the same items as the JSON, one per row. */
export function listPage(props: ListProps) {
  const { context, resource, view, totals, parent, counts, shown: shownRows, listed } = props;
  if (resource.filters.length > 0 && /[?&]print=/.test(context.path)) return printedPage(props);
  const items = view.body as readonly Item[];
  const create = endpointFor(resource, 'create');
  const path = pageOf(view.endpoint, context.parameters);
  const states = stateTotals(totals, context, resource);
  const query = resource.filters.length > 0 ? queryIn(context.path) : noListQuery;
  const search = context.path.includes('?') ? context.path.slice(context.path.indexOf('?')) : '';
  const isFiltered = Object.values(query).some(Boolean);
  const page = view.headers['Current-Page'];
  const total = Number(view.headers['Total-Count']);
  const parts = [...queryParts(query), ...(page === '1' ? [] : [`page ${page}`])];
  const newButton = offers(context, create) && (
    <ButtonLink to={`${pageOf(create, context.parameters)}/new`} label={resource.newLabel} />
  );
  const isEmpty = total === 0 && !isFiltered;
  const shown = { context, resource, items, path };
  return (
    <Page
      context={context}
      title={resource.heading}
      part={parts.join(', ')}
      crumbs={
        parent
          ? crumbsTo({ ...context, parameters: parent.parameters }, parent.resource, parent.item)
          : crumbsInside(context)
      }
      hasOwnTarget={items.length > 0}
      aside={!isEmpty && newButton}
      // The API neither filters nor sorts.
      json={isFiltered ? undefined : `${path}.json${search}`}
    >
      {resource.name === 'members' && (Number(view.headers['Total-Pages']) > 1 || search !== '') && (
        <search>
          <form method="get" action={path} class="filters" autocomplete="off">
            <label>
              Name <input type="search" name="name" value={new URLSearchParams(search).get('name') ?? ''} />
            </label>
            <button type="submit" class="quiet">
              Show
            </button>
          </form>
        </search>
      )}
      {states.some((state) => state.total > 0) && (
        <Filters
          path={path}
          resource={resource}
          query={query}
          states={states}
          currencies={[...new Set(totals.map(({ currency }) => String(currency)))].sort()}
          listed={total}
          limit={view.limit}
        />
      )}
      {items.length > 0 && (
        <>
          {/* Too many matches are in no other order. */}
          <Table
            {...shown}
            counts={counts}
            shown={shownRows}
            query={view.limit === 'matches' ? { ...query, sort: '' } : query}
          />
          <Selection {...shown} query={query} total={total} page={page} listed={listed} />
        </>
      )}
      {items.length === 0 && view.limit !== 'letters' && view.limit !== 'slow' && (
        <div class="empty">
          <p>
            {total > 0
              ? 'There are no items on this page.'
              : isFiltered
                ? 'Nothing matches this filter.'
                : resource.empty}
          </p>
          {isEmpty && resource.example && <p class="hint">{resource.example}</p>}
          {isEmpty && newButton}
          {total > 0 && (
            <ButtonLink to={listUrl(path, query, Number(view.headers['Total-Pages']))} label="Last page" quiet />
          )}
          {total === 0 && isFiltered && <ButtonLink to={path} label={`Show all ${resource.plural}`} quiet />}
        </div>
      )}
      {total > 0 && <Pager path={path} headers={view.headers} shown={items.length} query={query} />}
      {resource.listNote && <p class="hint after">{resource.listNote}</p>}
    </Page>
  );
}

interface SelectionProps extends Omit<TableProps, 'isPart'> {
  /** How many items match, on all pages. */
  readonly total: number;
  readonly page: string | undefined;
  readonly listed: string;
}

/** The actions on items of a list. The list comes back with its filter, order and page. */
function Selection({ context, resource, items, path, query, total, page, listed }: SelectionProps) {
  const actions = resource.filters.length > 0 ? bulkActions(context, resource) : [];
  if (actions.length === 0) return null;
  const count = (number: number): string => wholeNumber.format(number);
  return (
    // Browsers restore ticks by position, on rows that may have moved.
    <form method="get" action={`${path}/actions`} id="selected" class="actions bar selection" autocomplete="off">
      {Object.entries({ ...query, page: page === '1' ? '' : page }).map(
        ([name, value]) => value && <input type="hidden" name={name} value={value} />,
      )}
      <input type="hidden" name="listed" value={items.map(({ id }) => String(id)).join(',')} />
      <input type="hidden" name="shown" value={listed} />
      <select name="select" aria-label={`Which ${resource.plural}`}>
        <option value="">{items.length === total ? `Ticked ${resource.plural}` : `Ticked on page ${page}`}</option>
        <option value="page">
          {items.length === total ? `All ${count(total)}` : `All ${count(items.length)} on this page`}
        </option>
        {items.length < total && <option value="all">{`All ${count(total)} ${resource.plural} on all pages`}</option>}
      </select>
      {actions.map(({ name, label }) => (
        <button type="submit" name="action" value={name} class={name === 'delete' ? 'quiet danger' : 'quiet'}>
          {label}
          <span>…</span>
        </button>
      ))}
    </form>
  );
}

interface PagerProps {
  readonly path: string;
  /** `Total-Count`, `Total-Pages`, `Current-Page` and `Page-Items`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly shown: number;
  readonly query: ListQuery;
}

/** With more pages, a form jumps to any of them. */
const linkedPages = 7;

/** The position of a page in its list, and links to other pages. A page after the last one links to the last one. */
function Pager({ path, headers, shown, query }: PagerProps) {
  const total = Number(headers['Total-Count']);
  const pages = Number(headers['Total-Pages']);
  const current = Number(headers['Current-Page']);
  const first = (current - 1) * Number(headers['Page-Items']) + 1;
  return (
    <nav class="pager" aria-label="Pages">
      <p>
        {shown > 0 &&
          `${wholeNumber.format(first)}–${wholeNumber.format(first + shown - 1)} of ${wholeNumber.format(total)}`}
      </p>
      {(pages > 1 || shown === 0) && (
        <ul>
          {steps(current, pages).map(({ to, label, afterGap }) => (
            <>
              {afterGap && <li>…</li>}
              <li>
                <a href={listUrl(path, query, to)} {...(to === current && { 'aria-current': 'page' as const })}>
                  {label}
                </a>
              </li>
            </>
          ))}
        </ul>
      )}
      {pages > linkedPages && (
        <form method="get" action={path} class="filters jump" autocomplete="off">
          {Object.entries(query).map(
            ([name, value]) => value !== '' && <input type="hidden" name={name} value={value} />,
          )}
          <label>
            Page <input type="number" name="page" min={1} max={pages} value={Math.min(current, pages)} required />
          </label>
          <button type="submit" class="quiet">
            Go
          </button>
        </form>
      )}
    </nav>
  );
}

/** Previous, the first, last and nearby pages, next. Some have a gap before them. */
function steps(current: number, pages: number) {
  const near = [1, current - 1, current, current + 1, pages].filter((number) => number >= 1 && number <= pages);
  const numbers = [...new Set(near)].sort((left, right) => left - right);
  const previous = Math.min(current - 1, pages);
  return [
    ...(previous >= 1 ? [{ to: previous, label: 'Previous', afterGap: false }] : []),
    ...numbers.map((to, place) => ({
      to,
      label: wholeNumber.format(to),
      afterGap: to > 1 && numbers[place - 1] !== to - 1,
    })),
    ...(current < pages ? [{ to: current + 1, label: 'Next', afterGap: false }] : []),
  ];
}
