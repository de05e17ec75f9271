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

/** Breadcrumbs for an item: the same, and its list. For a form, which has an item or creates one, also its page. */
export function crumbsTo(context: PageContext, resource: Resource, parameters: Parameters, item: Item | null = null) {
  const list = endpointFor(resource, 'list');
  const get = item && endpointFor(resource, 'get');
  return [
    ...(resource.name === 'organizations' ? [] : crumbsInside(context)),
    ...(list ? [{ label: resource.heading, href: pageOf(list, parameters) }] : []),
    ...(get ? [{ label: resource.labelOf(item), href: pageOf(get, parameters) }] : []),
  ];
}
