import type { Endpoint, RequestBody } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { representationTag } from '../http/json.js';
import { FormComparison, type FormVersion, valuesIn } from './form-values.js';
import { itemToChange } from './load-resource.js';
import { formPage } from './pages/form.js';
import { pageOf, parametersIn } from './paths.js';
import { permissionError } from './permitted.js';
import { endpointFor, type Item, resourceOf } from './resources.js';
import type { WebContext } from './web-context.js';

/** The version of the item that a form is filled from. */
export function versionOf(web: WebContext, { request }: Endpoint, item: Item): FormVersion {
  return new FormComparison(request as RequestBody, web.site.sha256).versionOf(item, tagOf(web, item));
}

/** The ETag of the JSON. An address has one here too, and so has a missing one. */
export const tagOf = (web: WebContext, item: Item): string => representationTag(item, web.site.sha256);

/** The version in a submitted form; null if it was sent by another client than our pages. */
export function submittedVersion(form: FormData): FormVersion | null {
  const etag = form.get('etag');
  const original = form.get('original');
  return typeof etag === 'string' && typeof original === 'string' ? { etag, original } : null;
}

/**
 * Reduces the form of a change to the fields that the user changed. Responds with the form again if someone else
 * changed the item since it was opened (D136), and null otherwise.
 */
export async function checkEdit(
  web: WebContext,
  exchange: Exchange,
  endpoint: Endpoint,
  form: FormData,
): Promise<Response | null> {
  const version = submittedVersion(form);
  const { request } = endpoint;
  if (!version || !request) return null;
  const resource = resourceOf(endpoint.operation);
  const parameters = parametersIn(endpoint, exchange.url.pathname);
  const item = await itemToChange(web, exchange, resource, parameters);
  const stale = await staleForm(web, exchange, endpoint, form, item);
  if (stale) return stale;

  const comparison = new FormComparison(request, web.site.sha256);
  const unchanged = comparison.unchanged(valuesIn(form, request), version.original);
  const names = new Set(unchanged.map((name) => `${request.wrapper}[${name}]`));
  const changes = new FormData();
  for (const [name, value] of form) {
    const isNoFile = typeof value !== 'string' && value.size === 0 && value.name === '';
    if (!names.has(name) && !isNoFile) changes.append(name, value);
  }
  const get = endpointFor(resource, 'get');
  if (get?.etag) exchange.ifMatch = tagOf(web, item);
  if ([...changes.keys()].some((name) => name.startsWith(`${request.wrapper}[`))) {
    exchange.form = changes;
    return null;
  }
  return web.redirect(exchange, pageOf(get ?? endpoint, parameters), { tone: 'good', text: 'Nothing was changed.' });
}

/** The form with both values of each field that was changed elsewhere; null if there are none. */
export async function staleForm(
  web: WebContext,
  exchange: Exchange,
  endpoint: Endpoint,
  form: FormData,
  item: Item,
): Promise<Response | null> {
  const version = submittedVersion(form);
  const { request } = endpoint;
  if (!version || !request || version.etag === tagOf(web, item)) return null;
  const values = valuesIn(form, request);
  const changes = new FormComparison(request, web.site.sha256).changedElsewhere(values, version.original, item);
  if (changes.size === 0) return null;

  const context = await web.contextOf(exchange);
  const error = permissionError(context, endpoint);
  if (error) throw error;
  const merged = { ...values };
  for (const [name, { saved, isConflict }] of changes) if (!isConflict) merged[name] = saved;
  const resource = resourceOf(endpoint.operation);
  const page = formPage({
    context,
    resource,
    endpoint,
    parameters: parametersIn(endpoint, exchange.url.pathname),
    item,
    values: merged,
    changes,
    version: versionOf(web, endpoint, item),
    formId: web.formId(),
  });
  return web.answer(exchange, 422, context, page);
}
