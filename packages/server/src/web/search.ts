import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { mountRoute, parameterNames, routePath } from '../http/routes.js';
import { listQueryOf } from '../rules/context.js';
import { memberCounts } from '../rules/deletion.js';
import { textMatcher } from '../store/store.js';
import type { PageContext } from './page-context.js';
import { endpointFor, type Item, pageDescriptionOf } from './page-descriptions.js';
import { type Found, maxRead, searchPage } from './pages/search.js';
import { endpointOf, pageOf } from './paths.js';
import type { WebContext } from './web-context.js';

const shown = 5;

/** `/organizations/:id/search`: campaigns, collabs and members of a brand, and the visitor's brands. */
export function mountSearch(routes: Hono<AppEnv>, web: WebContext): void {
  const endpoint = endpointOf('organizations.get') as Endpoint;
  const GET = (exchange: Exchange) => showResults(web, exchange);
  mountRoute(routes, `${routePath(endpoint)}/search`, { GET }, { names: parameterNames(endpoint), isPage: true });
}

async function showResults(web: WebContext, exchange: Exchange): Promise<Response> {
  const parameters = { organization_id: exchange.parameters.id ?? '' };
  const { name: text } = listQueryOf((name) => exchange.query(name));
  const found: Found[] = [];
  for (const name of ['campaigns', 'collabs'] as const) {
    const resource = pageDescriptionOf(name);
    const list = endpointFor(resource, 'list') as Endpoint;
    // Also identifies the visitor, and checks that the organization exists for them.
    const { body, headers, limit } = await web.site.operation(list.operation).view(exchange, parameters);
    const total = Number(headers['Total-Count']);
    const items = (body as readonly Item[]).slice(0, shown);
    found.push({ resource, path: pageOf(list, parameters), items, total, isFilter: true, limit });
  }
  const context = await web.contextOf(exchange);
  if (text !== '') found.push(...(await namedIn(web, context, text)));
  return web.answer(exchange, 200, context, searchPage({ context, text, found: text === '' ? [] : found }));
}

/**
 * The members and brands with this text in their name or email address.
 * @param all Whether to return all members, and no brands
 */
export function namedIn(
  web: WebContext,
  { organization, visitor }: PageContext,
  text: string,
  all = false,
): Promise<readonly Found[]> {
  const matches = textMatcher(text);
  const slice = { offset: 0, limit: maxRead };
  return web.site.store.read(async (reader) => {
    if (!organization || !visitor) return [];
    const members = await reader.page('memberships', 'byOrganization', [organization.id], slice);
    const memberIds = members.map(({ user_id }) => user_id);
    const people = new Map((await reader.getMany('users', memberIds)).map((user) => [user.id, user]));
    const named = members.flatMap((row) => {
      const user = people.get(row.user_id);
      return user && matches(`${user.name} ${user.email}`) ? { ...row, user } : [];
    });
    if (all) return [{ ...foundIn('members', organization.id, named, members.length === maxRead), items: named }];
    const own = await reader.page('memberships', 'byUser', [visitor.userId], slice);
    const brandIds = own.map(({ organization_id }) => organization_id);
    const brands = (await reader.getMany('organizations', brandIds)).filter(({ name }) => matches(name));
    const counts = await memberCounts(reader, organization.id);
    return [
      { ...foundIn('members', organization.id, named, members.length === maxRead), counts },
      foundIn('organizations', organization.id, brands, own.length === maxRead),
    ];
  });
}

function foundIn(
  name: 'members' | 'organizations',
  organization_id: string | number,
  items: readonly Item[],
  isCut: boolean,
): Found {
  const resource = pageDescriptionOf(name);
  const path = pageOf(endpointFor(resource, 'list') as Endpoint, { organization_id });
  return { resource, path, items: items.slice(0, shown), total: items.length, isFilter: name === 'members', isCut };
}
