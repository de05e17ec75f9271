import { hasStateIndex, seesDrafts, stateIndexes } from '../rules/policy.js';
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
    if (!organization || !membership || !states || !hasStateIndex(name)) return [];
    const totals: StateTotal[] = [];
    for (const state of states.names) {
      if (state === states.initial && !seesDrafts(membership)) continue;
      // The type of the index depends on the table.
      const index = stateIndexes[name] as 'byOrganization';
      totals.push({ state, total: await reader.count(name, index, [organization.id, state]) });
    }
    return totals;
  });
}
