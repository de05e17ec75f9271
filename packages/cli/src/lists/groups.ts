import type { FieldKinds } from '@mkt/sdk/contract';
import { computedFields, computedValue } from '@mkt/sdk/contract/resources';
import { campaigns } from '../api/labels.js';
import { cellText, numberAt, type Row, textAt, valueAt } from '../text/values.js';
import type { Listing } from './presenter.js';

/** By what `--group-by` groups campaigns, and the field of the API. */
const fields = { platform: 'platform_ids', country: 'countries', status: 'status', currency: 'currency' } as const;

export type GroupField = keyof typeof fields;

export const sum = (rows: readonly Row[], field: string): number =>
  rows.reduce((all, row) => all + numberAt(row, field), 0);

/** The sums of campaigns with the same value, in each currency. One with several values counts in each of them. */
export function groupsOf(rows: readonly Row[], by: GroupField): Row[] {
  const groups = new Map<string, { readonly value: string; readonly currency: string; readonly rows: Row[] }>();
  for (const row of rows) {
    const currency = textAt(row, 'currency');
    const given = [valueAt(row, fields[by])].flat();
    for (const value of new Set((given.length === 0 ? [''] : given).map(cellText))) {
      const key = JSON.stringify([value, currency]);
      const group = groups.get(key) ?? { value, currency, rows: [] };
      group.rows.push(row);
      groups.set(key, group);
    }
  }
  return [...groups.values()]
    .sort((one, other) => one.value.localeCompare(other.value) || one.currency.localeCompare(other.currency))
    .map(({ value, currency, rows: members }) => {
      const used_amount = sum(members, 'used_amount');
      const view_count = sum(members, 'view_count');
      return {
        [by]: value || null,
        currency,
        campaigns: members.length,
        budget: sum(members, 'total_budget_amount'),
        used: used_amount,
        views: view_count,
        effective_cpm: computedValue(computedFields.campaigns.effective_cpm, { used_amount, view_count }),
      };
    });
}

/** The sentence below groups. */
export const groupsText = (by: GroupField): string =>
  by === 'platform' || by === 'country'
    ? `A campaign with several ${by === 'platform' ? 'platforms' : 'countries'} counts in each of them, so these rows cannot be added up.`
    : 'Amounts of different currencies cannot be added up.';

const kinds: FieldKinds = {
  currency: 'currency',
  campaigns: 'number',
  budget: 'amount',
  used: 'amount',
  views: 'number',
  effective_cpm: 'amount',
};

/** Groups as the rows of a list. */
export function groupedListing(listing: Listing, by: GroupField): Listing {
  const names = [...new Set([by, ...Object.keys(kinds)])];
  return {
    ...listing,
    resource: { ...campaigns, fields: { [by]: 'text', ...kinds }, computed: {} },
    columns: names.map((field) => ({
      field,
      header: field === 'effective_cpm' ? 'ECPM' : field === 'currency' ? 'CUR' : field.toUpperCase(),
      priority: 0,
      ...(field !== by && field !== 'currency' && { align: 'right' as const }),
    })),
    fields: names,
  };
}
