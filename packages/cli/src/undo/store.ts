import type { HistoryFile } from '../history/database.js';
import { type JsonObject, objectIn, parseJson } from '../text/values.js';

/** A command that changed something, of the table `commands`. */
export interface RecordedCommand {
  readonly id: number;
  readonly host: string;
  readonly organization_id: string;
  readonly at: string;
  readonly profile: string;
  readonly line: string;
  readonly undone_at: string | null;
  /** The number of the command that it takes back. */
  readonly undoes: number | null;
  /** When an undo has left a part of it as it is. */
  readonly left_at: string | null;
  /** The process that runs it or was interrupted; null if it has ended. */
  readonly pid: number | null;
  /** How many of its requests have no answer. */
  readonly unanswered: number;
}

/** What a command did to one resource, and is not undone yet. */
export interface Effect {
  readonly organization: string;
  /** The command group: `campaigns`. */
  readonly resource: string;
  readonly id: string;
  readonly name: string | null;
  readonly at: string;
  /** The rows of the table `changes`. */
  readonly changes: readonly number[];
  /** The whole row that the command created. */
  readonly created: JsonObject | undefined;
  /** The whole row that it deleted. */
  readonly deleted: JsonObject | undefined;
  /** Values before and after, by field. */
  readonly fields: ReadonlyMap<string, { readonly before: unknown; readonly after: unknown }>;
  /** The time of the last change that a command of this machine made to it, by the service's clock; null if unknown. */
  readonly updated: string | null;
}

const stored = `select c.*, r.pid, (select count(*) from mkt_attempts a where a.command_id = c.id) as unanswered
  from commands c left join mkt_running r on r.command_id = c.id`;

export const commandsIn = (file: HistoryFile, limit: number): RecordedCommand[] =>
  file.all<RecordedCommand>(`${stored} order by c.id desc limit ?`, limit).reverse();

export const commandIn = (file: HistoryFile, id: number): RecordedCommand | undefined =>
  file.all<RecordedCommand>(`${stored} where c.id = ?`, id)[0];

/** Changes that an undo has taken back which was not undone itself, or that were gone already. */
const takenBack = `select u.change_id from mkt_undone u left join commands k on k.id = u.command_id where k.undone_at is null`;

/**
 * The last command at a service, before another one, that is not undone and is not an undo itself. If an undo has left a
 * part of a command, it comes after all others.
 */
export const lastCommand = (
  file: HistoryFile,
  host: string,
  before = Number.MAX_SAFE_INTEGER,
): RecordedCommand | undefined =>
  file.all<RecordedCommand>(
    `${stored} where c.host = ? and c.id < ? and c.undone_at is null and c.undoes is null
       order by c.left_at is not null, c.id desc limit 1`,
    host,
    before,
  )[0];

const value = (text: unknown): unknown => (typeof text === 'string' ? parseJson(text) : null);

interface OpenEffect extends Effect {
  readonly changes: number[];
  readonly fields: Map<string, { readonly before: unknown; readonly after: unknown }>;
  created: JsonObject | undefined;
  deleted: JsonObject | undefined;
}

type StoredChange = Readonly<Record<string, unknown>>;

const placeOf = ({ host, organization_id, resource }: StoredChange): unknown[] => [host, organization_id, resource];

/** The id that a resource has now: an undo may have created it again. */
function currentId(file: HistoryFile, change: StoredChange): string {
  let id = String(change.resource_id);
  for (;;) {
    const [renamed] = file.all<{ new_id: string }>(
      'select new_id from mkt_renamed where host = ? and organization_id = ? and resource = ? and old_id = ?',
      ...placeOf(change),
      id,
    );
    if (renamed === undefined) return id;
    id = renamed.new_id;
  }
}

function lastUpdate(file: HistoryFile, change: StoredChange): string | null {
  const [found] = file.all<{ stamp: string }>(
    `select stamp from changes where host = ? and organization_id = ? and resource = ? and resource_id = ?
       and stamp is not null order by rowid desc limit 1`,
    ...placeOf(change),
    change.resource_id,
  );
  return found?.stamp ?? null;
}

