import { type Endpoint, endpoints, hasKind, kindsOf, type Money, type RequestBody } from '@mkt/sdk/contract';
import { tryDecodeURIComponent as tryDecode } from 'hono/utils/url';
import { formOf } from '../http/body.js';
import type { Exchange } from '../http/exchange.js';
import { HttpError, type Problem } from '../http/problems.js';
import { operationFinder } from '../http/routes.js';
import { needsLogo, rangeProblems } from '../rules/fields.js';
import type { Problems } from '../rules/problems.js';
import { typedText } from './brief-text.js';
import { showConfirmation } from './confirmations.js';
import { cookieOf, noMoreSession } from './cookies.js';
import { formResponse, lockedMeanwhile, showForm, staleForm } from './edits.js';
import { reasonsOf } from './form-messages.js';
import { formPath, valuesIn } from './form-values.js';
import { itemToChange } from './load-resource.js';
import type { PageContext } from './page-context.js';
import { endpointFor, type Item, type PageDescription, pageDescriptionOf } from './page-descriptions.js';
import { type Entered, noAddressPage, problemPage } from './pages/problem.js';
import type { KeptForm } from './pages/sign-in.js';
import { titleOf } from './pages/values.js';
import { endpointOf, localPath, pageOf } from './paths.js';
import { showSignIn } from './sign-in.js';
import { openedByAnother, openerOf, type WebContext } from './web-context.js';

/** The page for a rejected request: the form as it was sent, with the reasons, if it was one; otherwise only the reasons. */
export async function errorPage(web: WebContext, exchange: Exchange, problem: Problem): Promise<Response> {
  const { status, headers } = problem;
  const sent = await sentForm(exchange);
  if (status === 303) return signInAgain(web, exchange, headers.Location ?? '/sign_in', sent);
  // If the server fails, loading the visitor would fail too.
  const context = status >= 500 ? web.anonymousContext(exchange) : await web.contextOf(exchange);
  const endpoint = exchange.operation === null ? null : endpointOf(exchange.operation);
  const own = endpoint && context.csrf !== null ? await ownPage(web, exchange, endpoint, problem) : null;
  const isOwnOrKnown = (form: FormData) =>
    web.isFromPage(form, cookieOf(exchange, 'session')) || openedByAnother(form, context.visitor?.userId);
  const isExpired = sent !== null && status === 403 && !isOwnOrKnown(sent.form);
  const again =
    own ?? (sent && (await formAgain(web, exchange, sent, isExpired ? { ...problem, error: expired } : problem)));
  if (again) return again;
  const resource = endpoint && pageDescriptionOf(endpoint.operation);
  // Its page has shown the item.
  const isGone = status === 404 && endpoint !== null && exchange.method === 'POST' && endpoint.status !== 201;
  const back = endpoint && status < 500 ? backFrom(context, endpoint, isGone) : null;
  const isOthers = sent !== null && isOfAnother(sent, context);
  const canKeep = sent !== null && status === 401 && context.csrf !== null && !isOthers;
  const gone = `This ${resource?.singular} no longer exists, or you may not see it. Nothing was done.`;
  const page =
    resource && endpoint.operation === 'address.get' && status === 404
      ? noAddressPage(context, resource)
      : problemPage(
          context,
          isGone ? { ...problem, error: gone } : problem,
          back,
          sent && !isOthers ? enteredIn(sent) : [],
          canKeep ? keptForm(exchange, sent) : null,
        );
  return web.answer(exchange, status, context, page, headers);
}

/** Asks to sign in. The form of a session that has ended stays on that page. */
async function signInAgain(web: WebContext, exchange: Exchange, location: string, sent: SentForm | null) {
  const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
  if (isRead || exchange.header('sec-fetch-site') === 'cross-site')
    return web.redirect(exchange, location, null, noMoreSession(exchange));
  if (sent) {
    const kept = keptForm(exchange, sent);
    return showSignIn(web, exchange, { returnTo: kept.path, error: null, kept, cookies: noMoreSession(exchange) });
  }
  const text = 'You are no longer signed in, so nothing was changed. Sign in and send the form again.';
  const from = pageBefore(web, exchange);
  const to = from === null ? location : `/sign_in?undone=1&return_to=${encodeURIComponent(from)}`;
  return web.redirect(exchange, to, { tone: 'bad', text }, noMoreSession(exchange));
}

/** The page of this server that the request was sent from; null if the browser does not name it. */
function pageBefore(web: WebContext, exchange: Exchange): string | null {
  const referer = exchange.header('referer') ?? '';
  if (!URL.canParse(referer)) return null;
  const [{ host, pathname, search }, base] = [new URL(referer), new URL(web.site.base(exchange))];
  const prefix = base.pathname.replace(/\/$/, '');
  const isOwn = (host === base.host || host === exchange.url.host) && pathname.startsWith(`${prefix}/`);
  return isOwn ? localPath(pathname.slice(prefix.length) + search) : null;
}

