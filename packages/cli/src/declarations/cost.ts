import { cellText, grouped, numberAt, sanitizeLine, valueAt } from '../text/values.js';
import { type Change, stateOf } from './plan.js';

/** What creators can earn from a campaign. */
export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

/** What a change lets creators earn: the unused budget of a campaign that becomes active. */
export function costOf({ declared, row, fields, path }: Change): Cost[] {
  const { money, defaults } = declared.kind.resource;
  if (money === undefined || path?.to !== 'active' || path.actions.length === 0 || stateOf(declared, row) === 'active')
    return [];
  const changed = fields.find(({ field }) => field === money.currency)?.to;
  const currency = cellText(changed ?? valueAt(row, money.currency) ?? defaults?.[money.currency]);
  return [{ amount: numberAt(row, 'unused_amount'), currency }];
}

/** The sums by currency. */
export function totalCosts(costs: readonly Cost[]): Cost[] {
  const totals = new Map<string, number>();
  for (const { amount, currency } of costs) totals.set(currency, (totals.get(currency) ?? 0) + amount);
  return [...totals].sort().map(([currency, amount]) => ({ currency, amount }));
}

/** The line at the end of a plan; none if no campaign becomes active. */
export function costLines(costs: readonly Cost[]): string[] {
  const totals = totalCosts(costs).filter(({ amount }) => amount > 0);
  if (costs.length === 0) return [];
  if (totals.length === 0) return ['Total: creators cannot earn anything yet, because the budgets are 0.'];
  const texts = totals.map(({ amount, currency }) => `${grouped(amount)} ${sanitizeLine(currency)}`);
  return [`Total: creators can earn up to ${texts.join(', ')}.`];
}
