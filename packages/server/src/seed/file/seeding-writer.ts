import type { Writer } from '../../store/store.js';
import type { Row, TableName } from '../../store/tables.js';

/** Columns by table that stand above what a rule writes. */
export type Given = { readonly [T in TableName]?: Partial<Row<T>> };

/** A transaction in which the API's own rules make rows that the API alone could not: with given ids, states, counts. */
export const seedingWriter = (store: Writer, given: Given): Writer => ({
  insert: (table, row) => store.insert(table, { ...row, ...given[table] }),
  update: (table, id, changes) => store.update(table, id, changes),
  delete: (table, id) => store.delete(table, id),
  deleteOrganization: (id) => store.deleteOrganization(id),
  lock: (table, id) => store.lock(table, id),
  get: (table, id) => store.get(table, id),
  getMany: (table, ids) => store.getMany(table, ids),
  find: (table, index, key) => store.find(table, index, key),
  page: (table, index, key, slice) => store.page(table, index, key, slice),
  count: (table, index, key) => store.count(table, index, key),
});
