import type { Endpoint } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { notFound } from '../rules/errors.js';
import { type PageContext, permissionError } from './page-context.js';
import { type Item, type PageDescription, pageDescriptionOf } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** An item, and what its page is for. */
export interface Subject {
  readonly context: PageContext;
  readonly resource: PageDescription;
  readonly endpoint: Endpoint;
  readonly item: Item;
}

const representationOf = async (web: WebContext, exchange: Exchange, { operation }: Endpoint) =>
  (await web.site.operation(operation).representation(exchange, exchange.parameters)) as Item | null;

/** The subject of a page from which the visitor calls `endpoint`. @throws 404, or why the visitor may not call it */
export async function subjectOf(web: WebContext, exchange: Exchange, endpoint: Endpoint): Promise<Subject> {
  const resource = pageDescriptionOf(endpoint.operation);
  const item = await representationOf(web, exchange, endpoint);
  if (!item) throw notFound(`There is no ${resource.singular} at this URL.`);
  const context = await web.contextOf(exchange);
  const error = permissionError(context, endpoint, item);
  if (error) throw error;
  return { context, resource, endpoint, item };
}

/** The item that a form changes; null if it creates one. An address may be changed before it exists. @throws the same */
export async function itemToChange(web: WebContext, exchange: Exchange, endpoint: Endpoint): Promise<Item | null> {
  const item = await representationOf(web, exchange, endpoint);
  return endpoint.method === 'POST' ? null : (item ?? {});
}
