import type { Campaign } from './campaigns.js';
import type { Collab } from './collabs.js';
import type { SocialAccount } from './social-accounts.js';

/** A number that is not in responses, but follows from two of their fields. Without both, or with a whole of 0, it is null. */
export interface ComputedField<Field extends string = string> {
  /** The heading of its column, and the label of its line on a page and in a report. */
  readonly label: string;
  readonly description: string;
  /** The number is `part / whole * times`, rounded half up; in percent, only nothing is 0 and only a whole is 100. */
  readonly part: Field;
  readonly whole: Field;
  readonly times: number;
  /** Decimals that are left. */
  readonly digits: number;
  /** An amount is in the currency of its row, and compared only with amounts in the same one. */
  readonly unit: 'percent' | 'amount' | 'number';
}

/** The items whose numbers computed fields follow from. */
interface Items {
  readonly campaigns: Campaign;
  readonly collabs: Collab;
  readonly socialAccounts: SocialAccount;
}

type NumberField<Item> = {
  [Field in keyof Item]-?: NonNullable<Item[Field]> extends number ? Field & string : never;
}[keyof Item];

/**
 * The computed fields of each resource. Lists, exports, reports, pages and tools have each of them under its name, and all
 * show the same number. The client does not import them.
 */
export const computedFields = {
  campaigns: {
    used_percent: {
      label: 'Budget used',
      description: 'Used part of the budget in percent; null without a budget.',
      part: 'used_amount',
      whole: 'total_budget_amount',
      times: 100,
      digits: 1,
      unit: 'percent',
    },
    effective_cpm: {
      label: 'Cost per thousand views',
      description: 'Used amount per thousand views; null without views.',
      part: 'used_amount',
      whole: 'view_count',
      times: 1000,
      digits: 2,
      unit: 'amount',
    },
  },
} as const satisfies {
  readonly [Name in keyof Items]?: Readonly<Record<string, ComputedField<NumberField<Items[Name]>>>>;
};

/** The computed fields of a resource by name; none for a resource that has none. */
export const computedFieldsOf = (resource: string): Readonly<Record<string, ComputedField>> =>
  Object.hasOwn(computedFields, resource) ? computedFields[resource as keyof typeof computedFields] : {};

/** The computed number of a row. Amounts are whole numbers, so that 29 of 400 is 7.25 % exactly, and 7.3 rounded. */
export function computedValue({ part, whole, times, digits, unit }: ComputedField, row: object): number | null {
  const { [part]: divided, [whole]: by } = row as Readonly<Record<string, unknown>>;
  if (typeof divided !== 'number' || typeof by !== 'number' || !(by > 0)) return null;
  const factor = times * 10 ** digits;
  const isExact = Number.isInteger(divided) && Number.isInteger(by) && divided >= 0;
  const units = isExact
    ? Number((BigInt(divided) * BigInt(factor) + BigInt(by) / 2n) / BigInt(by))
    : Math.round((divided / by) * factor);
  const isPart = unit === 'percent' && divided > 0 && divided < by;
  return (isPart ? Math.min(Math.max(units, 1), factor - 1) : units) / 10 ** digits;
}
