import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { newFormRoute, routePath } from '../http/routes.js';
import { itemToChange, loadResource } from './load-resource.js';
import { pageAt } from './page-at.js';
import { confirmPage } from './pages/confirm.js';
import { formPage } from './pages/form.js';
import { pageOf, parametersIn } from './paths.js';
import { permissionError } from './permitted.js';
import { endpointFor, type Resource, resources } from './resources.js';
import type { WebContext } from './web-context.js';

type Parameters = Readonly<Record<string, string>>;
type PageMaker = (exchange: Exchange, parameters: Parameters) => Promise<Response>;

/** `.../new`, `.../edit` and `.../delete` of all resources that the API can create, change and delete. */
export function mountFormPages(routes: Hono<AppEnv>, web: WebContext): void {
  const mount = (
    endpoint: Endpoint | null,
    routeOf: (path: string) => string,
    makerOf: (endpoint: Endpoint) => PageMaker,
  ) => {
    if (!endpoint) return;
    const make = makerOf(endpoint);
    pageAt(routes, routeOf(routePath(endpoint)), {
      GET: (exchange) => make(exchange, parametersIn(endpoint, exchange.url.pathname)),
    });
  };
  for (const resource of resources) {
    mount(endpointFor(resource, 'create'), newFormRoute, (endpoint) => newPage(web, resource, endpoint));
    // A role is changed with a button next to the member.
    if (resource.name !== 'members')
      mount(
        endpointFor(resource, 'update'),
        (path) => `${path}/edit`,
        (endpoint) => editPage(web, resource, endpoint),
      );
    mount(
      endpointFor(resource, 'delete'),
      (path) => `${path}/delete`,
      (endpoint) => deletePage(web, resource, endpoint),
    );
  }
}

const newPage =
  (web: WebContext, resource: Resource, endpoint: Endpoint): PageMaker =>
  async (exchange, parameters) => {
    const list = endpointFor(resource, 'list');
    if (list) await web.site.view(exchange, list.operation, parameters);
    const context = await web.contextOf(exchange);
    const error = permissionError(context, endpoint);
    if (error) throw error;
    const [website = ''] = endpoint.query.website ? exchange.query('website') : [];
    const query = website === '' ? {} : { website };
    return web.answer(
      exchange,
      200,
      context,
      formPage({ context, resource, endpoint, parameters, item: null, query, formId: web.formId() }),
    );
  };

const editPage =
  (web: WebContext, resource: Resource, endpoint: Endpoint): PageMaker =>
  async (exchange, parameters) => {
    const item = await itemToChange(web, exchange, resource, parameters);
    const context = await web.contextOf(exchange);
    const error = permissionError(context, endpoint);
    if (error) throw error;
    return web.answer(
      exchange,
      200,
      context,
      formPage({ context, resource, endpoint, parameters, item, formId: web.formId() }),
    );
  };

const deletePage =
  (web: WebContext, resource: Resource, endpoint: Endpoint): PageMaker =>
  async (exchange, parameters) => {
    const item = await loadResource(web, exchange, resource, parameters);
    const context = await web.contextOf(exchange);
    const error = permissionError(context, endpoint, item);
    if (error) throw error;
    const place = endpointFor(resource, 'get') ?? endpointFor(resource, 'list') ?? endpoint;
    const back = pageOf(place, parameters);
    return web.answer(exchange, 200, context, confirmPage({ context, resource, endpoint, parameters, item, back }));
  };
