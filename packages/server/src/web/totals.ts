import { memberCounts } from '../rules/deletion.js';
import { seesDrafts } from '../rules/policy.js';
import { isSelectable } from '../rules/selection.js';
import type { Reader, Total } from '../store/store.js';
import type { PageContext } from './page-context.js';
import type { PageDescription } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

export interface StateTotal {
  readonly state: string;
  readonly total: number;
}

/** The totals of the items that the visitor may see; empty for lists without totals. */
export async function visibleTotals(
  reader: Reader,
  { organization, membership }: PageContext,
  { name, states }: Pick<PageDescription, 'name' | 'states'>,
): Promise<readonly Total[]> {
  if (!organization || !membership || !states || !isSelectable(name)) return [];
  const totals = await reader.totals(name, organization.id);
  return seesDrafts(membership) ? totals : totals.filter((total) => total[states.field] !== states.initial);
}

export const sumOf = (totals: readonly Total[], column: string): number =>
  totals.reduce((sum, total) => sum + Number(total[column]), 0);

export const stateTotals = (totals: readonly Total[], { membership }: PageContext, { states }: PageDescription) =>
  (states?.names ?? [])
    .filter((state) => state !== states?.initial || (membership && seesDrafts(membership)))
    .map((state) => {
      const own = totals.filter((each) => each[states?.field ?? ''] === state);
      return { state, total: sumOf(own, 'total') };
    });

/** Of a list of members. */
export const countsOf = (web: WebContext, { organization }: PageContext, { name }: PageDescription) =>
  name === 'members' && organization
    ? web.site.store.read((reader) => memberCounts(reader, organization.id))
    : Promise.resolve(null);
