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

/** The totals of the states that the visitor may see; empty for lists without a filter. */
export function stateTotals(
  web: WebContext,
  { organization, membership }: PageContext,
  { name, states }: Resource,
): Promise<readonly StateTotal[]> {
  return web.site.store.read(async (reader) => {
    if (!organization || !membership || !states || !isFiltered(name)) return [];
    const totals: StateTotal[] = [];
    for (const state of states.names) {
      if (state === states.initial && !seesDrafts(membership)) continue;
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
