import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { inPieces } from '../http/pieces.js';
import { unlessGone } from '../http/pipeline.js';
import { badRequest, HttpError } from '../http/problems.js';
import { listPageRoute, mountRoute, parameterNames, routePath } from '../http/routes.js';
import { listQueryOf } from '../rules/context.js';
import { forbidden, notFound, RuleError } from '../rules/errors.js';
import { isSelectable } from '../rules/selection.js';
import { maxTested } from '../store/store.js';
import { obstacleIn, requireAsShown } from './confirmations.js';
import { offers, type PageContext } from './page-context.js';
import { endpointFor, type Item, type PageDescription, pageDescriptions } from './page-descriptions.js';
import { type BulkAction, type BulkPlan, bulkPage } from './pages/bulk.js';
import { listUrl } from './pages/filters.js';
import { wholeNumber } from './pages/values.js';
import { endpointOf, pageOf } from './paths.js';
import type { AfterWrite } from './processed-forms.js';
import { changesBetween, type Shown, shownIn, shownText, shownValues } from './shown.js';
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

/** How many items one confirmation may change. */
const maxSelected = maxTested;

/** `.../campaigns/actions` and `.../collabs/actions`: GET shows what an action would do, POST does it. */
export function mountBulkActions(routes: Hono<AppEnv>, web: WebContext): void {
  for (const resource of pageDescriptions) {
    const list = endpointFor(resource, 'list');
    if (!list || !isSelectable(resource.name)) continue;
    const handlers = {
      GET: (exchange: Exchange) => ask(web, exchange, resource, list),
      POST: (exchange: Exchange) => run(web, exchange, resource, list),
    };
    mountRoute(routes, listPageRoute(routePath(list), 'actions'), handlers, {
      names: parameterNames(list),
      isPage: true,
    });
  }
}

/** The page of the list that the visitor came from, with its filter and order. */
function backTo(exchange: Exchange, list: Endpoint): string {
  const [page = ''] = exchange.query('page');
  const query = listQueryOf((name) => exchange.query(name));
  return listUrl(
    pageOf(list, exchange.parameters),
    query,
    /^[1-9]\d{0,5}$/.test(page) && page !== '1' ? Number(page) : undefined,
  );
}

async function ask(web: WebContext, exchange: Exchange, resource: PageDescription, list: Endpoint): Promise<Response> {
  // Also identifies the visitor, and checks that the organization exists for them.
  const view = await web.site.operation(list.operation).view(exchange, exchange.parameters, { number: '1', size: 1 });
  const context = await web.contextOf(exchange);
  const action = actionIn(context, resource, exchange.query('action')[0]);
  const back = backTo(exchange, list);
  const again = (text: string) => web.redirect(exchange, back, { tone: 'bad', text });
  const [select = ''] = exchange.query('select');
  let ids = exchange.query(select === 'page' ? 'listed' : 'id');
  if (select === 'page') ids = ids.flatMap((listed) => listed.split(','));
  if (select === 'all') {
    const total = Number(view.headers['Total-Count']);
    if (view.limit && view.limit !== 'unsorted')
      return again(`This list is not complete. Filter it, then select ${resource.plural}.`);
    if (total > maxSelected) return again(tooMany(total));
    const all = await web.site
      .operation(list.operation)
      .view(exchange, exchange.parameters, { number: '1', size: maxSelected });
    ids = (all.body as readonly Item[]).map(({ id }) => String(id));
  }
  ids = [...new Set(ids)];
  if (ids.length === 0) return again(`Select the ${resource.plural} first.`);
  if (ids.length > maxSelected) return again(tooMany(ids.length));
  const plan = await planOf(web, exchange, context, resource, action, ids);
  return web.answer(exchange, 200, context, bulkPage({ context, resource, action, plan, back }));
}

const tooMany = (count: number): string =>
  `${wholeNumber.format(count)} are too many at once. Filter the list to ${wholeNumber.format(maxSelected)} or fewer.`;

