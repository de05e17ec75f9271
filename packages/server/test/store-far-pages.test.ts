import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { postgresStore } from '../src/store/sql/postgres.js';
import { blockBits } from '../src/store/sql/schema.js';
import { statementsOf } from '../src/store/sql/statements.js';
import type { Dump, Reader, Store } from '../src/store/store.js';
import type { Condition } from '../src/store/table-definition.js';
import type { AnyRow, IdFormat } from '../src/store/tables.js';
import { nothing } from './support/every-store.js';
import { sampleOf } from './support/long.js';
import { createDatabase, createLimitedDatabase, type TestDatabase } from './support/postgres.js';
import { campaignRow, collabRow, organizationRow } from './support/rows.js';
import { copyStore, openTestStore } from './support/stores.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const blockSize = 2 ** blockBits;
const [draft, shown, ended] = ['draft', 'shown', 'ended'] as const;
const states = [draft, shown, ended];

/** A row as the tests remember it. */
interface Kept {
  id: number | string;
  number: number;
  organization: number;
  state: string;
}

/** The lists of an organization that can have far pages. */
const lists = {
  campaigns: { state: 'status', byState: 'byOrganizationAndStatus', row: campaignRow },
  collabs: { state: 'state', byState: 'byOrganizationAndState', row: collabRow },
} as const;
type Listed = keyof typeof lists;

const change = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'state', 'move'),
  at: fc.nat(),
  organization: fc.constantFrom(1, 1, 1, 2),
  state: fc.constantFrom(...states),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

/** A table and what it should have: few rows in each of many blocks. */
class Model {
  readonly rows: Kept[];

  constructor(
    readonly table: Listed,
    readonly ids: IdFormat,
  ) {
    this.rows = Array.from({ length: 3600 }, (_, n) => {
      const number = 1 + Math.floor(n / 400) * blockSize * (n > 2000 ? 3 : 1) + (n % 400);
      const state = states[(n * 7 + Math.floor(n / 5)) % 3] ?? draft;
      return { id: this.ids === 'integer' ? number : `k${number}`, number, organization: n % 10 === 0 ? 2 : 1, state };
    });
  }

  idOf = (organization: number) => (this.ids === 'integer' ? organization : `o${organization}`) as number;

