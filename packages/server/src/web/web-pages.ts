import {
  contract,
  type Endpoint,
  nestedListOf,
  nestedListsOf,
  parametersOf,
  type RequestBody,
  type ResourceName,
} from '@mkt/sdk/contract';
import { bearerOf } from '../http/bearer.js';
import { formOf, hasForm } from '../http/body.js';
import type { Exchange } from '../http/exchange.js';
import { typedFields } from '../http/form-fields.js';
import type { HtmlRenderer } from '../http/html-renderer.js';
import { type Handler, mountRoute } from '../http/routes.js';
import type { View } from '../http/view.js';
import { randomText } from '../random.js';
import { platformNamed } from '../rules/codes.js';
import { listQueryOf } from '../rules/context.js';
import { selected } from '../rules/selection.js';
import { afterWrite, remarksOnBrief, remarksOnValues } from './after-write.js';
import { mountAssets } from './assets.js';
import { mountBulkActions } from './bulk.js';
import { deletionObstacle, requireAsShown } from './confirmations.js';
import { cookieOf } from './cookies.js';
import { mountDownloads } from './csv.js';
import { checkEdit, keepSaved, showForm } from './edits.js';
import { errorPage } from './error-pages.js';
import { mountExtraPage } from './extra-pages.js';
import { checkDeletion, mountFormPages } from './form-pages.js';
import { briefIn } from './form-values.js';
import { itemToChange } from './load-resource.js';
import { overviewOf } from './overview.js';
import { type ExtraPage, offers, type PageContext } from './page-context.js';
import {
  endpointFor,
  type Item,
  type PageDescription,
  pageDescriptionOf,
  pageDescriptionOfItems,
} from './page-descriptions.js';
import { platformName } from './pages/countries.js';
import { jsonPage } from './pages/json.js';
import { listPage, maxPrinted, type Subject } from './pages/list.js';
import { showPage } from './pages/show.js';
import { counted } from './pages/values.js';
import { endpointOf, pageOf } from './paths.js';
import type { AfterWrite } from './processed-forms.js';
import { hasUnreadPage } from './product-page.js';
import { mountSearch, namedIn } from './search.js';
import { shownText, shownValues } from './shown.js';
import { mountSignIn } from './sign-in.js';
import { countsOf, visibleTotals } from './totals.js';
import { addUpload, changesImage, decidedTwice, imageOf, lostImage } from './uploads.js';
import { signInFirst, WebContext, withOwnScripts } from './web-context.js';

export interface WebPagesOptions {
  /**
   * The secret that signs session cookies: 32 random bytes or more, in any encoding. By default new at every start:
   * a restart signs out all users, and several processes with the same URL do not accept each other's sessions. Give all
   * of them the same secret to avoid both.
   */
  readonly sessionSecret?: string;
  /** Public secrets, such as those of the demo users. The sign-in page offers those that exist in the store. */
  readonly knownTokens?: readonly string[];
  /** Pages of the program that runs the server, in the frame and the navigation of the others. */
  readonly extraPages?: readonly ExtraPage[];
}

/**
 * HTML pages for the API: a page for every GET, a form for every write, sign-in with an
 * access token. Rendered on the server, without scripts. Each app needs its own renderer.
 */
