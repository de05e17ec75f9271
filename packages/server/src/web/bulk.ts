import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { badRequest } from '../http/problems.js';
import { listPageRoute, mountRoute, parameterNames, routePath } from '../http/routes.js';
import { forbidden, notFound, RuleError } from '../rules/errors.js';
import { isSelectable } from '../rules/selection.js';
import { deletionObstacle } from './load-resource.js';
import { offers, type PageContext } from './page-context.js';
import { endpointFor, type Item, type PageDescription, pageDescriptions } from './page-descriptions.js';
import { type BulkAction, type BulkPlan, bulkPage } from './pages/bulk.js';
import { endpointOf, pageOf } from './paths.js';
import type { AfterWrite } from './processed-forms.js';
import type { WebContext } from './web-context.js';

/** The actions that the visitor may use on selected items. */
export function bulkActions(context: PageContext, resource: PageDescription): readonly BulkAction[] {
  const actions = resource.actions.map(({ name, label }) => {
    const endpoint = endpointOf(`${resource.name}.${name}`);
    return { name, label, done: endpoint?.transition?.done ?? '', endpoint };
  });
  const remove = {
    name: 'delete',
    label: resource.removeLabel,
    done: 'deleted',
    endpoint: endpointFor(resource, 'delete'),
  };
  return [...actions, remove].flatMap(({ endpoint, ...action }) =>
    offers(context, endpoint) ? { ...action, endpoint } : [],
  );
}

/** A page of a list has fewer. */
const maxSelected = 100;

/** `.../campaigns/actions` and `.../collabs/actions`: GET shows what an action would do, POST does it. */
export function mountBulkActions(routes: Hono<AppEnv>, web: WebContext): void {
  for (const resource of pageDescriptions) {
    const list = endpointFor(resource, 'list');
    if (!list || !isSelectable(resource.name)) continue;
    const handlers = {
      GET: (exchange: Exchange) => showPlan(web, exchange, resource, list),
      POST: (exchange: Exchange) => run(web, exchange, resource, list),
    };
    mountRoute(routes, listPageRoute(routePath(list), 'actions'), handlers, {
      names: parameterNames(list),
      isPage: true,
    });
  }
}

async function showPlan(
  web: WebContext,
  exchange: Exchange,
  resource: PageDescription,
  list: Endpoint,
): Promise<Response> {
  // Also identifies the visitor, and checks that the organization exists for them.
  await web.site.operation(list.operation).view(exchange, exchange.parameters);
  const context = await web.contextOf(exchange);
  const action = actionIn(context, resource, exchange.query('action')[0]);
  const back = pageOf(list, exchange.parameters);
  const ids = selectedIds(exchange.query('id'));
  if (ids.length === 0)
    return web.redirect(exchange, back, { tone: 'bad', text: `Select the ${resource.plural} first.` });
  const plan = await planOf(web, exchange, resource, action, ids);
  return web.answer(exchange, 200, context, bulkPage({ context, resource, action, plan, back }));
}

async function run(
  web: WebContext,
  exchange: Exchange,
  resource: PageDescription,
  endpoint: Endpoint,
): Promise<Response> {
  await web.site.store.read((reader) => web.identify(reader, exchange));
  const form = await web.checkedForm(exchange, 'session', 'caller');
  const action = actionIn(await web.contextOf(exchange), resource, form.get('action'));
  const ids = selectedIds(form.getAll('id').filter((id) => typeof id === 'string'));
  const list = pageOf(endpoint, exchange.parameters);
  const work = async (): Promise<AfterWrite> => {
    let changed = 0;
    const rejections: string[] = [];
    for (const id of ids) {
      const rejection = await rejectionOf(web, exchange, action, id);
      if (rejection === null) changed += 1;
      else rejections.push(rejection);
    }
    const done = `${changed} ${changed === 1 ? resource.singular : resource.plural} ${action.done}.`;
    return {
      to: list,
      flash: { tone: rejections.length > 0 ? 'bad' : 'good', text: [done, ...rejections].join(' ') },
    };
  };
  const { to, flash } = await web.processedForms.once(exchange, form, work, list);
  return web.redirect(exchange, to, flash);
}

/** Runs the action on an item. @returns why it was rejected; null if it was done */
async function rejectionOf(web: WebContext, exchange: Exchange, { endpoint }: BulkAction, id: string) {
  try {
    const view = await web.site.operation(endpoint.operation).view(exchange, { ...exchange.parameters, id });
    // The first transaction that was committed has recorded the form.
    exchange.beforeWrite = null;
    return view.rejection;
  } catch (error) {
    if (error instanceof RuleError) return error.message;
    throw error;
  }
}

/** @throws 404 for an unknown action, 403 if the visitor may not use it */
function actionIn(context: PageContext, resource: PageDescription, name: unknown): BulkAction {
  const action = bulkActions(context, resource).find((each) => each.name === name);
  if (action) return action;
  const exists = name === 'delete' || resource.actions.some((each) => each.name === name);
  throw exists ? forbidden(`You may not do this with ${resource.plural} here.`) : notFound('There is no such action.');
}

/** @throws 400 for too many */
function selectedIds(given: readonly string[]): readonly string[] {
  const ids = [...new Set(given)];
  if (ids.length > maxSelected) throw badRequest(`Select at most ${maxSelected} items.`);
  return ids;
}

/** What the action would change, and what it cannot change and why. */
async function planOf(
  web: WebContext,
  exchange: Exchange,
  resource: PageDescription,
  { name }: BulkAction,
  ids: readonly string[],
): Promise<BulkPlan> {
  const possible: Item[] = [];
  const impossible: { label: string; reason: string }[] = [];
  const transition = resource.actions.find((action) => action.name === name);
  for (const id of ids) {
    const item = await itemAt(web, exchange, resource, id);
    if (!item) {
      impossible.push({ label: `${resource.singular} ${id}`, reason: 'It no longer exists.' });
      continue;
    }
    const state = String(resource.state && item[resource.state]);
    const reason = transition
      ? transition.offeredIn.includes(state)
        ? null
        : `It is ${state.replaceAll('_', ' ')}.`
      : await deletionObstacle(web, resource, { ...exchange.parameters, id });
    if (reason === null) possible.push(item);
    else impossible.push({ label: resource.labelOf(item), reason });
  }
  return { possible, impossible };
}

/** Null if it does not exist, or the visitor may not see it. */
async function itemAt(
  web: WebContext,
  exchange: Exchange,
  { name }: PageDescription,
  id: string,
): Promise<Item | null> {
  try {
    return (await web.site.operation(`${name}.get`).view(exchange, { ...exchange.parameters, id })).body as Item;
  } catch (error) {
    if (error instanceof RuleError && error.meaning === 'not found') return null;
    throw error;
  }
}
