import { sha256 } from '../digest.js';
import { membershipId } from '../rules/policy.js';
import { idOfDigest } from '../store/new-row.js';
import { type Dump, dumpTables } from '../store/store.js';
import { type AnyRow, definitionOf, idColumnsOf, type Row } from '../store/tables.js';

/** The id of a row by its table and number. */
export type OpaqueIds = (table: string, number: number) => string;

/** The ids of the demo data, which are the same every time. */
export const demoId: OpaqueIds = (table, number) => idOfDigest(sha256(`${table} ${number}`));

/** A dump with integer ids for a store with opaque ones: the integers become the positions of the rows. */
export function withOpaqueIds({ tables, serials }: Dump, idOf: OpaqueIds): Dump {
  const made = new Map<string, string>();
  const idFor = (table: string, number: number): string => {
    const key = `${table} ${number}`;
    const id = made.get(key) ?? idOf(table, number);
    made.set(key, id);
    return id;
  };
  return {
    tables: dumpTables((table) => {
      const columns = idColumnsOf(table);
      const isNumbered = definitionOf(table).serial === 'id';
      return tables[table].map((row: AnyRow) => {
        const ids = columns.map(([column, of]) => [column, idFor(of, row[column] as number)] as const);
        const changed = { ...row, ...Object.fromEntries(ids), ...(isNumbered && { position: row.id }) };
        return table === 'memberships' ? renamed(row as Row<'memberships'>, changed as Row<'memberships'>) : changed;
      });
    }),
    serials,
  };
}

/** The default id of a membership contains that of the organization. */
const renamed = (before: Row<'memberships'>, after: Row<'memberships'>): Row<'memberships'> =>
  before.id === membershipId(before.organization_id, before.user_id)
    ? { ...after, id: membershipId(after.organization_id, after.user_id) }
    : after;
