import { inPieces, shortPauses } from '../pieces.js';
import { idFrom } from '../rules/policy.js';
import { type Reader, StoreUnavailable, type Writer } from '../store/store.js';
import type { Id, SelectableTable, TableName } from '../store/tables.js';
import type { Parameters } from './authorizer.js';
import type { Exchange } from './exchange.js';
import { type Change, firstPage, noInput, unlessGone, type Write } from './pipeline.js';

/** Few, because the pause after a turn grows with the square of its time. */
const checkedAtOnce = 25;
/** Items whose versions are read, or that are written, at once: a brief may have 64 KiB, and a row in memory moves others. */
const perStatement = 100;
/** How often items are checked that change again before they are written. */
const maxChecks = 5;

/** Items of one table that an endpoint changes, all of them or none. */
interface ManyItems {
  readonly table: SelectableTable;
  /** At least one. */
  readonly ids: readonly string[];
}

/**
 * Changes many items in one transaction: all of them, or none and it throws the first error.
 * All checks are made before the transaction, for which others may wait. Inside, only the rights and the versions of the rows
 * are read again. What has changed is checked again, outside.
 */
export async function changeAll(
  { steps, admittedCaller, transact }: Write,
  exchange: Exchange,
  { table, ids }: ManyItems,
): Promise<void> {
  const { rule, services, authorized, contextOf, digestIn, checkConditions } = steps;
  const { audit, store, sha256, now } = services;
  type RowId = Id<SelectableTable>;
  const rowId = (id: string) => idFrom(id, store) as RowId;
  const parametersOf = (id: string): Parameters => ({ ...exchange.parameters, id });
  const first = parametersOf(ids[0] ?? '');
  const caller = await admittedCaller(exchange, first);
  const time = now();
  const checked = new Map<string, { version: string; writes: readonly PlannedWrite[]; before: string | null }>();
  const versionsOf = async (reader: Reader, piece: readonly string[]) => {
    const versions = await reader.versions(table, piece.map(rowId));
    return (id: string) => sha256(versions.get(rowId(id)) ?? '');
  };
  const check = async (piece: readonly string[]) => {
    const { versionOf, found } = await store.read(async (reader) => ({
      // Before the rows, so that what changes meanwhile is noticed.
      versionOf: await versionsOf(reader, piece),
      found: await Promise.all(
        piece.map(async (id) => ({ id, access: await authorized(reader, caller, parametersOf(id)) })),
      ),
    }));
    // Not while it reads, for which others wait in memory.
    await exchange.turn();
    const checkOne = async (reader: Reader, { id, access }: (typeof found)[number]) => {
      await checkConditions(exchange, reader, caller, access);
      const writes: PlannedWrite[] = [];
      await rule(contextOf(planning(reader, writes), caller, access, firstPage, time), noInput);
      const before = audit ? await digestIn(exchange, reader, caller, access) : null;
      checked.set(id, { version: versionOf(id), writes, before });
    };
    await store.read((reader) => Promise.all(found.map((each) => checkOne(reader, each))));
  };
  const write = async (writer: Writer): Promise<readonly Change[]> => {
    const pauseShortly = shortPauses();
    await authorized(writer, caller, first);
    const changedIn = async (piece: readonly string[]) => {
      const versionOf = await versionsOf(writer, piece);
      return piece.filter((id) => checked.get(id)?.version !== versionOf(id));
    };
    const outdated = (await inPieces(ids, changedIn, perStatement, pauseShortly)).flat();
    if (outdated.length > 0) throw new ChangedMeanwhile(outdated);
    const times = new Map([[time, now()]]);
    for (const group of grouped(ids.flatMap((id) => checked.get(id)?.writes ?? [])))
      await inPieces(group.ids, (piece) => writeGroup(writer, group, piece, times), perStatement, pauseShortly);
    if (!audit) return [];
    const changesOf = async (piece: readonly string[]): Promise<Change[]> => {
      const found = await Promise.all(piece.map((id) => unlessGone(authorized(writer, caller, parametersOf(id)))));
      await exchange.turn(true);
      const digests = await Promise.all(found.map((access) => digestIn(exchange, writer, caller, access)));
      return piece.map((id, place) => ({
        outcome: { kind: 'done' },
        parameters: parametersOf(id),
        row: {},
        before: checked.get(id)?.before ?? null,
        after: digests[place] ?? null,
      }));
    };
    return (await inPieces(ids, changesOf, perStatement, pauseShortly)).flat();
  };
  let unchecked = ids;
  for (let checks = 0; checks < maxChecks; checks += 1) {
    await inPieces(unchecked, check, checkedAtOnce);
    try {
      await transact(exchange, caller, first, write);
      return;
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      unchecked = error.ids;
    }
  }
  throw new StoreUnavailable('Too many writers changed the same rows at once.');
}

/** Some of the items have changed since they were checked. */
class ChangedMeanwhile extends Error {
  constructor(readonly ids: readonly string[]) {
    super('Items have changed since they were checked.');
  }
}

/** What a rule would change in one row; null deletes it. */
interface PlannedWrite {
  readonly table: TableName;
  readonly id: string | number;
  readonly changes: object | null;
  /** The same for the same changes in the same table. */
  readonly key: string;
}

/** For rules that only update and delete, and use no result of it: their writes are added to `planned`. */
const planning = (reader: Reader, planned: PlannedWrite[]): Writer =>
  new Proxy(reader as Writer, {
    get(_, name) {
      if (name === 'update' || name === 'delete')
        return async (table: TableName, id: string | number, changes: object | null = null) => {
          planned.push({ table, id, changes, key: JSON.stringify([table, changes]) });
        };
      const member: unknown = Reflect.get(reader, name);
      return typeof member === 'function' ? member.bind(reader) : member;
    },
  });

/** The same changes of several rows. Those that came first are first. */
interface WriteGroup extends Pick<PlannedWrite, 'table' | 'changes'> {
  readonly ids: (string | number)[];
}

function grouped(writes: readonly PlannedWrite[]): readonly WriteGroup[] {
  const groups = new Map<string, WriteGroup>();
  for (const { table, id, changes, key } of writes) {
    const group = groups.get(key) ?? { table, changes, ids: [] };
    groups.set(key, group);
    group.ids.push(id);
  }
  return [...groups.values()];
}

/** @param values stand for others, such as the time of the plan for that of the write */
async function writeGroup(
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