export function webPages(options: WebPagesOptions = {}): HtmlRenderer {
  const { sessionSecret = randomText(32), knownTokens = [], extraPages = [] } = options;
  let mounted: WebContext | null = null;
  const web = (): WebContext => {
    if (!mounted) throw new Error('The renderer must be mounted by an app before it can handle requests.');
    return mounted;
  };

  const redirect = (exchange: Exchange, { to, flash }: AfterWrite) => web().redirect(exchange, to, flash);

  return {
    async respond(exchange, endpoint, view) {
      if (endpoint.scope === 'read') {
        const isList = endpoint.paginated && pageDescriptionOfItems(endpoint).filters.length > 0;
        if (!isList || exchange.query('print').length === 0) return viewPage(web(), exchange, await view());
        const all = { number: '1', size: maxPrinted };
        const operation = web().site.operation(endpoint.operation);
        return viewPage(web(), exchange, await operation.view(exchange, exchange.parameters, all));
      }
      const write = async (form: FormData | null = null) => {
        const before = endpoint.method === 'POST' ? null : await itemToChange(web(), exchange, endpoint);
        const typed = exchange.form;
        const { request } = endpoint;
        const isOther = before && typed && request && changesImage(exchange, typed, request);
        const description = pageDescriptionOf(endpoint.operation);
        const picture = isOther ? await imageOf(web(), exchange, description, before) : null;
        // A visitor who may not write gets that answer before any about the brief. A bearer token shows no form again.
        const converts = bearerOf(exchange) !== null || offers(await web().contextOf(exchange), endpoint);
        const brief = typed && converts ? withBriefAsHtml(typed, endpoint) : null;
        exchange.form = brief?.form ?? typed;
        const seen = await view().finally(() => {
          // The form is shown again as it was typed.
          exchange.form = typed;
        });
        const after = await afterWrite(web(), exchange, seen, before, picture);
        const item = (seen.body ?? {}) as Item;
        if (form && endpoint.method === 'PATCH') await keepSaved(web(), endpoint, form, item);
        const lost = typed && endpoint.method === 'POST' ? lostImage(exchange, typed) : null;
        const remarks = [
          ...(lost === null ? [] : [`${lost} is gone, so this ${description.singular} has none.`]),
          ...(brief ? remarksOnBrief(brief, item.brief) : []),
          ...(typed && !typed.has('undo') ? remarksOnValues(endpoint, typed, before, item) : []),
        ];
        if (after.flash.tone === 'bad' || remarks.length === 0) return after;
        return { ...after, flash: { ...after.flash, text: [after.flash.text, ...remarks].join(' ') } };
      };
      if (bearerOf(exchange) !== null) return redirect(exchange, await write());
      if (cookieOf(exchange, 'session') === null) throw signInFirst(exchange);
      // Before the form is read: what was processed is stored for its user.
      await web().requireSession(exchange);
      const form = await web().checkedForm(exchange, 'session', 'caller');
      const fallback = pageOf(
        endpointFor(pageDescriptionOf(endpoint.operation), 'list') ?? endpoint,
        exchange.parameters,
      );
      const after = await web().processedForms.once(exchange, form, {
        check: () => checkedFirst(web(), exchange, endpoint, form),
        write: () => write(form),
        fallback,
        request: endpoint.request,
        repeats: form.has('original'),
      });
      if (after instanceof Response) return after;
      if (!after.isGone || endpoint.status !== 201) return redirect(exchange, after);
      const { singular } = pageDescriptionOf(endpoint.operation);
      const reasons = [`${after.flash.text} Send the form again to create another ${singular}.`];
      form.delete('form_id');
      return showForm(web(), exchange, endpoint, { status: 422, item: null, form, reasons });
    },

    identify: (reader, exchange) => web().identify(reader, exchange),

    async formMethod(exchange, authenticate) {
      if (exchange.method !== 'POST' || !hasForm(exchange)) return null;
      await authenticate();
      const method = (await formOf(exchange))?.get('_method');
      return typeof method === 'string' && /^(patch|delete)$/i.test(method) ? method.toUpperCase() : null;
    },

    convertFields: typedFields,
    selectBy(exchange) {
      const query = listQueryOf((name) => exchange.query(name));
      return (context, table, hidden) => selected(context, table, query, hidden);
    },

    problem: (exchange, problem) => errorPage(web(), exchange, problem),

    withRejection: (exchange, response, reason) => web().withFlash(exchange, response, { tone: 'bad', text: reason }),

    mount(routes, site) {
      mounted = new WebContext(site, sessionSecret, knownTokens, extraPages);
      const page = (path: string, GET: Handler) => mountRoute(routes, path, { GET }, { isPage: true });
      page('/', (exchange) => web().redirect(exchange, '/organizations', null));
      page('/docs', (exchange) => viewDocs(web(), exchange));
      mountAssets(routes);
      mountSignIn(routes, mounted);
      mountFormPages(routes, mounted);
      mountDownloads(routes, mounted);
      mountBulkActions(routes, mounted);
      mountSearch(routes, mounted);
      for (const extra of extraPages) mountExtraPage(routes, mounted, extra);
    },
  };
}

