import type { Key } from '../store/store.js';
import type { ListIndexName, ListRow, TableName } from '../store/tables.js';
import type { Context, Listing } from './context.js';

/** The asked page of an index. Past the end, however far, it is empty and the total still true (D3). */
export async function listing<T extends TableName>(
  { store, page }: Pick<Context, 'store' | 'page'>,
  table: T,
  index: ListIndexName<T>,
  key: Key,
): Promise<Listing<ListRow<T>>> {
  const total = await store.count(table, index, key);
  const offset = (Number(page.number) - 1) * page.size;
  const items = offset < total ? await store.page(table, index, key, { offset, limit: page.size }) : [];
  return { items, total };
}
