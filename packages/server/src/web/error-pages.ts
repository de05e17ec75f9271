import { type Endpoint, endpoints, type Money } from '@mkt/sdk/contract';
import { formOf } from '../http/body.js';
import type { Exchange } from '../http/exchange.js';
import { HttpError, type Problem } from '../http/problems.js';
import { operationFinder } from '../http/routes.js';
import type { FieldErrors } from '../rules/errors.js';
import { logoMessage, needsLogo, rangeErrors } from '../rules/fields.js';
import { noMoreSession } from './cookies.js';
import { showForm, staleForm } from './edits.js';
import { showDeletion } from './form-pages.js';
import { formPath, textOf, valuesIn } from './form-values.js';
import { itemToChange } from './load-resource.js';
import type { PageContext } from './page-context.js';
import { noAddressPage, problemPage } from './pages/problem.js';
import type { KeptForm } from './pages/sign-in.js';
import { endpointOf, pageOf } from './paths.js';
import { endpointFor, type Item, type Resource, resourceOf } from './resources.js';
import { showSignIn } from './sign-in.js';
import type { WebContext } from './web-context.js';

/** The page for a rejected request: the form with messages at its fields if one was sent, otherwise only the messages. */
export async function errorPage(web: WebContext, exchange: Exchange, problem: Problem): Promise<Response> {
  const { status, headers } = problem;
  if (status === 303) return signInAgain(web, exchange, headers.Location ?? '/sign_in');
  // If the server fails, loading the visitor would fail too.
  const context = status >= 500 ? web.anonymousContext(exchange) : await web.contextOf(exchange);
  const endpoint = exchange.operation === null ? null : endpointOf(exchange.operation);
  const own = endpoint && context.csrf !== null ? await ownPage(web, exchange, endpoint, problem) : null;
  if (own) return own;
  const back = endpoint && status < 500 ? backFrom(context, endpoint) : null;
  const page =
    endpoint?.operation === 'address.get' && status === 404
      ? noAddressPage(context, resourceOf(endpoint.operation))
      : problemPage(context, problem, back);
  return web.answer(exchange, status, context, page, headers);
}

/** Asks to sign in. The form of a session that has ended stays on that page (D138). */
async function signInAgain(web: WebContext, exchange: Exchange, location: string): Promise<Response> {
  const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
  if (isRead || exchange.header('sec-fetch-site') === 'cross-site')
    return web.redirect(exchange, location, null, noMoreSession(exchange));
  const kept = isOwnForm(exchange) ? await keptForm(exchange) : null;
  if (kept)
    return showSignIn(web, exchange, { returnTo: kept.path, error: null, kept, cookies: noMoreSession(exchange) });
  const text = 'You are no longer signed in, so nothing was changed. Sign in and send the form again.';
  return web.redirect(exchange, location, { tone: 'bad', text }, noMoreSession(exchange));
}

/** Browsers name the site of a form. Others are not read, because their sender is unknown (D90). */
function isOwnForm(exchange: Exchange): boolean {
  const site = exchange.header('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = exchange.header('origin');
  return origin !== null && URL.canParse(origin) && new URL(origin).host === exchange.url.host;
}

const operationOf = operationFinder(endpoints);

/** The values of a form that has a page, and the path of the page; null for other requests. */
async function keptForm(exchange: Exchange): Promise<KeptForm | null> {
  let form: FormData | null;
  try {
    form = await formOf(exchange, 'expired');
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
  // Only our pages send it. Whether it was valid cannot be checked without the session.
  if (!form?.has('csrf_token')) return null;
  const given = form.get('_method');
  const method = typeof given === 'string' ? given.toUpperCase() : 'POST';
  const operation = operationOf({ method, url: exchange.url.href });
  const endpoint = operation === null ? null : endpointOf(operation);
  if (!endpoint?.request || resourceOf(endpoint.operation).name === 'members') return null;
  const own = ['csrf_token', '_method', 'form_id', 'preview'];
  const fields = new URLSearchParams();
  for (const [name, value] of form) if (typeof value === 'string' && !own.includes(name)) fields.append(name, value);
  return { path: formPath(exchange.url.pathname, endpoint) + exchange.url.search, fields: String(fields) };
}

/** The page that the rejected form is from; null if it has none. */
async function ownPage(
  web: WebContext,
  exchange: Exchange,
  endpoint: Endpoint,
  { status, body }: Problem,
): Promise<Response | null> {
  const { form } = exchange;
  if (form === null || (status !== 422 && status !== 412)) return null;
  const resource = resourceOf(endpoint.operation);
  if (endpoint.status === 204) {
    const changed = `This ${resource.singular} was changed after you opened this page. Check it, and confirm again.`;
    return showDeletion(web, exchange, endpoint, 'errors' in body ? Object.values(body.errors).flat() : [changed]);
  }
  // A role is changed with a button, without a form page.
  if (!endpoint.request || resource.name === 'members') return null;
  const item = await itemToChange(web, exchange, endpoint);
  if (status === 412) return item && staleForm(web, exchange, endpoint, form, item);
  if (!('errors' in body)) return null;
  const values = { ...item, ...valuesIn(form, endpoint.request) };
  const errors = { ...laterErrors(resource, form, values, body.errors), ...body.errors };
  return showForm(web, exchange, endpoint, { status, item, form, ...withLocked(resource, item, values, errors) });
}

/** Fields that were locked meanwhile show both values: what is saved, and what was typed. */
function withLocked({ singular, locked }: Resource, item: Item | null, values: Item, errors: FieldErrors) {
  if (!item || !locked || (item[locked.since] ?? null) === null) return { errors };
  const fields = locked.fields.filter((name) => name in errors);
  const reason = `The ${singular} was published meanwhile, so this can no longer be changed.`;
  const change = (name: string) => ({ saved: textOf(item[name]), submitted: textOf(values[name]), isConflict: true });
  return {
    errors: { ...errors, ...Object.fromEntries(fields.map((name) => [name, [reason]])) },
    ...(fields.length > 0 && { changes: new Map(fields.map((name) => [name, change(name)])) }),
  };
}

/** The rules check these only if all fields are valid. The form shows all errors at once. */
function laterErrors({ name, money }: Resource, form: FormData, values: Item, errors: FieldErrors): FieldErrors {
  const isChecked = ({ min, max }: Money['ranges'][number]): boolean => !(min in errors || max in errors);
  const found = rangeErrors(money?.ranges.filter(isChecked) ?? [], values, values);
  const logo = form.get('organization[logo]');
  const hasLogo = (logo instanceof Blob && logo.size > 0) || (Boolean(values.logo_url) && values.purge_logo !== '1');
  if (name === 'organizations' && needsLogo(values.privacy_setting, hasLogo)) found.logo = [logoMessage];
  return found;
}

/** The page or list of a rejected write, if the visitor may see it. */
function backFrom(context: PageContext, endpoint: Endpoint): string | null {
  if (context.visitor === null || (endpoint.role !== 'none' && !context.membership)) return null;
  const resource = resourceOf(endpoint.operation);
  const get = endpoint.scope === 'write' && endpoint.method !== 'POST' ? endpointFor(resource, 'get') : null;
  const place = get ?? endpointFor(resource, 'list');
  return place && pageOf(place, context.parameters);
}