async function run(web: WebContext, exchange: Exchange, resource: PageDescription, list: Endpoint): Promise<Response> {
  await web.site.store.read((reader) => web.identify(reader, exchange));
  const form = await web.checkedForm(exchange, 'session', 'caller');
  const context = await web.contextOf(exchange);
  const action = actionIn(context, resource, form.get('action'));
  const { endpoint } = action;
  const back = backTo(exchange, list);
  const shown = shownIn(web, form);
  const ids = [...(shown?.keys() ?? [])];
  if (ids.length === 0) throw badRequest('The form has no items.');
  requireAsShown(web, exchange, endpoint, form);
  const work = async (): Promise<AfterWrite> => {
    const all = ids.map((id) => ({ ...exchange.parameters, id }));
    await web.site.operation(endpoint.operation).runAll?.(exchange, all);
    const text = `${wholeNumber.format(ids.length)} ${ids.length === 1 ? resource.singular : resource.plural} ${action.done}.`;
    return { to: back, flash: { tone: 'good', text } };
  };
  try {
    const { to, flash } = await web.processedForms.once(exchange, form, work, back);
    return web.redirect(exchange, to, flash);
  } catch (error) {
    if (!isOutdated(error)) throw error;
  }
  const plan = await planOf(web, exchange, context, resource, action, ids, shown);
  const changed = plan.found.flatMap((item) => {
    const before = shown?.get(String(item.id)) ?? {};
    const fields = changesBetween(before, shownValues(web.site, resource, item, endpoint));
    return fields.length > 0 ? [{ item, before, fields }] : [];
  });
  const others = new Set(changed.map(({ item }) => item));
  const asShown = plan.possible.filter((item) => !others.has(item));
  const rejected = { changed, count: ids.length - asShown.length };
  return web.answer(exchange, 422, context, bulkPage({ context, resource, action, plan, back, rejected }));
}

/** Whether an item is no longer as the page showed it. */
const isOutdated = (error: unknown): boolean =>
  error instanceof HttpError ? error.status === 412 : error instanceof RuleError && error.meaning !== 'forbidden';

/** @throws 404 for an unknown action, 403 if the visitor may not use it */
function actionIn(context: PageContext, resource: PageDescription, name: unknown): BulkAction {
  const action = bulkActions(context, resource).find((each) => each.name === name);
  if (action) return action;
  const exists = name === 'delete' || resource.actions.some((each) => each.name === name);
  throw exists ? forbidden(`You may not do this with ${resource.plural} here.`) : notFound('There is no such action.');
}

/** What the action would change, and what it cannot change and why. */
async function planOf(
  web: WebContext,
  exchange: Exchange,
  context: PageContext,
  resource: PageDescription,
  { endpoint }: BulkAction,
  ids: readonly string[],
  before: Shown | null = null,
): Promise<BulkPlan> {
  const operation = web.site.operation(endpoint.operation);
  const items = await inPieces(
    ids,
    (id) => unlessGone(operation.representation(exchange, { ...exchange.parameters, id })) as Promise<Item | null>,
  );
  const found = items.filter((item): item is Item => item !== null);
  const many = `Each of these ${resource.plural}`;
  const reasons = await web.site.store.read((reader) =>
    inPieces(items, async (item) =>
      item ? obstacleIn(reader, context, endpoint, item, many) : 'No longer in this brand.',
    ),
  );
  const possible = items.filter((item, place): item is Item => item !== null && reasons[place] === null);
  const groups: Record<string, string[]> = {};
  for (const [place, reason] of reasons.entries()) {
    if (reason === null) continue;
    const id = ids[place] ?? '';
    const known = items[place] ?? before?.get(id);
    // Without the digest of a long name.
    const name = known ? resource.labelOf(known).replace(/(?<=^.{80}…).{12}$/su, '') : `${resource.singular} ${id}`;
    groups[reason] ??= [];
    groups[reason].push(name);
  }
  const impossible = Object.entries(groups).map(([reason, names]) => ({
    reason: names.length === 1 ? reason.replace(many, `This ${resource.singular}`) : reason,
    names,
  }));
  const shown = await inPieces(possible, async (item) => {
    return [String(item.id), shownValues(web.site, resource, item, endpoint)] as const;
  });
  return { found, possible, impossible, shown: shownText(web, new Map(shown)) };
}
