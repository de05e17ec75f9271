import type { Reader, Writer } from '../store/store.js';
import type { TableName } from '../store/tables.js';

/** What a rule would change in one row; null deletes it. */
export interface PlannedWrite {
  readonly table: TableName;
  readonly id: string | number;
  readonly changes: object | null;
}

/** For rules that only update and delete, and use no result of it: their writes are added to `planned`. */
export const planning = (reader: Reader, planned: PlannedWrite[]): Writer =>
  new Proxy(reader as Writer, {
    get(_, name) {
      if (name === 'update' || name === 'delete')
        return async (table: TableName, id: string | number, changes: object | null = null) => {
          planned.push({ table, id, changes });
        };
      const member: unknown = Reflect.get(reader, name);
      return typeof member === 'function' ? member.bind(reader) : member;
    },
  });

/** The same changes of several rows. Those that came first are first. */
interface WriteGroup extends Omit<PlannedWrite, 'id'> {
  readonly ids: (string | number)[];
}

export function grouped(writes: readonly PlannedWrite[]): readonly WriteGroup[] {
  const groups = new Map<string, WriteGroup>();
  for (const { table, id, changes } of writes) {
    const key = JSON.stringify([table, changes]);
    const group = groups.get(key) ?? { table, changes, ids: [] };
    groups.set(key, group);
    group.ids.push(id);
  }
  return [...groups.values()];
}

/** @param values stand for others, such as the time of the plan for that of the write */
export async function writeGroup(
  writer: Writer,
  { table, changes }: WriteGroup,
  ids: readonly (string | number)[],
  values: ReadonlyMap<unknown, unknown>,
): Promise<void> {
  // The types of ids and columns depend on the table.
  const some = ids as never[];
  if (changes === null) return void (await writer.deleteMany(table, some));
  const current = Object.entries(changes).map(([column, value]) => [column, values.get(value) ?? value]);
  await writer.updateMany(table, some, Object.fromEntries(current));
}
