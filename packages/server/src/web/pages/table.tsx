import { hasKind } from '@mkt/sdk/contract';
import type { ListQuery } from '../../rules/context.js';
import { type MemberCounts, removalError, roleChangeError } from '../../rules/deletion.js';
import type { Row } from '../../store/tables.js';
import { bulkActions } from '../bulk.js';
import { offers, type PageContext } from '../page-context.js';
import { endpointFor, type Item, type PageDescription, valueIn } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import { ButtonLink } from './buttons.js';
import { listUrl, orderBy } from './filters.js';
import { FieldValue, labelIn, renderEach, wholeNumber } from './values.js';

export interface TableProps {
  /** Whether the page has more than this table, so that it is not the target of the skip link. */
  readonly isPart?: boolean;
  /** Whether it has totals. */
  readonly isPrinted?: boolean;
  readonly context: PageContext;
  readonly resource: PageDescription;
  readonly items: readonly Item[];
  readonly path: string;
  readonly query: ListQuery;
  readonly counts?: MemberCounts | null;
  /** What the rows show, by their ids, for the questions that their links lead to. */
  readonly shown?: ReadonlyMap<string, string> | undefined;
}

/** The heads of columns, other than the labels of their fields. */
const heads: Readonly<Record<string, string>> = { user: 'Person', url: 'URL', used_percent: '%' };

export function Table({
  context,
  resource,
  items,
  path,
  query,
  counts = null,
  shown,
  isPart = false,
  isPrinted = false,
}: TableProps) {
  const fields = resource.columns.length > 0 ? resource.columns : Object.keys(items[0] ?? {}).slice(0, 5);
  const sort = query.sort.replace(/^-/, '');
  // A list shows what it is sorted by, where no window is too narrow for it.
  const isShown = fields.some((field) => orderBy(resource, field)?.replace('-', '') === sort);
  const columns = resource.computedSorts.includes(sort) && !isShown ? fields.toSpliced(1, 0, sort) : fields;
  const get = endpointFor(resource, 'get');
  const labelOf = (field: string): string =>
    heads[field] ?? (field === resource.state ? 'Status' : labelIn(resource, field));
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
      <table class={isPrinted ? 'printed' : undefined}>
        <thead>
          <tr>
            {actions.length > 0 && (
              <td class="select">
                <input
                  type="checkbox"
                  data-ticks
                  form="selected"
                  aria-label={`Select all ${resource.plural} on this page`}
                />
              </td>
            )}
            {places.map(({ field, label, style }) => (
              <Head resource={resource} field={field} label={label} style={style} path={path} query={query} />
            ))}
            {hasActions && <th scope="col">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {renderEach(context, items, (item) => (
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
                  <RowActions context={context} resource={resource} item={item} counts={counts} shown={shown} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
        {isPrinted && <Totals resource={resource} items={items} columns={columns} />}
      </table>
    </section>
  );
}

/** The sums of a printed list: amounts by currency. */
function Totals({ resource, items, columns }: Pick<TableProps, 'resource' | 'items'> & { columns: readonly string[] }) {
  const currencyOf = (item: Item): string => String(resource.money ? item[resource.money.currency] : '');
  return (
    <tfoot>
      {[...new Set(items.map(currencyOf))].map((currency) => (
        <tr>
          {columns.map((field, place) => {
            if (place === 0) return <th scope="row">{`Total ${currency.toUpperCase()}`.trim()}</th>;
            const isSum = hasKind(resource.fields, field, 'amount') || hasKind(resource.fields, field, 'counter');
            const own = items.filter((item) => currencyOf(item) === currency);
            const sum = own.reduce((all, item) => all + Number(item[field] ?? 0), 0);
            return <td class="number">{isSum && wholeNumber.format(sum)}</td>;
          })}
        </tr>
      ))}
    </tfoot>
  );
}

interface HeadProps extends Pick<TableProps, 'resource' | 'path' | 'query'> {
  readonly field: string;
  readonly label: string;
  readonly style: string | undefined;
}

/** The head of a column, with a link that sorts by it: pressed again, in the other direction. */
function Head({ resource, field, label, style, path, query }: HeadProps) {
  const order = resource.filters.length > 0 ? orderBy(resource, field) : undefined;
  if (order === undefined)
    return (
      <th scope="col" class={style}>
        {label}
      </th>
    );
  const name = order.replace('-', '');
  const isCurrent = query.sort.replace('-', '') === name;
  const isDescending = query.sort.startsWith('-');
  const reversed = isDescending ? name : `-${name}`;
  return (
    <th scope="col" class={style} aria-sort={isCurrent ? (isDescending ? 'descending' : 'ascending') : undefined}>
      <a
        href={listUrl(path, { ...query, sort: isCurrent ? reversed : order })}
        class={isCurrent ? 'sorted' : undefined}
      >
        {label}
        {isCurrent && (isDescending ? '\u00a0↓' : '\u00a0↑')}
      </a>
    </th>
  );
}

/** Actions on items without a page: members and access tokens. */
function RowActions({
  context,
  resource,
  item,
  counts = null,
  shown,
}: Pick<TableProps, 'context' | 'resource' | 'counts' | 'shown'> & { item: Item }) {
  const own = { ...context.parameters, id: String(item.id) };
  const update = endpointFor(resource, 'update');
  const remove = endpointFor(resource, 'delete');
  const role = item.role === 'admin' ? 'member' : 'admin';
  const name = resource.labelOf(item);
  const text = shown?.get(String(item.id)) ?? '';
  const isOwn = item.id === context.membership?.id;
  const isMember = resource.name === 'members';
  const member = item as unknown as Row<'memberships'>;
  // What the rules would reject is not offered.
  const isFixed = counts !== null && roleChangeError(counts, member) !== null;
  const stays =
    counts !== null && context.membership !== null && removalError(counts, context.membership, member) !== null;
  return (
    <div class="actions">
      {isMember && !isFixed && offers(context, update) && (
        <ButtonLink
          to={`${pageOf(update, own)}/edit?role=${role}&shown=${text}`}
          label={`Make ${role}`}
          about={`Make ${role}: ${name}`}
          quiet
        />
      )}
      {!stays && offers(context, remove, item) && (
        <ButtonLink
          to={`${pageOf(remove, own)}/delete?shown=${text}`}
          label={isOwn ? 'Leave' : resource.removeLabel}
          about={isOwn ? undefined : `${resource.removeLabel} ${name}`}
          quiet
          danger
        />
      )}
    </div>
  );
}
