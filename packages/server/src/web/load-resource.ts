import type { Endpoint } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import type { Parameters } from '../http/pipeline.js';
import { deletionErrors } from '../rules/deletion.js';
import { notFound, RuleError } from '../rules/errors.js';
import { idFrom, visible } from '../rules/policy.js';
import { type PageContext, permissionError } from './page-context.js';
import { endpointFor, type Item, type Resource, resourceOf } from './resources.js';
import type { WebContext } from './web-context.js';

/** An item, and what its page is for. */
export interface Subject {
  readonly context: PageContext;
  readonly resource: Resource;
  readonly endpoint: Endpoint;
  readonly item: Item;
}

/** The subject of a page from which the visitor calls `endpoint`. @throws 404, or why the visitor may not call it */
export async function subjectOf(web: WebContext, exchange: Exchange, endpoint: Endpoint): Promise<Subject> {
  const resource = resourceOf(endpoint.operation);
  const item = await loadResource(web, exchange, resource);
  const context = await web.contextOf(exchange);
  const error = permissionError(context, endpoint, item);
  if (error) throw error;
  return { context, resource, endpoint, item };
}

/**
 * Loads the resource of a page for the visitor. Members and access tokens have no GET endpoint: they are
 * found in the same way as by the endpoints that change them.
 * @throws 404
 */
export async function loadResource(
  web: WebContext,
  exchange: Exchange,
  resource: Resource,
  parameters: Parameters = exchange.parameters,
): Promise<Item> {
  const get = endpointFor(resource, 'get');
  if (get) return (await web.site.view(exchange, get.operation, parameters)).body as Item;

  const list = endpointFor(resource, 'list');
  if (list) await web.site.view(exchange, list.operation, parameters);
  const { membership } = await web.contextOf(exchange);
  const { id = '' } = parameters;
  return web.site.store.read(async (store) => {
    const caller = { userId: exchange.userId ?? '', permission: 'read' };
    if (resource.name === 'members') {
      const member = await visible.members({ store, caller, membership, id });
      if (member) return { ...member, user: await store.get('users', member.user_id) };
    } else {
      const token = await visible.accessTokens({ store, caller, membership, id });
      if (token) return { id: token.id, description: token.description, permission: token.permission };
    }
    throw notFound(
      `This ${resource.singular} was not found. Check the URL, and that you are a member of its organization.`,
    );
  });
}

/** The item that a form changes; null if it creates one. An address may be changed before it exists. */
export async function itemToChange(web: WebContext, exchange: Exchange, endpoint: Endpoint): Promise<Item | null> {
  if (endpoint.method === 'POST') return null;
  const resource = resourceOf(endpoint.operation);
  try {
    return await loadResource(web, exchange, resource);
  } catch (error) {
    if (resource.name === 'address' && error instanceof RuleError) return {};
    throw error;
  }
}

/** Why the item of a page cannot be deleted; null if it can. */
export function deletionObstacle(web: WebContext, { name }: Resource, { id: given = '' }: Parameters) {
  return web.site.store.read(async (reader): Promise<string | null> => {
    const id = idFrom(given, reader);
    const { campaigns, collabs, organizations } = deletionErrors;
    const campaign = name === 'campaigns' ? await reader.get(name, id) : null;
    const collab = name === 'collabs' ? await reader.get(name, id) : null;
    const organization = name === 'organizations' ? await reader.get(name, id) : null;
    const error =
      (campaign && campaigns(campaign)) ?? (collab && collabs(collab)) ?? (organization && organizations(organization));
    return error?.message ?? null;
  });
}