/** The response to a form that needs another look before it is processed; null otherwise. */
async function checkedFirst(web: WebContext, exchange: Exchange, endpoint: Endpoint, form: FormData) {
  requireAsShown(web, exchange, endpoint, form);
  const { request } = endpoint;
  const isGone = request && (await addUpload(web, exchange, form, request));
  const sentence = request && (isGone ? expired(request) : decidedTwice(form, request));
  if (sentence) {
    const item = await itemToChange(web, exchange, endpoint);
    const problems = { [String(request.file)]: [{ code: 'sentence', sentence } as const] };
    return showForm(web, exchange, endpoint, { status: 422, item, form, problems });
  }
  if (endpoint.method === 'DELETE') return checkDeletion(web, exchange, endpoint, form);
  if (endpoint.method === 'PATCH') return checkEdit(web, exchange, endpoint, form);
  const misfit = endpoint.operation === 'socialAccounts.create' ? accountMisfit(form) : null;
  if (misfit !== null) {
    const problems = { account_url: [{ code: 'sentence', sentence: misfit } as const] };
    return showForm(web, exchange, endpoint, { status: 422, item: null, form, problems });
  }
  const readsPage = endpoint.query.website !== undefined && hasUnreadPage(form);
  return readsPage ? showForm(web, exchange, endpoint, { item: null, form, readsPage }) : null;
}

const expired = ({ file }: RequestBody): string =>
  file === null
    ? 'The image is no longer stored, so nothing was saved. Save again without it.'
    : 'The file is no longer stored, so nothing was saved. Choose it again.';