/** What a command has set a field to. If its undo was undone, that has set it again: a state with another time. */
function lastValue(file: HistoryFile, change: StoredChange): unknown {
  const [last] = file.all(
    `with recursive chain (id) as (select ? union
       select k.id from chain join commands k on k.undoes = chain.id)
     select after from changes where command_id in chain and resource = ? and resource_id = ? and field = ?
     order by rowid desc limit 1`,
    change.command_id,
    change.resource,
    change.resource_id,
    change.field,
  );
  return last?.after;
}

/** Remembers the new id of what the command `by` has created again. @returns it, if there is one */
export function rename(file: HistoryFile, { resource, id }: Effect, by: number): string | undefined {
  const [created] = file.all<StoredChange>(
    `select * from changes where command_id = ? and resource = ? and kind = 'created' order by rowid desc limit 1`,
    by,
    resource,
  );
  if (created === undefined || created.resource_id === id) return undefined;
  file.write((database) => {
    database
      .prepare(
        'insert or replace into mkt_renamed (host, organization_id, resource, old_id, new_id) values (?, ?, ?, ?, ?)',
      )
      .all([...placeOf(created), id, created.resource_id]);
  });
  return String(created.resource_id);
}

/** What a command did, by resource, in the order in which it did it. */
export function effectsOf(file: HistoryFile, command: number): Effect[] {
  const effects = new Map<string, OpenEffect>();
  const changes = file.all(
    `select c.rowid as change_id, c.* from changes c
     where c.command_id = ? and c.rowid not in (${takenBack}) order by c.rowid`,
    command,
  );
  for (const change of changes) {
    const { organization_id: organization, resource, name, at, kind, field } = change;
    const id = currentId(file, change);
    const key = JSON.stringify([organization, resource, id]);
    const effect: OpenEffect = effects.get(key) ?? {
      organization: String(organization),
      resource: String(resource),
      id,
      name: typeof name === 'string' ? name : null,
      at: String(at),
      changes: [],
      created: undefined,
      deleted: undefined,
      fields: new Map(),
      updated: lastUpdate(file, change),
    };
    effects.set(key, effect);
    effect.changes.push(Number(change.change_id));
    if (kind === 'created') effect.created = objectIn(change.after);
    if (kind === 'deleted') effect.deleted = objectIn(change.before);
    if (typeof field !== 'string') continue;
    // The same field may change twice, as when a campaign is paused and resumed.
    const earlier = effect.fields.get(field);
    effect.fields.set(field, {
      before: earlier === undefined ? value(change.before) : earlier.before,
      after: value(lastValue(file, change)),
    });
  }
  return [...effects.values()];
}

/** Notes that an effect was undone by another command; undefined if there was nothing left to send. */
export function markUndone(file: HistoryFile, { changes }: Effect, by: number | undefined): void {
  file.write((database) => {
    const mark = database.prepare('insert or replace into mkt_undone (change_id, command_id) values (?, ?)');
    for (const change of changes) mark.all([change, by ?? null]);
  });
}

/** The command is undone if nothing of it is left. What it had taken back as an undo is in force again, and so on. */
export function finish(file: HistoryFile, command: number, at: string): void {
  file.write((database) => {
    const update = database.prepare(
      `update commands set left_at = null, undone_at = case when exists
         (select 1 from changes c where c.command_id = commands.id and c.rowid not in (${takenBack}))
         then null else coalesce(undone_at, ?) end
       where id = ? returning undoes`,
    );
    for (let id: unknown = command; id != null; id = update.all([at, id])[0]?.undoes);
  });
}

/** Notes that an undo has left a part of a command as it is: `mkt undo` takes the others first. */
export function leave(file: HistoryFile, command: number, at: string): void {
  file.write((database) => database.prepare('update commands set left_at = ? where id = ?').all([at, command]));
}
