import { cellText, grouped, type Row, sanitizeLine, textAt, valueAt } from '../../text/values.js';

/** An amount of the API, which has no unit: `10,000`. */
const amountText = (value: unknown): string =>
  typeof value === 'number' ? grouped(value) : sanitizeLine(cellText(value));

/** `no budget, no country and no brief`. */
const listOf = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** What the publication of a campaign fixes. */
export function fixedTerms(row: Row): string {
  const amount = (field: string): string => amountText(valueAt(row, field));
  const currency = sanitizeLine(textAt(row, 'currency'));
  const hasReward = Number(valueAt(row, 'base_reward_amount')) > 0;
  const reward = hasReward ? `, ${amount('base_reward_amount')} ${currency} for taking part` : '';
  const payouts = `payouts ${amount('min_payout_amount')} to ${amount('max_payout_amount')} ${currency}`;
  const terms = `${amount('cpm_amount')} per 1,000 views, ${payouts}${reward}`;
  return `The payouts and the currency are then fixed (${terms}).`;
}

/** What a campaign lacks to reach creators; empty if it lacks nothing. Lists do not contain briefs. @param subject `It` */
export function gapsOf(row: Row, place: string, subject = 'It'): string {
  const { countries, brief, total_budget_amount: budget } = row as Readonly<Record<string, unknown>>;
  const hasNoBudget = budget === 0;
  const gaps = [
    ...(hasNoBudget ? ['no budget'] : []),
    ...(Array.isArray(countries) && countries.length === 0 ? ['no country'] : []),
    ...(brief === null || brief === '' ? ['no brief'] : []),
  ];
  if (gaps.length === 0) return '';
  const funding = `A budget is added on the website: mkt open campaigns ${textAt(row, 'id')}${place}`;
  return `${subject} has ${listOf(gaps)}.${hasNoBudget ? ` ${funding}` : ''}`;
}
