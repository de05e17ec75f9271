import { type ComputedField, computedFields, computedValue } from '@mkt/sdk/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { definitionOf, type Row } from '../src/store/tables.js';
import { everyStore } from './support/every-store.js';
import { campaignRow } from './support/rows.js';

const fields: Readonly<Record<string, ComputedField>> = computedFields.campaigns;
const stored = Object.keys(definitionOf('campaigns').computed ?? {});
/** As stores sort it: -1 is before all numbers. */
const numberOf = (name: string, row: object): number => computedValue(fields[name] as ComputedField, row) ?? -1;

const amount = fc.oneof(fc.nat(300), fc.nat(2_000_000), fc.maxSafeNat());
const numbers = fc
  .record({ used_amount: amount, total_budget_amount: amount, view_count: amount })
  // SQLite has no integers of more than 64 bits, so it rounds costs above these.
  .filter(({ used_amount: used, view_count: views }) => views === 0 || (used / views) * 100_000 < 2 ** 63);
/** Where shares of 0, 80 and 100 % begin and end, and where binary fractions are on the wrong side of a half. */
const edges = [
  [29, 400, 3],
  [79_949, 100_000, 7],
  [79_950, 100_000, 7],
  [9_002_695_654_626_871, 9_007_199_254_253_998, 9_007_199_254_740_991],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1_000_000],
  [Number.MAX_SAFE_INTEGER, 1, 99_999_999],
  [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, 7],
  [1, Number.MAX_SAFE_INTEGER, 7],
  [9996, 10_000, 7],
  [4, 10_000, 7],
  [7, 0, 0],
  [0, 7, 7],
].map(([used_amount = 0, total_budget_amount = 0, view_count = 0]) => ({
  used_amount,
  total_budget_amount,
  view_count,
}));

everyStore(({ kind, read, write }) => {
  test('finds and sorts campaigns by the numbers of the contract', async () => {
    const sample = [...edges, ...fc.sample(numbers, { numRuns: 300, seed: 51 })];
    const rows = await write(async (writer) => {
      const inserted: Row<'campaigns'>[] = [];
      for (const row of sample) inserted.push(await writer.insert('campaigns', campaignRow(row)));
      return inserted;
    });
    const everything = { offset: 0, limit: rows.length };
    for (const column of stored) {
      const idsOf = (wanted: readonly { readonly id: number | string }[]) => wanted.map(({ id }) => id);
      const sorted = rows.toSorted((one, other) => numberOf(column, one) - numberOf(column, other));
      const order = definitionOf('campaigns').computed?.[column]?.order;
      const found = await read((reader) => reader.select('campaigns', 1, { where: [], order }, everything));
      expect([kind, column, idsOf(found.rows)]).toEqual([kind, column, idsOf(sorted)]);
      const numbers = [...edges, ...sample].slice(0, 60).map((row) => numberOf(column, row));
      for (const value of [80, 100, ...numbers])
        for (const [is, isMeant] of [
          ['=', (number: number) => number === value],
          ['>=', (number: number) => number >= value],
        ] as const) {
          const having = [{ column, is, value }];
          const scan = { limit: rows.length, text: 'summer', having };
          const some = await read((reader) => reader.scan('campaigns', 'byOrganization', [1], scan));
          const wanted = rows.filter((row) => isMeant(numberOf(column, row)));
          expect([kind, having, idsOf(some)]).toEqual([kind, having, idsOf(wanted)]);
        }
    }
  });
});
