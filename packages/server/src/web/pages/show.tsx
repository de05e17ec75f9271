import { hasKind } from '@mkt/sdk/contract';
import type { View } from '../../http/view.js';
import type { Overview } from '../overview.js';
import { offers, type PageContext } from '../page-context.js';
import { endpointFor, type Group, type Item, type PageDescription } from '../page-descriptions.js';
import { endpointOf, pageOf } from '../paths.js';
import { ButtonLink, PostButton } from './buttons.js';
import { crumbsTo, Page } from './layout.js';
import { OverviewSections } from './overview.js';
import { Badge, BriefText, FieldList } from './values.js';

/** A list below the item. */
interface NestedTotal {
  readonly heading: string;
  readonly path: string;
  /** Such as `3 notes`. */
  readonly count: string;
}

interface ShowProps {
  readonly context: PageContext;
  readonly resource: PageDescription;
  readonly view: View;
  /** Why the item cannot be deleted; null if it can. */
  readonly obstacle: string | null;
  /** The values that the page shows, for the forms of its actions. */
  readonly shown: string;
  /** Of an organization. */
  readonly overview: Overview | null;
  readonly nested: readonly NestedTotal[];
}

/** The page of an item: all fields of the JSON, and the actions that the visitor may use. */
export function showPage({ context, resource, view, obstacle, shown, overview, nested }: ShowProps) {
  const path = pageOf(view.endpoint, context.parameters);
  const item = view.body as Item;
  const state = resource.state && item[resource.state];
  const label = resource.labelOf(item);
  const picture = pictureOf(context, resource, item);
  const isLogo = resource.picture === 'logo_url';
  const { sheets, record } = sheetsOf(resource, item);
  const note = resource.noteOf?.(item);
  return (
    <Page
      context={context}
      title={label}
      lead={picture !== null && isLogo && <img class="picture logo" src={picture} alt={`Logo of ${label}`} />}
      crumbs={crumbsTo(context, resource)}
      aside={
        <>
          {typeof state === 'string' && <Badge value={state} />}
          {resource.filters.length > 0 && <small class="none">{`#${item.id}`}</small>}
          <Actions context={context} resource={resource} item={item} obstacle={obstacle} shown={shown} />
        </>
      }
      json={`${path}.json`}
      record={<FieldList resource={resource} item={item} fields={record} />}
    >
      {picture !== null && !isLogo && <img class="picture" src={picture} alt={`Banner of ${label}`} />}
      {overview && <OverviewSections context={context} overview={overview} path={path} />}
      {sheets.map((sheet) => sheet.figures && <Sheet {...sheet} resource={resource} item={item} />)}
      {note && <p class="hint">{note}</p>}
      <div class="sheets">
        {nested.map(({ heading, path: list, count }) => (
          <section class="sheet totals">
            <h2>
              <a href={list}>{heading}</a>
            </h2>
            <p>{count}</p>
          </section>
        ))}
        {sheets.map((sheet) => !sheet.figures && <Sheet {...sheet} resource={resource} item={item} />)}
      </div>
      {'brief' in item && <Brief brief={item.brief} />}
      {obstacle !== null && offers(context, endpointFor(resource, 'delete')) && <p class="hint after">{obstacle}</p>}
    </Page>
  );
}

const Sheet = ({ title, fields, figures, resource, item }: Group & { resource: PageDescription; item: Item }) => (
  <section class={figures ? 'sheet figures' : 'sheet'}>
    <h2>{title}</h2>
    <FieldList resource={resource} item={item} fields={fields} />
  </section>
);

/** The resource's groups, without fields that are missing in this response. Ungrouped fields come last. */
function sheetsOf({ name, computed, fields: kinds, groups, state, labelOf }: PageDescription, item: Item) {
  const named = new Set(groups.flatMap(({ fields }) => fields));
  // The heading of the page has the name and the state.
  const inHeading = (field: string): boolean =>
    (field === state && item[field] !== null) || (field === 'name' && item.name === labelOf(item));
  const ungrouped = Object.keys(item).filter(
    (field) => !hasKind(kinds, field, 'richText') && !named.has(field) && !inHeading(field),
  );
  const isCounter = (field: string): boolean => hasKind(kinds, field, 'counter');
  /** Of interest to programs only. The page shows the image itself. */
  const isForPrograms = (field: string): boolean =>
    hasKind(kinds, field, 'image') || (hasKind(kinds, field, 'identity') && !hasKind(kinds, field, 'timestamp'));
  const hasFigures = groups.some(({ figures }) => figures);
  const isShown = (field: string): boolean => field in item || field in computed;
  const sheets = groups.map(({ fields, ...group }) => {
    const counters = group.figures ? ungrouped.filter(isCounter) : [];
    return { ...group, fields: [...fields.filter(isShown), ...counters] };
  });
  const rest = ungrouped.filter((field) => !isForPrograms(field) && !(hasFigures && isCounter(field)));
  // The page of a brand is an overview.
  const isOverview = name === 'organizations';
  const more: Group = { title: 'More', fields: isOverview ? [] : rest };
  return {
    sheets: [...sheets, more].filter(({ fields }) => fields.length > 0),
    record: [...(isOverview ? rest : []), ...ungrouped.filter(isForPrograms)],
  };
}

function Actions({
  context,
  resource,
  item,
  obstacle,
  shown,
}: Pick<ShowProps, 'context' | 'resource' | 'obstacle' | 'shown'> & { item: Item }) {
  const { parameters } = context;
  const update = endpointFor(resource, 'update');
  const create = update && endpointFor(resource, 'create');
  const remove = endpointFor(resource, 'delete');
  const state = resource.state && item[resource.state];
  return (
    <div class="actions">
      {resource.actions.map(({ name, label, offeredIn, locks }) => {
        const endpoint = endpointOf(`${resource.name}.${name}`);
        if (!offeredIn.includes(String(state)) || !offers(context, endpoint)) return null;
        const path = pageOf(endpoint, parameters);
        if (!locks)
          return (
            <PostButton
              to={path}
              csrf={context.csrf ?? ''}
              formId={context.formId}
              fields={{ shown }}
              label={label}
              quiet={name === 'pause'}
            />
          );
        return <ButtonLink to={`${path}/confirm?shown=${shown}`} label={label} />;
      })}
      {offers(context, update) && <ButtonLink to={`${pageOf(update, parameters)}/edit`} label="Edit" quiet />}
      {create?.request && state !== null && offers(context, create) && (
        <ButtonLink
          to={`${pageOf(create, parameters)}/new?from=${encodeURIComponent(String(item.id))}`}
          label="Duplicate"
          quiet
        />
      )}
      {obstacle === null && offers(context, remove) && (
        <ButtonLink
          to={`${pageOf(remove, parameters)}/delete?shown=${shown}`}
          label={resource.removeLabel}
          quiet
          danger
        />
      )}
    </div>
  );
}

/** The path on this server, because the content security policy only allows images from the same origin. */
function pictureOf({ base }: PageContext, { picture }: PageDescription, item: Item): string | null {
  const address = picture && item[picture];
  return typeof address === 'string' ? address.slice(base.length) : null;
}

const Brief = ({ brief }: { brief: unknown }) => (
  <section class="brief">
    <h2>Brief</h2>
    {typeof brief === 'string' ? <BriefText html={brief} /> : <p class="none">There is no brief yet.</p>}
  </section>
);
