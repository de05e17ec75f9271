import type { PageContext } from '../page-context.js';
import { pageOf } from '../paths.js';
import { endpointFor, type Item, type Resource } from '../resources.js';
import type { Crumb } from './layout.js';

type Parameters = Readonly<Record<string, string>>;

/** Breadcrumbs for pages inside an organization: all organizations, and this one. */
export const crumbsInside = ({ organization }: PageContext): readonly Crumb[] =>
  organization
    ? [
        { label: 'Organizations', href: '/organizations' },
        { label: organization.name, href: `/organizations/${organization.id}` },
      ]
    : [];

/** Breadcrumbs for a list. */
export const crumbsToList = (context: PageContext, resource: Resource): readonly Crumb[] =>
  resource.name === 'organizations' ? [] : crumbsInside(context);

/** Breadcrumbs for an item: the same, and its list. */
export function crumbsToItem(context: PageContext, resource: Resource, parameters: Parameters): readonly Crumb[] {
  const list = endpointFor(resource, 'list');
  const own = list ? [{ label: resource.heading, href: pageOf(list, parameters) }] : [];
  return [...crumbsToList(context, resource), ...own];
}

/** Breadcrumbs for a form: the same, and the page of the item, if it has one. */
export function crumbsToForm(context: PageContext, resource: Resource, parameters: Parameters, item: Item | null) {
  const get = item && endpointFor(resource, 'get');
  const own = get ? [{ label: resource.labelOf(item), href: pageOf(get, parameters) }] : [];
  return [...crumbsToItem(context, resource, parameters), ...own];
}
