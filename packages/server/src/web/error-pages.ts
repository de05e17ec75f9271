import { type Endpoint, isBlank } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import type { Problem } from '../http/problems.js';
import { noMoreSession } from './cookies.js';
import type { Flash } from './flash.js';
import { itemToChange, loadResource } from './load-resource.js';
import type { PageContext } from './page-context.js';
import { confirmPage } from './pages/confirm.js';
import { formPage } from './pages/form.js';
import { noAddressPage, problemPage } from './pages/problem.js';
import { endpointOf, pageOf, parametersIn } from './paths.js';
import { offers } from './permitted.js';
import { endpointFor, type Item, resourceOf } from './resources.js';
import type { WebContext } from './web-context.js';

/** The page for a rejected request: the form with messages at its fields if one was sent, otherwise only the messages. */
export async function errorPage(web: WebContext, exchange: Exchange, problem: Problem): Promise<Response> {
  const { status, headers } = problem;
  if (status === 303)
    return web.redirect(exchange, headers.Location ?? '/sign_in', lost(exchange), noMoreSession(exchange));
  // If the server fails, loading the visitor would fail too.
  const context = status >= 500 ? web.anonymousContext(exchange) : await web.contextOf(exchange);
  const endpoint = exchange.operation === null ? null : endpointOf(exchange.operation);
  const page = (endpoint && (await ownPage(web, exchange, context, endpoint, problem))) ?? null;
  const back = endpoint && status < 500 ? backFrom(context, endpoint, exchange) : null;
  return web.answer(exchange, status, context, page ?? problemPage(context, problem, back), headers);
}

/** The message that a form was lost because the session had ended. Not shown for forms of other sites. */
function lost(exchange: Exchange): Flash | null {
  const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
  if (isRead || exchange.header('sec-fetch-site') === 'cross-site') return null;
  return { tone: 'bad', text: 'You are no longer signed in, so nothing was changed. Sign in and send the form again.' };
}

async function ownPage(
  web: WebContext,
  exchange: Exchange,
  context: PageContext,
  endpoint: Endpoint,
  { status, body }: Problem,
): Promise<string | null> {
  const resource = resourceOf(endpoint.operation);
  if (status === 404 && endpoint.operation === 'address.get') {
    return noAddressPage(context, resource, offers(context, endpointFor(resource, 'update')));
  }
  if (status !== 422 || !('errors' in body) || context.csrf === null || exchange.form === null) return null;
  const parameters = parametersIn(endpoint, exchange.url.pathname);
  if (endpoint.status === 204) {
    const item = await loadResource(web, exchange, resource, parameters);
    const back = backFrom(context, endpoint, exchange) ?? '/organizations';
    const reasons = Object.values(body.errors).flat();
    return confirmPage({ context, resource, endpoint, parameters, item, back, reasons });
  }
  // A role is changed with a button, without a form page.
  if (!endpoint.request || resource.name === 'members') return null;
  const item = endpoint.method === 'POST' ? null : await itemToChange(web, exchange, resource, parameters);
  return formPage({
    context: { ...context, path: formPath(context.path, item) },
    resource,
    endpoint,
    parameters,
    item,
    values: valuesIn(exchange.form, endpoint.request.wrapper),
    errors: body.errors,
    formId: web.formId(),
    query: Object.fromEntries(exchange.url.searchParams),
  });
}

/** The path of a form page is below the path that the form is sent to. */
const formPath = (path: string, item: Item | null): string => `${path.split('?', 1)[0]}/${item ? 'edit' : 'new'}`;

/** The submitted values. For a checkbox and its hidden field, the last one is used. */
function valuesIn(form: FormData, wrapper: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [name, value] of form) {
    if (name.startsWith(`${wrapper}[`) && name.endsWith(']') && typeof value === 'string')
      values[name.slice(wrapper.length + 1, -1)] = isBlank(value) ? '' : value;
  }
  return values;
}

/** The page or list of a rejected write, if the visitor may see it. */
function backFrom(context: PageContext, endpoint: Endpoint, exchange: Exchange): string | null {
  if (context.visitor === null || (endpoint.role !== 'none' && !context.membership)) return null;
  const resource = resourceOf(endpoint.operation);
  const get = endpoint.scope === 'write' && endpoint.method !== 'POST' ? endpointFor(resource, 'get') : null;
  const place = get ?? endpointFor(resource, 'list');
  return place && pageOf(place, parametersIn(endpoint, exchange.url.pathname));
}
