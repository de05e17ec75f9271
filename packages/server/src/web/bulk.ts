import { type Endpoint, hasKind } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { changeAll } from '../http/many-items.js';
import { unlessGone } from '../http/pipeline.js';
import { badRequest, HttpError, tooManyRequests } from '../http/problems.js';
import { listPageRoute, mountRoute, parameterNames, routePath } from '../http/routes.js';
import { inPieces, itemsPerTurn } from '../pieces.js';
import { listQueryOf } from '../rules/context.js';
import { forbidden, notFound, RuleError } from '../rules/errors.js';
import { isSelectable } from '../rules/selection.js';
import { FairTurns } from '../store/fair-turns.js';
import { maxTested, type Reader } from '../store/store.js';
import type { SelectableTable } from '../store/tables.js';
import { type Obstacle, obstacleIn, requireAsShown } from './confirmations.js';
import { offers, type PageContext } from './page-context.js';
import { endpointFor, type Item, type PageDescription, pageDescriptions } from './page-descriptions.js';
import { type BulkAction, type BulkPlan, type BulkProps, bulkPage } from './pages/bulk.js';
import { listUrl } from './pages/filters.js';
import { counted, wholeNumber } from './pages/values.js';
import { endpointOf, pageOf } from './paths.js';
import type { AfterWrite } from './processed-forms.js';
import { changesSince, type Shown, shownIn, shownText, shownValues } from './shown.js';
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

/** `.../campaigns/actions` and `.../collabs/actions`: GET shows what an action would do, POST does it. */
export function mountBulkActions(routes: Hono<AppEnv>, web: WebContext): void {
  for (const resource of pageDescriptions) {
    const list = endpointFor(resource, 'list');
    const { name } = resource;
    if (!list || !isSelectable(name)) continue;
    const handlers = {
      GET: (exchange: Exchange) => inTurn(web, exchange, () => ask(web, exchange, resource, list)),
      POST: (exchange: Exchange) => run(web, exchange, resource, list, name),
    };
    mountRoute(routes, listPageRoute(routePath(list), 'actions'), handlers, {
      names: parameterNames(list),
      isPage: true,
    });
  }
}

/** Pages about many items that are made at once: each holds hundreds of them whole. A user makes half of them at most. */
const turns = new FairTurns(4, () => tooManyRequests(5));
const maxWait = 10_000;
async function inTurn(web: WebContext, exchange: Exchange, answer: () => Promise<Response>): Promise<Response> {
  const { userId } = await web.requireSession(exchange);
  return turns.run(userId, maxWait, answer);
}

/** The actions of a user: one after the other, so that the first one ends early. */
const actions = new FairTurns(Number.POSITIVE_INFINITY, () => tooManyRequests(5), 1);

/** The page of the list that the visitor came from, with its filter and order. */
function backTo(exchange: Exchange, list: Endpoint, last = Number.POSITIVE_INFINITY): string {
  const [page = ''] = exchange.query('page');
  const query = listQueryOf((name) => exchange.query(name));
  const number = /^[1-9]\d{0,5}$/.test(page) ? Math.min(Number(page), last) : 1;
  return listUrl(pageOf(list, exchange.parameters), query, number > 1 ? number : undefined);
}

/** The same, or the last page that still has items. */
async function backToLast(web: WebContext, exchange: Exchange, list: Endpoint): Promise<string> {
  if (exchange.query('page').length === 0) return backTo(exchange, list);
  const view = await web.site
    .operation(list.operation)
    .view(exchange, exchange.parameters)
    .catch(() => null);
  return backTo(exchange, list, view ? Number(view.headers['Total-Pages']) : undefined);
}

async function ask(web: WebContext, exchange: Exchange, resource: PageDescription, list: Endpoint): Promise<Response> {
  const { view } = web.site.operation(list.operation);
  // Also checks that the organization exists for the visitor.
  const { headers, limit } = await view(exchange, exchange.parameters, { number: '1', size: 1 });
  const context = await web.contextOf(exchange);
  const action = actionIn(context, resource, exchange.query('action')[0]);
  const back = backTo(exchange, list);
  const again = (text: string) => web.redirect(exchange, back, { tone: 'bad', text });
  const [select = ''] = exchange.query('select');
  let ids = exchange.query(select === 'page' ? 'listed' : 'id');
  if (select === 'page') ids = ids.flatMap((listed) => listed.split(','));
  if (select === 'all') {
    const total = Number(headers['Total-Count']);
    if (limit && limit !== 'unsorted')
      return again(`This list is not complete. Filter it, then select ${resource.plural}.`);
    if (total > maxTested) return again(tooMany(total));
    const all = await view(exchange, exchange.parameters, { isOnlyIds: true });
    ids = (all.body as readonly Item[]).map(({ id }) => String(id));
  }
  ids = [...new Set(ids)];
  if (ids.length === 0) return again(`Select the ${resource.plural} first.`);
  if (ids.length > maxTested) return again(tooMany(ids.length));
  const shown = shownIn(web, exchange.query('shown')[0]);
  return answerWithPlan(web, exchange, { context, resource, action, back, isSent: false }, ids, shown);
}