/** Browsers name the site of a form. Others are not read, because their sender is unknown. */
function isOwnForm(exchange: Exchange): boolean {
  const site = exchange.header('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = exchange.header('origin');
  return origin !== null && URL.canParse(origin) && new URL(origin).host === exchange.url.host;
}

const operationOf = operationFinder(endpoints);

/** A form of our pages that takes what a user types. */
interface SentForm {
  readonly endpoint: Endpoint;
  readonly form: FormData;
  readonly path: string;
}

/** The form in a rejected request; null for other requests, and for forms of other sites. */
async function sentForm(exchange: Exchange): Promise<SentForm | null> {
  const isRead = exchange.form !== null || !exchange.request.bodyUsed;
  if (exchange.method !== 'POST' || !isOwnForm(exchange) || !isRead) return null;
  let form: FormData | null;
  try {
    form = exchange.form ?? (await formOf(exchange, 'expired'));
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
  // Only our pages send it. Nothing is written, so it need not be valid: its session may have ended.
  if (!form?.has('csrf_token')) return null;
  const given = form.get('_method');
  const method = typeof given === 'string' ? given.toUpperCase() : 'POST';
  // A preview is sent to the page of the form.
  const path = exchange.url.pathname.replace(/\.json$|\/(new|edit)$/, '');
  const operation = operationOf({ method, url: exchange.url.origin + path });
  const endpoint = operation === null ? null : endpointOf(operation);
  if (!endpoint?.request || pageDescriptionOf(endpoint.operation).name === 'members') return null;
  const values = path.split('/');
  const names = endpoint.path.replace(/\.json$/, '').split('/');
  exchange.parameters = Object.fromEntries(
    names.flatMap((name, place) => (name.startsWith(':') ? [[name.slice(1), tryDecode(values[place] ?? '')]] : [])),
  );
  return { endpoint, form, path };
}

function keptForm(exchange: Exchange, { endpoint, form, path }: SentForm): KeptForm {
  const own = ['csrf_token', 'preview', 'use_page'];
  const fields = new URLSearchParams();
  for (const [name, value] of form) if (typeof value === 'string' && !own.includes(name)) fields.append(name, value);
  return { path: formPath(path, endpoint) + exchange.url.search, fields: String(fields), user: openerOf(form) };
}

/** Whether another user than the visitor typed their own data, such as an address. */
const isOfAnother = ({ path, form }: SentForm, { visitor }: PageContext): boolean =>
  path.startsWith('/me/') && openedByAnother(form, visitor?.userId);

/** What was typed into the form, for a visitor who may not see it. */
const enteredIn = ({ endpoint, form }: SentForm): readonly Entered[] => {
  const request = endpoint.request as RequestBody;
  const isRich = (name: string): boolean => hasKind(kindsOf(request.fields), name, 'richText');
  return Object.entries(valuesIn(form, request)).flatMap(([name, value]) =>
    value === '' ? [] : [{ label: titleOf(name), value: isRich(name) ? typedText(value) : value }],
  );
};

/** The form as it was sent, with the reason; null if the visitor may not see it. */
async function formAgain(web: WebContext, exchange: Exchange, sent: SentForm, problem: Problem) {
  const { endpoint, form } = sent;
  const { status, error } = problem;
  const isCreation = endpoint.method === 'POST';
  const [reasons, problems] = typeof error === 'string' ? [[error], {}] : [[], error];
  try {
    const item = await itemToChange(web, exchange, endpoint);
    const own = isOfAnother(sent, await web.contextOf(exchange)) ? null : form;
    return await showForm(web, exchange, endpoint, { status, item, form: own, reasons, problems });
  } catch {
    if (status < 500) return null;
  }
  // Without the store.
  const session = cookieOf(exchange, 'session');
  const context = { ...web.anonymousContext(exchange), csrf: session && web.csrfFor(session) };
  const { id = '' } = exchange.parameters;
  const { name = id } = valuesIn(form, endpoint.request as RequestBody);
  const item = isCreation ? null : { id, name };
  return formResponse(web, exchange, endpoint, { context, status, item, form, reasons, problems });
}

const expired = 'This form has expired, so nothing was saved. Check it, and send it again.';

/** The page that the rejected form is from; null if it has none. */
async function ownPage(web: WebContext, exchange: Exchange, endpoint: Endpoint, problem: Problem) {
  const { form } = exchange;
  const { status, error } = problem;
  if (form === null || (status !== 422 && status !== 412)) return null;
  const resource = pageDescriptionOf(endpoint.operation);
  if (endpoint.status === 204 || endpoint.transition || resource.name === 'members')
    return showConfirmation(web, exchange, endpoint, { form, reasons: reasonsOf(problem) });
  if (!endpoint.request) return null;
  const item = await itemToChange(web, exchange, endpoint);
  if (status === 412) return item && staleForm(web, exchange, endpoint, form, item);
  if (typeof error === 'string') return null;
  const values = { ...item, ...valuesIn(form, endpoint.request) };
  const problems = { ...laterProblems(resource, form, values, error), ...error };
  const locked = lockedMeanwhile(resource, item, values, Object.keys(problems));
  return showForm(web, exchange, endpoint, {
    ...{ status, item, form, problems: { ...problems, ...locked.problems } },
    ...(locked.changes.size > 0 && { changes: locked.changes }),
  });
}

/** The rules check these only if all fields are valid. The form shows all problems at once. */
function laterProblems({ name, money }: PageDescription, form: FormData, values: Item, problems: Problems): Problems {
  const isChecked = ({ min, max }: Money['ranges'][number]): boolean => !(min in problems || max in problems);
  const found = rangeProblems(money?.ranges.filter(isChecked) ?? [], values, values);
  const logo = form.get('organization[logo]');
  const hasLogo = (logo instanceof Blob && logo.size > 0) || (Boolean(values.logo_url) && values.purge_logo !== '1');
  if (name === 'organizations' && needsLogo(values.privacy_setting, hasLogo)) found.logo = [{ code: 'needs_logo' }];
  return found;
}

/** The page or list of a rejected write, if the visitor may see it. */
function backFrom(context: PageContext, endpoint: Endpoint, isGone: boolean): string | null {
  if (context.visitor === null || (endpoint.role !== 'none' && !context.membership)) return null;
  const resource = pageDescriptionOf(endpoint.operation);
  const get = endpoint.scope === 'write' && endpoint.method !== 'POST' && !isGone ? endpointFor(resource, 'get') : null;
  const place = get ?? endpointFor(resource, 'list');
  return place && pageOf(place, context.parameters);
}