/** Why the URL of an account cannot be of the platform that was chosen; null if it can. */
function accountMisfit(form: FormData): string | null {
  const host = /^(?:https?:\/\/)?([^/?#:]+)/i.exec(String(form.get('social_account[account_url]')).trim())?.[1] ?? '';
  const typed = String(form.get('social_account[platform_id]')).trim().toLowerCase();
  const chosen = platformNamed(typed) ?? typed;
  const isOn = (domain: string): boolean => `.${host.toLowerCase()}`.endsWith(`.${domain}`);
  const found = Object.entries(platformHosts).find(([, domains]) => domains.some(isOn))?.[0];
  if (found === undefined || found === chosen || !Object.hasOwn(platformHosts, chosen)) return null;
  return `This URL is an account on ${platformName(found)}, not on ${platformName(chosen)}. Choose the platform of the URL.`;
}

const platformHosts: Readonly<Record<string, readonly string[]>> = {
  tiktok: ['tiktok.com'],
  youtube: ['youtube.com', 'youtu.be'],
  instagram: ['instagram.com'],
  twitter: ['twitter.com', 'x.com'],
};

/** The brief of a form, which may be Markdown, as the API takes it, and the form with it. An old one is restored as it was. */
function withBriefAsHtml(form: FormData, { request }: Endpoint) {
  const name = `${request?.wrapper}[brief]`;
  const brief = request && !form.has('undo') ? briefIn(form, request) : null;
  if (brief === null) return null;
  const converted = new FormData();
  for (const [field, value] of form) if (field !== name) converted.append(field, value);
  converted.append(name, brief.html);
  return { form: converted, ...brief };
}

async function viewPage(web: WebContext, exchange: Exchange, whole: View): Promise<Response> {
  const context = await web.contextOf(exchange);
  const resource = pageDescriptionOfItems(whole.endpoint);
  const view = await withNamedMembers(web, exchange, context, whole);
  const props = { context, resource, view };
  const title = Array.isArray(view.body) ? resource.heading : resource.labelOf(view.body as Item);
  const page =
    exchange.query('as')[0] === 'json'
      ? jsonPage(context, title, view)
      : Array.isArray(view.body)
        ? listPage({
            ...props,
            totals: await web.site.store.read((reader) => visibleTotals(reader, context, resource)),
            parent: await parentOf(web, exchange, view.endpoint),
            counts: await countsOf(web, context, resource),
            shown: resource.name === 'members' ? await shownRows(web, resource, view.body) : new Map(),
            listed: await shownList(web, resource, view.body),
          })
        : showPage({
            ...props,
            obstacle: await deletionObstacle(web, context, resource, view.body as Item),
            shown: await shownItem(web, resource, view.body as Item),
            overview:
              resource.name === 'organizations' ? await overviewOf(web, context, exchange.query('cost')[0]) : null,
            nested: await nestedIn(web, exchange, resource),
          });
  return web.answer(exchange, view.status, context, page, view.headers);
}

const shownItem = (web: WebContext, resource: PageDescription, item: Item): Promise<string> =>
  shownText(web, [[String(item.id), shownValues(web.site, resource, item)]]);

async function shownRows(web: WebContext, resource: PageDescription, items: readonly Item[]) {
  const rows = items.map(async (item) => [String(item.id), await shownItem(web, resource, item)] as const);
  return new Map(await Promise.all(rows));
}

/** What a list shows, for the questions about those of its items that are selected. */
const shownList = (web: WebContext, resource: PageDescription, items: readonly Item[]): Promise<string> =>
  shownText(
    web,
    items.map((item) => [String(item.id), shownValues(web.site, resource, item)]),
    true,
  );

/** The members whose name or address contains the text of the query, on one page. Other lists stay as they are. */
async function withNamedMembers(web: WebContext, exchange: Exchange, context: PageContext, view: View): Promise<View> {
  const { name } = listQueryOf((parameter) => exchange.query(parameter));
  if (view.endpoint.operation !== 'members.list' || name === '') return view;
  const [{ items = [] } = {}] = await namedIn(web, context, name, true);
  const total = String(items.length);
  const headers = { 'Total-Count': total, 'Total-Pages': '1', 'Current-Page': '1', 'Page-Items': total };
  return { ...view, body: items, headers };
}

/** The item above a list, other than the organization, with which all pages begin. */
async function parentOf(web: WebContext, exchange: Exchange, endpoint: Endpoint): Promise<Subject | null> {
  const list = nestedListOf(endpoint);
  const get = list && list.parent !== 'organizations' && endpointOf(`${list.parent}.get`);
  if (!get) return null;
  const values = parametersOf(list.parentPath).map((name) => exchange.parameters[name] ?? '');
  const parameters = Object.fromEntries(parametersOf(get.path).map((name, place) => [name, values[place] ?? '']));
  const item = (await web.site.operation(get.operation).view(exchange, parameters)).body as Item;
  return { resource: pageDescriptionOf(get.operation), item, parameters };
}

/** The lists below an item. Those of an organization are in the tabs of its pages. */
async function nestedIn(web: WebContext, exchange: Exchange, { name }: PageDescription) {
  if (name === 'organizations' || !Object.hasOwn(contract, name)) return [];
  const values = Object.values(exchange.parameters);
  const lists = nestedListsOf(name as ResourceName, web.site.endpoints).map(async ({ endpoint }) => {
    const parameters = Object.fromEntries(
      parametersOf(endpoint.path).map((each, place) => [each, values[place] ?? '']),
    );
    const { headers } = await web.site.operation(endpoint.operation).view(exchange, parameters);
    const items = pageDescriptionOfItems(endpoint);
    const count = counted(Number(headers['Total-Count']), items);
    return { heading: items.heading, path: pageOf(endpoint, parameters), count };
  });
  return Promise.all(lists);
}

/** Its code is loaded when it is first requested. */
async function viewDocs(web: WebContext, exchange: Exchange): Promise<Response> {
  const context = await web.contextOf(exchange);
  const { docsPage } = await import('./pages/docs.js');
  const query = (exchange.query('q')[0] ?? '').trim().slice(0, 100);
  return web.answer(exchange, 200, context, await docsPage(context, query), withOwnScripts);
}