const tooMany = (count: number): string =>
  `${wholeNumber.format(count)} are too many at once. Filter the list to ${wholeNumber.format(maxTested)} or fewer.`;

async function run(
  web: WebContext,
  exchange: Exchange,
  resource: PageDescription,
  list: Endpoint,
  table: SelectableTable,
): Promise<Response> {
  await web.requireSession(exchange);
  const form = await web.checkedForm(exchange, 'session', 'caller');
  const context = await web.contextOf(exchange);
  const action = actionIn(context, resource, form.get('action'));
  const { endpoint } = action;
  const back = backTo(exchange, list);
  const shown = requireAsShown(web, exchange, endpoint, form);
  const ids = [...(shown?.keys() ?? [])];
  if (ids.length === 0) throw badRequest('The form has no items.');
  const write = async (): Promise<AfterWrite> => {
    const { write: parts } = web.site.operation(endpoint.operation);
    const change = async () => parts && changeAll(parts, exchange, { table, ids });
    await actions.run(exchange.userId ?? '', maxWait, change);
    const text = `${counted(ids.length, resource)} ${action.done}.`;
    return { to: await backToLast(web, exchange, list), flash: { tone: 'good', text } };
  };
  try {
    const after = await web.processedForms.once(exchange, form, { write, fallback: back });
    return after instanceof Response ? after : web.redirect(exchange, after.to, after.flash);
  } catch (error) {
    if (!isOutdated(error)) throw error;
  }
  return inTurn(web, exchange, () =>
    answerWithPlan(web, exchange, { context, resource, action, back, isSent: true }, ids, shown),
  );
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

const asListed = ({ fields }: PageDescription, item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([field]) => !hasKind(fields, field, 'richText')));

/** As the page shows them: of thousands of items, whole ones are hundreds of megabytes. */
const richTextsIn = ({ fields }: PageDescription, values: Item | null): Item =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([field]) => hasKind(fields, field, 'richText')));

/** Shows what the action would change, what it cannot change and why, and what has changed since the page of a form, or the list. */
async function answerWithPlan(
  web: WebContext,
  exchange: Exchange,
  subject: Omit<BulkProps, 'plan'>,
  ids: readonly string[],
  shown: Shown | null,
): Promise<Response> {
  const { context, resource, action, isSent } = subject;
  const { endpoint } = action;
  const operation = web.site.operation(endpoint.operation);
  const many = `Each of these ${resource.plural}`;
  const planned = async (reader: Reader, id: string, item: Item | null) => {
    const before = shown?.get(id);
    const values = item && shownValues(web.site, resource, item, endpoint);
    const compared = isSent ? values : item && shownValues(web.site, resource, asListed(resource, item));
    const fields = compared && before !== undefined ? changesSince(web.site, before, compared) : null;
    const obstacle = item ? await obstacleIn(reader, context, endpoint, item) : () => 'No longer in this brand.';
    return { id, item: item && { ...item, ...richTextsIn(resource, values) }, before, values, fields, obstacle };
  };
  const plannedPiece = async (piece: readonly string[]) => {
    const items = await Promise.all(
      piece.map((id) => unlessGone(operation.representation(exchange, { ...exchange.parameters, id }))),
    );
    await exchange.turn();
    return web.site.store.read((reader) =>
      Promise.all(piece.map((id, place) => planned(reader, id, items[place] as Item | null))),
    );
  };
  const all = (await inPieces(ids, plannedPiece, itemsPerTurn)).flat();
  const possible = all.filter(({ obstacle }) => obstacle === null);
  const groups = new Map<string, { readonly obstacle: Obstacle; readonly names: string[] }>();
  for (const { id, item, before, obstacle } of all) {
    if (obstacle === null) continue;
    const known = item ?? (typeof before === 'string' ? null : before);
    // Without the digest of a long name.
    const name = known ? resource.labelOf(known).replace(/(?<=^.{80}…).{12}$/su, '') : resource.singular;
    const reason = obstacle(many);
    if (!groups.has(reason)) groups.set(reason, { obstacle, names: [] });
    groups.get(reason)?.names.push(`${name} #${id}`);
  }
  const impossible = [...groups.values()].map(({ obstacle, names }) => ({
    reason: obstacle(names.length === 1 ? `This ${resource.singular}` : many),
    names,
  }));
  const values = possible.map(({ id, values }) => [id, values as Item] as const);
  const plan = {
    possible: possible.map(({ item }) => item as Item),
    impossible,
    changed: all.filter(({ fields }) => fields !== null) as BulkPlan['changed'],
    // What a list showed may have been impossible then.
    outdated: all.filter(
      ({ item, before, fields, obstacle }) =>
        fields !== null || (before !== undefined && obstacle !== null && (isSent || item === null)),
    ).length,
    shown: await shownText(web, values),
  };
  return web.answer(exchange, isSent ? 422 : 200, context, bulkPage({ ...subject, plan }));
}
