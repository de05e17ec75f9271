import type { Endpoint, RequestBody } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { unlessGone } from '../http/pipeline.js';
import { type Handler, listPageRoute, mountRoute, parameterNames, routePath } from '../http/routes.js';
import { showConfirmation } from './confirmations.js';
import { showForm } from './edits.js';
import { briefIn, textOf, type Values } from './form-values.js';
import { itemToChange, subjectOf } from './load-resource.js';
import { offers, type PageContext } from './page-context.js';
import { endpointFor, type Item, type PageDescription, pageDescriptions } from './page-descriptions.js';
import { endpointOf } from './paths.js';
import { imageKeyOf, uploadField } from './uploads.js';
import { formIdIn, type WebContext } from './web-context.js';

/** `.../new`, `.../edit`, `.../delete` and `.../confirm`, for what the API can create, change, delete and lock. */
export function mountFormPages(routes: Hono<AppEnv>, web: WebContext): void {
  const pageFor = (endpoint: Endpoint, path: string, handlers: Readonly<Record<string, Handler>>) =>
    mountRoute(routes, path, handlers, { names: parameterNames(endpoint), isPage: true });
  for (const resource of pageDescriptions) {
    const create = endpointFor(resource, 'create');
    if (create) pageFor(create, listPageRoute(routePath(create), 'new'), formHandlers(web, resource, create));
    const confirmation = (endpoint: Endpoint) => ({
      GET: (exchange: Exchange) => showConfirmation(web, exchange, endpoint),
    });
    const update = endpointFor(resource, 'update');
    if (update) {
      // A role has two values, so its form is a confirmation of the other one.
      const handlers = resource.name === 'members' ? confirmation(update) : formHandlers(web, resource, update);
      pageFor(update, `${routePath(update)}/edit`, handlers);
    }
    const remove = endpointFor(resource, 'delete');
    if (remove) pageFor(remove, `${routePath(remove)}/delete`, confirmation(remove));
    for (const { name } of resource.actions) {
      const action = endpointOf(`${resource.name}.${name}`);
      if (action) pageFor(action, `${routePath(action)}/confirm`, confirmation(action));
    }
  }
}

/** The page of a form. POST shows it again with the submitted values, to preview them or after a session has expired. */
function formHandlers(
  web: WebContext,
  resource: PageDescription,
  endpoint: Endpoint,
): Readonly<Record<string, Handler>> {
  const makePage = async (exchange: Exchange, form: FormData | null): Promise<Response> => {
    const item = await itemToChange(web, exchange, endpoint);
    const [from] = item === null && form === null ? exchange.query('from') : [];
    const copies = from !== undefined && offers(await web.contextOf(exchange), endpoint);
    // What was typed into the form of a copy is still there after its original was deleted.
    const original = copies ? await unlessGone(itemToCopy(web, exchange, resource, from)) : null;
    return showForm(web, exchange, endpoint, {
      item,
      form,
      ...(original && { values: valuesOfCopy(resource, original) }),
      preview: form?.has('preview') ? (briefIn(form, endpoint.request as RequestBody)?.html ?? null) : null,
      readsPage: form?.has('use_page') === true,
      ...(form &&
        !form.has('preview') &&
        !form.has('use_page') && { reasons: [signedInAs(await web.contextOf(exchange))] }),
    });
  };
  return {
    async GET(exchange) {
      const hasId = endpoint.method !== 'POST' || formIdIn(exchange.query('form')[0]) !== null;
      if (hasId || !offers(await web.contextOf(exchange), endpoint)) return makePage(exchange, null);
      const [from] = exchange.query('from');
      const copied = from === undefined ? null : await itemToCopy(web, exchange, resource, from);
      const key = copied && endpoint.request?.purge ? imageKeyOf(resource, copied) : undefined;
      // A URL of its own, so that going back to a form that was sent leads to the same form.
      const query = new URLSearchParams({
        ...Object.fromEntries(exchange.url.searchParams),
        form: web.site.random(9),
        ...(key !== undefined && uploadField({ key, isOriginal: true })),
      });
      return web.redirect(exchange, `${exchange.url.pathname}?${query}`, null);
    },
    async POST(exchange) {
      await web.requireSession(exchange);
      const form = await web.checkedForm(exchange, 'session', 'caller');
      return makePage(exchange, form);
    },
  };
}

/** Another user may have filled in the form. */
const signedInAs = ({ visitor }: PageContext): string =>
  `You are signed in as ${visitor?.name}. Check the form, then save it in this name.`;

const itemToCopy = async (web: WebContext, exchange: Exchange, { name }: PageDescription, id: string): Promise<Item> =>
  (await web.site.operation(`${name}.get`).view(exchange, { ...exchange.parameters, id })).body as Item;

/** The values of an item, for a form that creates a copy. */
function valuesOfCopy(resource: PageDescription, item: Item): Values {
  const values = Object.entries(item).map(([name, value]) => [name, textOf(value)]);
  return { ...Object.fromEntries(values), name: `${resource.labelOf(item).slice(0, 240)} (copy)` };
}

/** Responds with the confirmation page again if the name of the item is wrong; null otherwise. */
export async function checkDeletion(web: WebContext, exchange: Exchange, endpoint: Endpoint, form: FormData) {
  if (endpoint.operation !== 'organizations.delete') return null;
  const { resource, item } = await subjectOf(web, exchange, endpoint);
  if (sameName(form.get('confirmation'), resource.labelOf(item))) return null;
  return showConfirmation(web, exchange, endpoint, {
    form,
    reasons: ['The name does not match, so nothing was deleted.'],
  });
}

/** Normalization makes 18 characters of one at most, so a text this many times as long as the name is another one. */
const maxLonger = 20;
/** Ignores differences that cannot be seen. */
const sameName = (typed: unknown, name: string): boolean =>
  typeof typed === 'string' && typed.length <= maxLonger * name.length && visibleText(typed) === visibleText(name);
const visibleText = (text: string): string => text.normalize('NFKC').replace(/\s+/g, ' ').trim();
