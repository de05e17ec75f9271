import { drafts } from '../api/labels.js';
import { cellText, grouped, numberAt, type Row, sanitizeLine, valueAt } from '../text/values.js';
import { type Change, stateOf } from './plan.js';

/** The value of a field after the change. */
function valueAfter({ declared: { kind }, row, fields }: Change, name: string): unknown {
  const change = fields.find(({ field }) => field === name);
  if (change !== undefined) return change.to;
  if (row !== undefined) return valueAt(row, name);
  return kind.name === 'campaigns' || kind.name === 'collabs' ? valueAt(drafts[kind.name].defaults, name) : undefined;
}

const finalStep = ({ steps }: Change): string | undefined =>
  steps.find((step) => step === 'publish' || step === 'submit');

/** The values that a publication fixes; undefined if the change publishes nothing. */
export function fixedBy(change: Change): Row | undefined {
  const { locked } = change.declared.kind.resource;
  if (finalStep(change) === undefined || locked === undefined) return undefined;
  return Object.fromEntries(locked.fields.map((field) => [field, valueAfter(change, field) ?? null]));
}

/** What a publication or submission means and fixes, and what is missing, as sentences. @param shown how a value is written */
export function publicationText(change: Change, spends: Cost | undefined, shown: (value: unknown) => string): string[] {
  const step = finalStep(change);
  if (step === undefined) return [];
  const isCampaign = change.declared.kind.name === 'campaigns';
  const fixed = Object.entries(fixedBy(change) ?? {}).map(([field, value]) => `${field} ${shown(value)}`);
  const budget = isCampaign && change.row === undefined ? 0 : valueAfter(change, 'total_budget_amount');
  const countries = valueAfter(change, 'countries');
  const isShown = change.fields.some(({ field }) => field === 'countries');
  // Unknown in rows of lists, and for a new one that is not rehearsed.
  const brief = valueAfter(change, 'brief');
  return [
    step === 'publish' ? 'It cannot be unpublished, only paused.' : 'A submission cannot be taken back.',
    ...(fixed.length > 0 ? [`The payouts and the currency are then fixed: ${fixed.join(', ')}.`] : []),
    ...(spends !== undefined && spends.amount > 0
      ? [`Creators can earn up to ${spends.amount} ${shown(valueAfter(change, 'currency'))}.`]
      : []),
    ...(budget === 0 ? ['It has no budget: creators cannot earn anything yet.'] : []),
    ...(Array.isArray(countries) && countries.length > 0 && !isShown ? [`Countries: ${shown(countries)}.`] : []),
    ...(Array.isArray(countries) && countries.length === 0 ? ['It has no countries.'] : []),
    ...(brief === null || brief === '' ? ['It has no brief.'] : []),
  ];
}

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
