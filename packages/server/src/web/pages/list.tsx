import type { Parameters } from '../../http/pipeline.js';
import type { View } from '../../http/view.js';
import { offers, type PageContext } from '../page-context.js';
import { pageOf } from '../paths.js';
import { endpointFor, type Item, type Resource } from '../resources.js';
import type { StateTotal } from '../totals.js';
import { Filters, type ListQuery, listQueryOf, noListQuery } from './filters.js';
import { crumbsInside, crumbsTo, Page } from './layout.js';
import { Pager } from './pager.js';
import { PostButton } from './post-button.js';
import { FieldValue, titleOf } from './values.js';

/** An item, with the parameters of its path. */
export interface Subject {
  readonly resource: Resource;
  readonly item: Item;
  readonly parameters: Parameters;
}

interface ListProps {
  readonly context: PageContext;
  readonly resource: Resource;
  readonly view: View;
  /** The totals of the states that the list can be filtered by. */
  readonly totals: readonly StateTotal[];
  /** The item that the list belongs to, unless that is an organization or the visitor. */
  readonly parent: Subject | null;
}

/** A page of a list: the same items as the JSON, one per row. */
export function listPage({ context, resource, view, totals, parent }: ListProps) {
  const items = view.body as readonly Item[];
  const create = endpointFor(resource, 'create');
  const query = context.path.includes('?') ? context.path.slice(context.path.indexOf('?')) : '';
  const path = pageOf(view.endpoint, context.parameters);
  const listQuery: ListQuery = totals.length > 0 ? listQueryOf(context.path) : noListQuery;
  const isFiltered = Object.values(listQuery).some(Boolean);
  const page = view.headers['Current-Page'];
  const total = Number(view.headers['Total-Count']);
  const parts = [
    listQuery.name && `"${listQuery.name}"`,
    listQuery.status.replaceAll('_', ' '),
    listQuery.sort,
    page !== '1' && `page ${page}`,
  ].filter(Boolean);
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
      aside={
        offers(context, create) && (
          <a class="button" href={`${pageOf(create, context.parameters)}/new`}>
            {resource.newLabel}
          </a>
        )
      }
      // The API neither filters nor sorts.
      json={isFiltered ? undefined : `${path}.json${query}`}
    >
      {totals.some((state) => state.total > 0) && (
        <Filters path={path} query={listQuery} totals={totals} listed={total} />
      )}
      {items.length > 0 && <Table context={context} resource={resource} items={items} />}
      {items.length === 0 && (
        <p class="empty">
          {total > 0
            ? 'There are no items on this page.'
            : isFiltered
              ? 'Nothing matches this filter.'
              : resource.empty}
        </p>
      )}
      {total > 0 && <Pager path={path} headers={view.headers} shown={items.length} query={listQuery} />}
    </Page>
  );
}

type TableProps = Pick<ListProps, 'context' | 'resource'> & { readonly items: readonly Item[] };

function Table({ context, resource, items }: TableProps) {
  const columns = resource.columns.length > 0 ? resource.columns : Object.keys(items[0] ?? {}).slice(0, 5);
  const get = endpointFor(resource, 'get');
  // Numbers are aligned, even if some rows have none.
  const places = columns.map((field) => ({
    field,
    style: items.some((item) => typeof item[field] === 'number') ? 'number' : undefined,
  }));
  const hasActions =
    get === null &&
    context.visitor?.permission === 'write' &&
    context.csrf !== null &&
    endpointFor(resource, 'delete') !== null;
  return (
    <section class="scroll" id="content" tabindex={0} aria-label={resource.heading}>
      <table>
        <thead>
          <tr>
            {places.map(({ field, style }) => (
              <th scope="col" class={style}>
                {field === 'user' ? 'Person' : field === 'url' ? 'URL' : titleOf(field)}
              </th>
            ))}
            {hasActions && <th scope="col">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr>
              {places.map(({ field, style }, place) => {
                const value = <FieldValue resource={resource} item={item} field={field} />;
                if (place > 0) return <td class={style}>{value}</td>;
                return (
                  <th scope="row">
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

/** Actions on items without a page: members and access tokens. */
function RowActions({ context, resource, item }: Omit<TableProps, 'items'> & { item: Item }) {
  const own = { ...context.parameters, id: String(item.id) };
  const update = endpointFor(resource, 'update');
  const remove = endpointFor(resource, 'delete');
  const role = item.role === 'admin' ? 'member' : 'admin';
  const name = resource.labelOf(item);
  const isMember = resource.name === 'members';
  return (
    <div class="actions">
      {isMember && item.is_owner !== true && offers(context, update) && (
        <PostButton
          to={pageOf(update, own)}
          csrf={context.csrf ?? ''}
          formId={context.formId}
          method="patch"
          fields={{ 'membership[role]': role }}
          label={`Make ${role}`}
          about={`Make ${role}: ${name}`}
          quiet
        />
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
