import type { Endpoint, Membership } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import type { View } from '../http/view.js';
import { fieldsOf } from '../rules/fields.js';
import { capitalized } from '../rules/problems.js';
import { tagOf } from './edits.js';
import type { Flash, Undo } from './flash.js';
import { formComparison, textOf } from './form-values.js';
import { permissionError } from './page-context.js';
import { endpointFor, type Item, type PageDescription, pageDescriptionOf } from './page-descriptions.js';
import { titleOf } from './pages/values.js';
import { pageOf } from './paths.js';
import type { AfterWrite } from './processed-forms.js';
import type { WebContext } from './web-context.js';

/** An item before and after an update. */
interface Update {
  readonly endpoint: Endpoint;
  readonly before: Item;
  readonly after: Item;
}

/** The fields of the form that the update changed. An image is not among them. */
const changedFields = ({ endpoint: { request }, before, after }: Update): readonly string[] =>
  Object.keys(request ? fieldsOf(request.fields) : {}).filter(
    (name) => name in before && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

/** @returns null if there is nothing that could be restored */
function undoOf(web: WebContext, update: Update, place: Omit<Undo, 'fields'>): Undo | null {
  const { before, after } = update;
  const { request } = update.endpoint;
  const names = changedFields(update);
  if (!request || names.length === 0) return null;
  const { etag, original } = formComparison(request, web.site.sha256).versionOf(after, tagOf(web, after));
  const old = names.map((name) => [`${request.wrapper}[${name}]`, textOf(before[name])] as const);
  const fields = { _method: 'patch', undo: place.label, etag, original, ...Object.fromEntries(old) };
  return { ...place, fields };
}

const organizations = '/organizations';

/**
 * To the page of the resource, or to its list if it has no page.
 * @param before What was changed or deleted, as it was
 */
export async function afterWrite(
  web: WebContext,
  exchange: Exchange,
  view: View,
  before: Item | null,
): Promise<AfterWrite> {
  const resource = pageDescriptionOf(view.endpoint.operation);
  const to = await placeAfter(web, exchange, resource, view);
  if (resource.name === 'members' && to === organizations)
    return { to, flash: { tone: 'good', text: 'You have left the brand.' } };
  const flash = flashFor(exchange, resource, view, before);
  const undo = await storedUndo(web, exchange, view, before, to);
  return { to, flash: undo === null ? flash : { ...flash, undo } };
}

/** The key of the form that takes an update back; null if there is none, or the visitor may no longer send it. */
async function storedUndo(
  web: WebContext,
  exchange: Exchange,
  { endpoint, body }: View,
  before: Item | null,
  page: string,
): Promise<string | null> {
  if (endpoint.method !== 'PATCH' || before?.id === undefined) return null;
  if (permissionError(await web.contextOf(exchange), endpoint) !== null) return null;
  const label = exchange.form?.get('undo') === 'Undo' ? 'Redo' : 'Undo';
  const place = { action: exchange.url.pathname, label, page } as const;
  const undo = undoOf(web, { endpoint, before, after: body as Item }, place);
  return undo && web.processedForms.keepUndo(undo);
}

async function placeAfter(web: WebContext, exchange: Exchange, resource: PageDescription, view: View): Promise<string> {
  const get = endpointFor(resource, 'get');
  if (view.location !== null && get) return view.location.slice(web.site.base(exchange).length).replace(/\.json$/, '');
  const list = endpointFor(resource, 'list');
  if (!list) return exchange.url.pathname.replace(/\.json$/, '');
  const { membership, organization } = await web.contextOf(exchange);
  // Former members cannot see the organization.
  if (list.role !== 'none' && !membership && !organization) return organizations;
  return pageOf(list, exchange.parameters);
}

function flashFor(
  exchange: Exchange,
  resource: PageDescription,
  { endpoint, rejection, body }: View,
  before: Item | null,
): Flash {
  const { request } = endpoint;
  if (rejection !== null) return { tone: 'bad', text: rejection };
  if (endpoint.operation === 'members.remove' && before)
    return { tone: 'good', text: `${resource.labelOf(before)} was removed.` };
  if (endpoint.status === 204) return { tone: 'good', text: resource.removed };
  const action = resource.actions.find(({ name }) => endpoint.operation === `${resource.name}.${name}`);
  if (action) return { tone: 'good', text: action.done };
  if (endpoint.operation === 'members.update') {
    const { role, user } = body as Membership;
    return { tone: 'good', text: `${user.name} is ${role === 'admin' ? 'an admin' : `a ${role}`} now.` };
  }
  if (endpoint.status !== 201) {
    const after = body as Item;
    const changed = before ? changedFields({ endpoint, before, after }) : [];
    const hasNewImage = Boolean(resource.picture && before?.[resource.picture] !== after[resource.picture]);
    const names = [...changed.map(titleOf), ...(hasNewImage ? [titleOf(request?.file ?? '')] : [])];
    const done = { Undo: 'Restored', Redo: 'Changed again' }[String(exchange.form?.get('undo'))] ?? 'Saved';
    const lost =
      changed.length > 0 && hasNewImage ? ` Undo does not restore the ${request?.file?.replaceAll('_', ' ')}.` : '';
    return { tone: 'good', text: (names.length > 0 ? `${done}: ${names.join(', ')}.` : 'Saved.') + lost };
  }
  const created = `${capitalized(resource.singular)} created.`;
  const { token } = (body ?? {}) as Item;
  if (typeof token !== 'string') return { tone: 'good', text: created };
  return { tone: 'good', text: `${created} Copy its secret now. It is not shown again.`, secret: token };
}
