import type { Membership } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import type { View } from '../http/view.js';
import { capitalized } from '../rules/errors.js';
import type { Flash } from './flash.js';
import { pageOf } from './paths.js';
import type { AfterWrite } from './processed-forms.js';
import { endpointFor, type Item, type Resource, resourceOf } from './resources.js';
import type { WebContext } from './web-context.js';

const organizations = '/organizations';

/** To the page of the resource, or to its list if it has no page. */
export async function afterWrite(web: WebContext, exchange: Exchange, view: View): Promise<AfterWrite> {
  const resource = resourceOf(view.endpoint.operation);
  const to = await placeAfter(web, exchange, resource, view);
  const left = resource.name === 'members' && to === organizations;
  return { to, flash: left ? { tone: 'good', text: 'You have left the organization.' } : flashFor(resource, view) };
}

async function placeAfter(web: WebContext, exchange: Exchange, resource: Resource, view: View): Promise<string> {
  const get = endpointFor(resource, 'get');
  if (view.location !== null && get) return view.location.slice(web.site.base(exchange).length).replace(/\.json$/, '');
  const list = endpointFor(resource, 'list');
  if (!list) return exchange.url.pathname.replace(/\.json$/, '');
  const { membership, organization } = await web.contextOf(exchange);
  // Former members cannot see the organization.
  if (list.role !== 'none' && !membership && !organization) return organizations;
  return pageOf(list, exchange.parameters);
}

const actionOf = (operation: string): string => operation.split('.')[1] ?? '';

function flashFor(resource: Resource, { endpoint, rejection, body }: View): Flash {
  if (rejection !== null) return { tone: 'bad', text: rejection };
  if (endpoint.status === 204) return { tone: 'good', text: resource.removed };
  const action = resource.actions.find(({ name }) => name === actionOf(endpoint.operation));
  if (action) return { tone: 'good', text: action.done };
  if (endpoint.operation === 'members.update') {
    const { role, user } = body as Membership;
    return { tone: 'good', text: `${user.name} is ${role === 'admin' ? 'an admin' : `a ${role}`} now.` };
  }
  if (endpoint.status !== 201) return { tone: 'good', text: 'Saved.' };
  const created = `${capitalized(resource.singular)} created.`;
  const { token } = (body ?? {}) as Item;
  if (typeof token !== 'string') return { tone: 'good', text: created };
  return { tone: 'good', text: `${created} Copy its secret now. It is not shown again.`, secret: token };
}
