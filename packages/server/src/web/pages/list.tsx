import type { Parameters } from '../../http/authorizer.js';
import type { View } from '../../http/view.js';
import type { ListQuery } from '../../rules/context.js';
import type { Total } from '../../store/store.js';
import { bulkActions } from '../bulk.js';
import { offers, type PageContext } from '../page-context.js';
import { endpointFor, type Item, type PageDescription, valueIn } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import { stateTotals } from '../totals.js';
import { Filters, listUrl, noListQuery, queryIn } from './filters.js';
import { crumbsInside, crumbsTo, Page } from './layout.js';
import { Pager } from './pager.js';
import { FieldValue, labelIn, wholeNumber } from './values.js';

/** An item, with the parameters of its path. */
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
}

/** A page of a list: the same items as the JSON, one per row. */
export function listPage({ context, resource, view, totals, parent }: ListProps) {
  const items = view.body as readonly Item[];
  const create = endpointFor(resource, 'create');
  const path = pageOf(view.endpoint, context.parameters);
  const states = stateTotals(totals, context, resource);
  const query = resource.filters.length > 0 ? queryIn(context.path) : noListQuery;
  const search = context.path.includes('?') ? context.path.slice(context.path.indexOf('?')) : '';
  const isFiltered = Object.values(query).some(Boolean);
  const page = view.headers['Current-Page'];
  const total = Number(view.headers['Total-Count']);
  const { name, status, sort, ...others } = query;
  const parts = [
    name && `"${name}"`,
    status.replaceAll('_', ' ').replaceAll(',', ' or '),
    ...Object.values(others),
    sort,
    page !== '1' && `page ${page}`,
  ].filter(Boolean);
  const newButton = offers(context, create) && (
    <a class="button" href={`${pageOf(create, context.parameters)}/new`}>
      {resource.newLabel}
    </a>
  );
  const isEmpty = total === 0 && !isFiltered;
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
        <Table
          context={context}
          resource={resource}
          items={items}
          path={path}
          // Too many matches are in no other order.
          query={view.limit === 'matches' ? { ...query, sort: '' } : query}
        />
      )}
      {items.length > 0 && (
        <Selection
          context={context}
          resource={resource}
          items={items}
          path={path}
          query={query}
          total={total}
          page={page}
        />
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
            <a class="button quiet" href={listUrl(path, query, Number(view.headers['Total-Pages']))}>
              Last page
            </a>
          )}
          {total === 0 && isFiltered && (
            <a class="button quiet" href={path}>
              Show all {resource.plural}
            </a>
          )}
        </div>
      )}
      {total > 0 && <Pager path={path} headers={view.headers} shown={items.length} query={query} />}
      {resource.listNote && <p class="hint after">{resource.listNote}</p>}
    </Page>
  );
}

interface TableProps {
  /** Whether the page has more than this table, so that it is not the target of the skip link. */
  readonly isPart?: boolean;
  readonly context: PageContext;
  readonly resource: PageDescription;
  readonly items: readonly Item[];
  readonly path: string;
  readonly query: ListQuery;
}

