import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/face.js';
import { newFormRoute, routePath } from '../http/routes.js';
import type { Front } from './front.js';
import { pageAt } from './page-at.js';
import { confirmPage } from './pages/confirm.js';
import { formPage } from './pages/form.js';
import { pageOf, parametersIn } from './paths.js';
import { refusalOf } from './permitted.js';
import { endpointFor, type Resource, resources } from './resources.js';
import { itemToChange, thingOf } from './thing.js';

type Parameters = Readonly<Record<string, string>>;
type PageMaker = (exchange: Exchange, parameters: Parameters) => Promise<Response>;

/** `.../new`, `.../edit` and `.../delete` of everything that the API can create, change and delete. */
export function mountFormPages(routes: Hono<AppEnv>, front: Front): void {
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
    mount(endpointFor(resource, 'create'), newFormRoute, (endpoint) => newPage(front, resource, endpoint));
    // A role is changed by a button beside the member.
    if (resource.name !== 'members')
      mount(
        endpointFor(resource, 'update'),
        (path) => `${path}/edit`,
        (endpoint) => editPage(front, resource, endpoint),
      );
    mount(
      endpointFor(resource, 'delete'),
      (path) => `${path}/delete`,
      (endpoint) => deletePage(front, resource, endpoint),
    );
  }
}

const newPage =
  (front: Front, resource: Resource, endpoint: Endpoint): PageMaker =>
  async (exchange, parameters) => {
    const list = endpointFor(resource, 'list');
    if (list) await front.site.ask(exchange, list.operation, parameters);
    const stage = await front.stageOf(exchange);
    const refusal = refusalOf(stage, endpoint);
    if (refusal) throw refusal;
    const [website = ''] = endpoint.query.website ? exchange.query('website') : [];
    const query = website === '' ? {} : { website };
    return front.answer(
      exchange,
      200,
      stage,
      formPage({ stage, resource, endpoint, parameters, item: null, query, formId: front.formId() }),
    );
  };

const editPage =
  (front: Front, resource: Resource, endpoint: Endpoint): PageMaker =>
  async (exchange, parameters) => {
    const item = await itemToChange(front, exchange, resource, parameters);
    const stage = await front.stageOf(exchange);
    const refusal = refusalOf(stage, endpoint);
    if (refusal) throw refusal;
    return front.answer(
      exchange,
      200,
      stage,
      formPage({ stage, resource, endpoint, parameters, item, formId: front.formId() }),
    );
  };

const deletePage =
  (front: Front, resource: Resource, endpoint: Endpoint): PageMaker =>
  async (exchange, parameters) => {
    const item = await thingOf(front, exchange, resource, parameters);
    const stage = await front.stageOf(exchange);
    const refusal = refusalOf(stage, endpoint, item);
    if (refusal) throw refusal;
    const place = endpointFor(resource, 'get') ?? endpointFor(resource, 'list') ?? endpoint;
    const back = pageOf(place, parameters);
    return front.answer(exchange, 200, stage, confirmPage({ stage, resource, endpoint, parameters, item, back }));
  };
