import { resources } from '@mkt/sdk/contract';
import { seesDrafts } from '../rules/policy.js';
import { isFiltered } from './csv.js';
import type { PageContext } from './page-context.js';
import type { Resource } from './resources.js';
import type { WebContext } from './web-context.js';

/** How many items of an organization are in a state. */
export interface StateTotal {
  readonly state: string;
  readonly total: number;
}

const { campaigns, collabs } = resources;

/** The totals of the states that the visitor may see; empty for lists without a filter. */
export function stateTotals(
  web: WebContext,
  { organization, membership }: PageContext,
  { name }: Pick<Resource, 'name'>,
): Promise<readonly StateTotal[]> {
  return web.site.store.read(async (reader) => {
    if (!organization || !membership || !isFiltered(name)) return [];
    const { names, initial } = name === 'campaigns' ? campaigns.states : collabs.states;
    const totals: StateTotal[] = [];
    for (const state of names) {
      if (state === initial && !seesDrafts(membership)) continue;
      const key = [organization.id, state];
      const total =
        name === 'campaigns'
          ? await reader.count(name, 'byOrganizationAndStatus', key)
          : await reader.count(name, 'byOrganizationAndState', key);
      totals.push({ state, total });
    }
    return totals;
  });
}