export function Table({ context, resource, items, path, query, isPart = false }: TableProps) {
  const fields = resource.columns.length > 0 ? resource.columns : Object.keys(items[0] ?? {}).slice(0, 5);
  const sort = query.sort.replace(/^-/, '');
  // A list shows what it is sorted by.
  const isShown = fields.some((field) => sortsBy(resource, field).some(([name]) => name === sort));
  const columns = resource.computedSorts.includes(sort) && !isShown ? [...fields, sort] : fields;
  const get = endpointFor(resource, 'get');
  const labelOf = (field: string): string =>
    field === 'user'
      ? 'Person'
      : field === 'url'
        ? 'URL'
        : field === resource.state
          ? 'Status'
          : field === 'used_percent'
            ? '%'
            : labelIn(resource, field);
  // Numbers are aligned, even if some rows have none.
  const places = columns.map((field) => ({
    field,
    label: labelOf(field),
    style: items.some((item) => typeof valueIn(resource, item, field) === 'number') ? 'number' : undefined,
  }));
  const hasActions =
    get === null &&
    context.visitor?.permission === 'write' &&
    context.csrf !== null &&
    endpointFor(resource, 'delete') !== null;
  const actions = resource.filters.length > 0 ? bulkActions(context, resource) : [];
  return (
    <section class="scroll" id={isPart ? undefined : 'content'} tabindex={0} aria-label={resource.heading}>
      <table>
        <thead>
          <tr>
            {actions.length > 0 && (
              <td class="select">
                <input type="checkbox" data-ticks aria-label={`Select all ${resource.plural} on this page`} />
              </td>
            )}
            {places.map(({ field, label, style }) => (
              <Head resource={resource} field={field} label={label} style={style} path={path} query={query} />
            ))}
            {hasActions && <th scope="col">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr>
              {actions.length > 0 && (
                <td class="select">
                  <input
                    type="checkbox"
                    name="id"
                    value={String(item.id)}
                    form="selected"
                    aria-labelledby={`row-${item.id}`}
                  />
                </td>
              )}
              {places.map(({ field, label, style }, place) => {
                const value = <FieldValue resource={resource} item={item} field={field} isCell />;
                if (place > 0)
                  return (
                    <td class={style} data-label={label}>
                      {value}
                    </td>
                  );
                return (
                  <th scope="row" id={actions.length > 0 ? `row-${item.id}` : undefined}>
                    {get ? <a href={pageOf(get, { ...context.parameters, id: String(item.id) })}>{value}</a> : value}
                    {item.is_owner === true && <small> (owner)</small>}
                    {resource.name === 'accessTokens' && item.id === context.visitor?.tokenId && (
                      <small> (in use)</small>
                    )}
                  </th>
                );
              })}
              {hasActions && (
                <td>
                  <RowActions context={context} resource={resource} item={item} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface SelectionProps extends Omit<TableProps, 'isPart'> {
  /** How many items match, on all pages. */
  readonly total: number;
  readonly page: string | undefined;
}

/** The actions on items of a list. The list comes back with its filter, order and page. */
function Selection({ context, resource, items, path, query, total, page }: SelectionProps) {
  const actions = resource.filters.length > 0 ? bulkActions(context, resource) : [];
  if (actions.length === 0) return null;
  const count = (number: number): string => wholeNumber.format(number);
  return (
    <form method="get" action={`${path}/actions`} id="selected" class="actions bar selection">
      {Object.entries({ ...query, page: page === '1' ? '' : page }).map(
        ([name, value]) => value && <input type="hidden" name={name} value={value} />,
      )}
      <input type="hidden" name="listed" value={items.map(({ id }) => String(id)).join(',')} />
      <select name="select" aria-label={`Which ${resource.plural}`}>
        <option value="">{`The ticked ${resource.plural}`}</option>
        <option value="page">
          {items.length === total ? `All ${count(total)}` : `All ${count(items.length)} on this page`}
        </option>
        {items.length < total && <option value="all">{`All ${count(total)} ${resource.plural} on all pages`}</option>}
      </select>
      {actions.map(({ name, label }) => (
        <button type="submit" name="action" value={name} class={name === 'delete' ? 'quiet danger' : 'quiet'}>
          {label}…
        </button>
      ))}
    </form>
  );
}

/** What the head of a column sorts by. Numbers and times are sorted from the highest. */
const sorts: Readonly<Record<string, readonly (readonly [name: string, label: string, descending: boolean])[]>> = {
  name: [['name', 'Name', false]],
  used_amount: [['used', 'Used', true]],
  total_budget_amount: [['budget', 'Budget', true]],
  used_percent: [['used_percent', '%', true]],
  view_count: [['views', 'Views', true]],
  submissions_count: [['submissions', 'Submissions', true]],
  completed_count: [['completed', 'Completed', true]],
  published_at: [['published', 'Published', true]],
};

/** The sorts of a column. Computed columns have one if stores can sort by them. */
const sortsBy = (resource: PageDescription, field: string): (typeof sorts)[string] =>
  sorts[field] ?? (resource.computedSorts.includes(field) ? [[field, labelIn(resource, field), true]] : []);

interface HeadProps extends Pick<TableProps, 'resource' | 'path' | 'query'> {
  readonly field: string;
  readonly label: string;
  readonly style: string | undefined;
}

/** The head of a column, with links that sort by it: pressed again, in the other direction. */
function Head({ resource, field, label, style, path, query }: HeadProps) {
  const links = resource.filters.length > 0 ? sortsBy(resource, field) : [];
  if (links.length === 0)
    return (
      <th scope="col" class={style}>
        {label}
      </th>
    );
  const current = links.find(([name]) => query.sort.replace(/^-/, '') === name);
  const isDescending = query.sort.startsWith('-');
  return (
    <th scope="col" class={style} aria-sort={current && (isDescending ? 'descending' : 'ascending')}>
      {links.map(([name, text, descending], place) => {
        const isCurrent = current?.[0] === name;
        const sort = (isCurrent ? !isDescending : descending) ? `-${name}` : name;
        return (
          <>
            {place > 0 && ' · '}
            <a href={listUrl(path, { ...query, sort })} class={isCurrent ? 'sorted' : undefined}>
              {text}
              {isCurrent && (isDescending ? ' ↓' : ' ↑')}
            </a>
          </>
        );
      })}
    </th>
  );
}

/** Actions on items without a page: members and access tokens. */
function RowActions({ context, resource, item }: Pick<TableProps, 'context' | 'resource'> & { item: Item }) {
  const own = { ...context.parameters, id: String(item.id) };
  const update = endpointFor(resource, 'update');
  const remove = endpointFor(resource, 'delete');
  const role = item.role === 'admin' ? 'member' : 'admin';
  const name = resource.labelOf(item);
  const isMember = resource.name === 'members';
  return (
    <div class="actions">
      {isMember && item.is_owner !== true && offers(context, update) && (
        <a class="button quiet" href={`${pageOf(update, own)}/edit`} aria-label={`Make ${role}: ${name}`}>
          Make {role}
        </a>
      )}
      {item.is_owner !== true && offers(context, remove, item) && (
        <a
          class="button quiet danger"
          href={`${pageOf(remove, own)}/delete`}
          aria-label={`${resource.removeLabel} ${name}`}
        >
          {item.id === context.membership?.id ? 'Leave' : resource.removeLabel}
        </a>
      )}
    </div>
  );
}
