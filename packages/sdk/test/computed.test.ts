import { campaign, collab, socialAccount } from '@mkt/sdk/contract';
import { computedFields, computedFieldsOf, computedValue } from '@mkt/sdk/contract/resources';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const { used_percent, effective_cpm } = computedFields.campaigns;
const usedPercent = (used_amount: unknown, total_budget_amount: unknown) =>
  computedValue(used_percent, { used_amount, total_budget_amount });

describe('used_percent', () => {
  test.each([
    [29, 400, 7.3],
    [1, 2000, 0.1],
    [1, 2001, 0.1],
    [1, 1_000_000, 0.1],
    [799, 1000, 79.9],
    [1599, 2000, 80],
    [4000, 5000, 80],
    [79_949, 100_000, 79.9],
    [79_950, 100_000, 80],
    [9994, 10_000, 99.9],
    [9996, 10_000, 99.9],
    [5000, 5000, 100],
    [5001, 5000, 100],
    [7500, 5000, 150],
    [0, 5000, 0],
  ])('of %i in %i is %d', (used, budget, percent) => {
    expect(usedPercent(used, budget)).toBe(percent);
  });

  test('is exact for the largest amounts', () => {
    const most = Number.MAX_SAFE_INTEGER;
    expect(usedPercent(most, most)).toBe(100);
    expect(usedPercent(most - 1, most)).toBe(99.9);
    expect(usedPercent(1, most)).toBe(0.1);
    expect(usedPercent(most, 1)).toBe(most * 100);
    // A little less than half of the last digit, which floating point rounds to 100.
    expect(usedPercent(9_002_695_654_626_871, 9_007_199_254_253_998)).toBe(99.9);
  });

  test.each([
    [10, 0],
    [10, null],
    [null, 10],
    [10, undefined],
    ['10', 20],
    [10, -5],
    [10, Number.NaN],
  ])('of %s in %s is null', (used, budget) => {
    expect(usedPercent(used, budget)).toBeNull();
  });

  test('is also computed for a service whose amounts have decimals or are negative', () => {
    expect(usedPercent(12.5, 50)).toBe(25);
    expect(usedPercent(-10, 40)).toBe(-25);
    expect([usedPercent(0.01, 50), usedPercent(49.99, 50)]).toEqual([0.1, 99.9]);
  });
});

test('effective_cpm has two decimals', () => {
  const cpm = (used_amount: number, view_count: number) => computedValue(effective_cpm, { used_amount, view_count });
  expect([cpm(1, 3), cpm(2, 3), cpm(1005, 1_000_000), cpm(500, 0)]).toEqual([333.33, 666.67, 1.01, null]);
});

test('every computed number is the nearest one, the larger of two, and no part is 0 or 100 % (D298)', () => {
  const amount = fc.oneof(fc.nat(5000), fc.maxSafeNat());
  fc.assert(
    fc.property(amount, amount, (divided, by) => {
      for (const field of Object.values(computedFields.campaigns)) {
        const value = computedValue(field, { [field.part]: divided, [field.whole]: by });
        if (by === 0) {
          expect(value).toBeNull();
          continue;
        }
        // The whole number of units with units - 1/2 <= exact < units + 1/2, of all sizes.
        const exact = 2n * BigInt(divided) * BigInt(field.times * 10 ** field.digits);
        const units = Number((exact + BigInt(by)) / (2n * BigInt(by)));
        const isPart = field.unit === 'percent' && divided > 0 && divided < by;
        const shown = isPart ? Math.min(Math.max(units, 1), field.times * 10 ** field.digits - 1) : units;
        expect(value).toBe(shown / 10 ** field.digits);
      }
    }),
  );
});

test('no computed field has the name of a field of its resource', () => {
  const schemas: Readonly<Record<string, { readonly shape: object }>> = {
    campaigns: campaign,
    collabs: collab,
    socialAccounts: socialAccount,
  };
  for (const [resource, fields] of Object.entries(computedFields))
    expect(Object.keys(fields).filter((name) => name in (schemas[resource]?.shape ?? {}))).toEqual([]);
  expect(computedFieldsOf('members')).toEqual({});
  expect(computedFieldsOf('toString')).toEqual({});
});