  #full({ organization, state }: Omit<Kept, 'id' | 'number'>) {
    const { state: column, row } = lists[this.table];
    return { ...row(), organization_id: this.idOf(organization), [column]: state };
  }

  dump(): Dump {
    const numbered = (id: number | string, number: number) =>
      this.ids === 'integer' ? { id } : { id, position: number };
    const organizations = [1, 2].map((n) => ({ ...organizationRow(), ...numbered(this.idOf(n), n) }));
    const rows = this.rows.map((kept) => ({ ...this.#full(kept), ...numbered(kept.id, kept.number) }));
    return { ...nothing, tables: { ...nothing.tables, organizations, [this.table]: rows } as Dump['tables'] };
  }

  /** Makes the changes, `size` in each transaction. */
  async apply(store: Store, changes: readonly Change[], size = 20): Promise<void> {
    const { state: column } = lists[this.table];
    for (let start = 0; start < changes.length; start += size)
      await store.transact(async (writer) => {
        for (const { kind, at, organization, state } of changes.slice(start, start + size)) {
          const place = at % this.rows.length;
          const kept = this.rows[place];
          if (!kept) continue;
          if (kind === 'insert') {
            const row = (await writer.insert(this.table, this.#full({ organization, state }) as never)) as AnyRow;
            this.rows.push({ id: row.id, number: Number(row.position ?? row.id), organization, state });
          } else if (kind === 'delete') {
            await writer.delete(this.table, kept.id as never);
            this.rows.splice(place, 1);
          } else {
            const changed = kind === 'state' ? { state } : { organization };
            Object.assign(kept, changed);
            const values = 'state' in changed ? { [column]: state } : { organization_id: this.idOf(organization) };
            await writer.update(this.table, kept.id as never, values as never);
          }
        }
      });
  }

  /** Compares pages of every list with slices of what it should have. */
  async check(store: Store): Promise<void> {
    const { state: column, byState, row } = lists[this.table];
    const cases: { index: string; key: string[]; where: Condition[] }[] = [
      { index: 'byOrganization', key: [], where: [] },
      { index: 'byOrganizationWithoutDrafts', key: [], where: [{ column, is: '<>', value: draft }] },
      ...states.map((state) => ({ index: byState, key: [state], where: [{ column, is: '=' as const, value: state }] })),
    ];
    const ids = (rows: readonly { readonly id: number | string }[]) => rows.map(({ id }) => id);
    for (const organization of [1, 2])
      for (const { index, key, where } of cases) {
        const all = this.rows
          .filter((row) => row.organization === organization)
          .filter(({ state }) => (key[0] === undefined ? where.length === 0 || state !== draft : state === key[0]));
        // Changes of the organization keep the number.
        const expected = all.toSorted((one, other) => one.number - other.number);
        const newest = expected.toReversed();
        const last = expected.length;
        for (const offset of [1001, 1020, 1381, 1400, 1777, 2100, last - 20, last - 1, last, last + 1, 1e9]) {
          if (offset < 0) continue;
          const slice = { offset, limit: 20 };
          const [id, list] = [this.idOf(organization), index as 'byOrganization'];
          const found = await store.read(async (reader: Reader) => [
            await reader.page(this.table, list, [id, ...key], slice),
            (await reader.select(this.table, id, { where }, slice)).rows,
            (await reader.select(this.table, id, { where, descending: true }, slice)).rows,
          ]);
          const end = offset + 20;
          expect([organization, index, ...key, offset, ...found.map(ids)]).toEqual([
            organization,
            index,
            ...key,
            offset,
            ids(expected.slice(offset, end)),
            ids(expected.slice(offset, end)),
            ids(newest.slice(offset, end)),
          ]);
        }
        // What a search finds, when all of it meets the conditions.
        for (const newestFirst of [false, true]) {
          const found = newestFirst ? newest : expected;
          const after = found[777]?.number;
          const having = [{ column: 'currency', is: '=', value: 'usd' }] as const;
          const scan = { limit: 500, text: row().name, newestFirst, having };
          const [id, list] = [this.idOf(organization), index as 'byOrganization'];
          const scans = await store.read(async (reader: Reader) => [
            await reader.scan(this.table, list, [id, ...key], scan),
            await reader.scan(this.table, list, [id, ...key], { ...scan, after }),
          ]);
          const start = after === undefined ? 0 : 778;
          expect([organization, index, ...key, newestFirst, ...scans.map(ids)]).toEqual([
            organization,
            index,
            ...key,
            newestFirst,
            ids(found.slice(0, 500)),
            ids(found.slice(start, start + 500)),
          ]);
        }
      }
  }
}

describe.each(['sqlite', 'postgres'] as const)('far pages of the %s store', (kind) => {
  const cases = [
    ['campaigns', 'integer'],
    ['collabs', 'opaque'],
    ['campaigns', 'opaque'],
    ['collabs', 'integer'],
  ] as const;
  test.each(sampleOf(cases, 2))(
    '%s, %s ids: every page of every list is right, whatever was changed',
    async (table, ids) => {
      const [opened, copy] = [await openTestStore(kind, ids), await openTestStore(kind, ids)];
      try {
        const model = new Model(table, ids);
        await opened.store.load(model.dump());
        await model.check(opened.store);
        await model.apply(opened.store, fc.sample(change, { numRuns: 400, seed: 44 }));
        await model.check(opened.store);
        await copyStore(opened.store, copy.store);
        await model.check(copy.store);
        await opened.store.load(await copy.store.dump());
        await model.check(opened.store);
      } finally {
        await opened.dispose();
        await copy.dispose();
      }
    },
  );
});

/** The blocks of a table as they should be, and as they are. */
const blocksOf = async (database: TestDatabase, table: Listed) => {
  const { state } = lists[table];
  const values = `organization_id, block, ${state}, total`;
  const order = 'order by organization_id, block, 3';
  return {
    counted: await database.query(
      `select ${values} from (select organization_id, id >> ${blockBits} as block, ${state}, count(*) as total from ${table} group by 1, 2, 3) as rows ${order}`,
    ),
    stored: await database.query(`select ${values} from ${table}_blocks where total <> 0 ${order}`),
  };
};

test.each(['campaigns', 'collabs'] as const)(
  'PostgreSQL: counts of blocks of %s are right after many writers at once, other programs included',
  async (table) => {
    const database = await createDatabase();
    const stores = await Promise.all([postgresStore(database.url), postgresStore(database.url)]);
    try {
      const model = new Model(table, 'integer');
      await stores[0]?.load(model.dump());
      const { state } = lists[table];
      const columns = Object.keys(model.dump().tables[table][0] ?? {}).filter((column) => column !== 'id');
      const names = [...columns, 'searched_text'].join(', ');
      const inBlock = `(id - 1) % ${blockSize}`;
      const programs = [
        // Rows of several organizations, blocks and states in one statement.
        `insert into ${table} (${names}) select ${names} from ${table} where id % 50 = 7`,
        `update ${table} set ${state} = case ${state} when 'shown' then 'ended' else 'shown' end where id % 60 = 11`,
        `update ${table} set organization_id = 3 - organization_id, id = id + ${200 * blockSize} where ${inBlock} = 17`,
        `delete from ${table} where ${inBlock} % 70 = 14`,
      ];
      const changes = fc.sample(change, { numRuns: 240, seed: 45 }).filter(({ kind }) => kind !== 'delete');
      await Promise.all([
        ...Array.from({ length: 12 }, (_, part) => {
          // Rows that no program removes.
          const rows = model.rows.filter(({ number }) => ((number - 1) % blockSize) % 5 === 3 && number % 12 === part);
          const own = Object.assign(new Model(table, 'integer'), { rows });
          const some = changes.filter((__, at) => at % 12 === part);
          return own.apply(stores[part % 2] as Store, some, 1);
        }),
        ...programs.map((text) => database.query(text)),
      ]);
      const { counted, stored } = await blocksOf(database, table);
      expect(stored).toEqual(counted);
      expect(counted.length).toBeGreaterThan(40);
      // Statements lock counts in one order, so that none of them waits for another one in a circle.
      expect(await database.query('select deadlocks from pg_stat_database where datname = current_database()')).toEqual(
        [{ deadlocks: '0' }],
      );
    } finally {
      for (const store of stores) await store.close();
      await database.drop();
    }
  },
);

/** The rows that scans of the table have read, each as often as it was read. */
const readBy = (plan: Record<string, unknown>): number =>
  (plan['Relation Name'] === 'campaigns'
    ? Number(plan['Actual Loops']) * (Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0))
    : 0) + ((plan.Plans ?? []) as Record<string, unknown>[]).reduce((sum, each) => sum + readBy(each), 0);

test.each([
  ['integer', 'with pg_trgm', createDatabase],
  ['opaque', 'with pg_trgm', createDatabase],
  ['integer', 'without it', createLimitedDatabase],
] as const)(
  'PostgreSQL reads one block for a far page, with any plan, and for a search with conditions: %s, %s',
  async (ids, _, create) => {
    const database = await create();
    const client = new pg.Client(database.url);
    try {
      const model = new Model('campaigns', ids);
      const store = await postgresStore(database.url, { ids });
      await store.load(model.dump());
      await store.close();
      await client.connect();
      await client.query('vacuum analyze');
      /** What each of these scans looks for in its index. */
      const soughtBy = (plan: Record<string, unknown>): string[] => [
        ...(plan['Relation Name'] === 'campaigns' ? [String(plan['Index Cond'])] : []),
        ...((plan.Plans ?? []) as Record<string, unknown>[]).flatMap(soughtBy),
      ];
      const statements = statementsOf('postgres', ids).campaigns;
      const organization = model.idOf(1);
      for (const mode of ['force_custom_plan', 'force_generic_plan'])
        for (const [name, key] of [
          ['byOrganization', [organization]],
          ['byOrganizationWithoutDrafts', [organization]],
          ['byOrganizationAndStatus', [organization, 'shown']],
        ] as const)
          for (const { text } of Object.values(statements.index(name).far ?? {})) {
            const values = [...key, 1050, 1050, ...key, 20, 1050];
            const given = values.map((value) => (typeof value === 'number' ? value : `'${value}'`));
            await client.query(`set plan_cache_mode = ${mode}; deallocate all; prepare far as ${text}`);
            const { rows } = await client.query(`explain (analyze, format json) execute far(${given.join(', ')})`);
            const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
            // A block has 360 rows of this organization; the 20 of the page are read twice.
            expect([mode, text, readBy(plan)]).toEqual([mode, text, expect.toSatisfy((read: number) => read <= 420)]);
            // Before version 18, PostgreSQL reads the whole table for positions without their organization.
            if (ids === 'opaque')
              for (const sought of soughtBy(plan))
                expect([text, sought]).toEqual([text, expect.stringMatching('organization_id')]);
          }
      for (const newestFirst of [false, true])
        for (const [owner, currency, most] of [
          [organization, 'usd', 420],
          // No row meets the condition: those of all nine blocks are read, but none of another organization.
          [model.idOf(2), 'eur', 360],
        ] as const) {
          const having = [{ column: 'currency', is: '=', value: currency }] as const;
          const after = newestFirst ? Number.MAX_SAFE_INTEGER : 0;
          const scan = { limit: 20, after, newestFirst, text: 'summer', having, offset: 0 };
          const { statement, values } = statements.index('byOrganization').scan([owner], scan);
          const { rows } = await client.query(`explain (analyze, format json) ${statement.text}`, [...values]);
          const read = readBy(rows[0]['QUERY PLAN'][0].Plan);
          expect([statement.text, read]).toEqual([statement.text, expect.toSatisfy((count: number) => count <= most)]);
        }
    } finally {
      await client.end();
      await database.drop();
    }
  },
);
