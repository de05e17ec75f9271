import type { SqliteDatabase } from '@mkt/server/sqlite';
import { isSameJson, type JsonObject, objectIn } from '../text/values.js';
import { isDraft, mayBecomeDraft } from './targets.js';

/** One list of one service. */
export interface Scope {
  /** With its port, and the path of the base URL if it has one. */
  readonly host: string;
  /** Empty for what belongs to the user. */
  readonly organization: string;
  /** The group of commands: `campaigns`. */
  readonly resource: string;
}

/** A whole list as it was read. */
export interface Reading {
  readonly scope: Scope;
  /** Rows as JSON, by id. */
  readonly rows: ReadonlyMap<string, string>;
  readonly drafts: number;
  /** By the clock of this machine, in which what it saw is ordered: before the first page was requested, and at the end. */
  readonly since: string;
  readonly seen: string;
  /** By the clock of the service. */
  readonly at: string;
}

/** What a command changed in one resource. */
export interface Write {
  readonly scope: Scope;
  readonly id: string;
  /** Undefined for one that was created, and where it could not be read. */
  readonly before: JsonObject | undefined;
  /** Undefined for one that was deleted. */
  readonly after: JsonObject | undefined;
  readonly kind: 'created' | 'changed' | 'deleted';
  /** Whether it changed this field itself; by default all. What else differs was changed elsewhere meanwhile. */
  readonly isOwn?: ((field: string) => boolean) | undefined;
  /** By the clock of this machine. */
  readonly seen: string;
  /** By the clock of the service. */
  readonly at: string;
}

/** A command line that changed something. */
export interface CommandLine {
  readonly at: string;
  readonly profile: string;
  readonly line: string;
  /** The number of the command that it takes back. */
  readonly undoes?: number | undefined;
}

/** A change as it was recorded, for those who report it at once. */
export interface Change {
  readonly resource: string;
  readonly resource_id: string;
  readonly name: string | null;
  readonly at: string;
  readonly kind: Write['kind'];
  readonly field: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** The time of the latest change is recorded only if it is all that a list shows of one, such as of a brief. */
const updated = 'updated_at';

/** For how long a command may run after it changed something, until it records it, in milliseconds. */
const late = 60_000;

/** The fields of `after` that differ. One that was never read before has no value to differ from. */
function fieldsThatDiffer(before: JsonObject, after: JsonObject): string[] {
  const fields = Object.keys(after).filter((field) => field in before && !isSameJson(before[field], after[field]));
  const others = fields.filter((field) => field !== updated);
  return others.length > 0 ? others : fields;
}

const rowOf = (text: unknown): JsonObject => objectIn(text) ?? {};

const nameOf = ({ name }: JsonObject): string | null => (typeof name === 'string' ? name : null);

/** Writes readings and commands inside a transaction of the caller. */
export class Recorder {
  readonly #state;
  readonly #states;
  readonly #store;
  readonly #change;
  readonly #found;
  readonly #claim;

  constructor(readonly database: SqliteDatabase) {
    const list = 'host = ? and organization_id = ? and resource = ?';
    this.#state = database.prepare(`select row, at, gone from mkt_rows where ${list} and resource_id = ?`);
    this.#states = database.prepare(`select resource_id, row, at, gone from mkt_rows where ${list}`);
    this.#store = database.prepare(
      'insert into mkt_rows (host, organization_id, resource, resource_id, row, at, gone) values (?, ?, ?, ?, ?, ?, ?) ' +
        'on conflict do update set row = excluded.row, at = excluded.at, gone = excluded.gone',
    );
    this.#change = database.prepare(
      'insert into changes (host, organization_id, resource, resource_id, name, at, kind, field, before, after, command_id, stamp) ' +
        'values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#found = database.prepare(
      `select id from
         (select rowid as id, * from changes where ${list} and resource_id = ? and at >= ? and field is ? order by rowid desc limit 1)
         where kind = ? and (kind != 'changed' or (before is ? and after is ?)) and command_id is null`,
    );
    this.#claim = database.prepare(
      'update changes set before = ?, after = ?, command_id = ?, stamp = ? where rowid = ?',
    );
  }

  #add(
    { host, organization, resource }: Scope,
    change: Omit<Change, 'resource'>,
    command: number | null,
    stamp: unknown = null,
  ): Change {
    const { resource_id, name, at, kind, field, before, after } = change;
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
    const [was, is] = [json(before), json(after)];
    if (command !== null) {
      const since = new Date(Date.parse(at) - late).toISOString();
      const row = [host, organization, resource, resource_id, since, field, kind];
      const [found] = this.#found.all([...row, kind === 'changed' ? was : null, kind === 'changed' ? is : null]);
      if (found !== undefined) {
        this.#claim.all([was, is, command, stamp, found.id]);
        return { resource, ...change };
      }
    }
    this.#change.all([host, organization, resource, resource_id, name, at, kind, field, was, is, command, stamp]);
    return { resource, ...change };
  }

  #fields(
    scope: Scope,
    id: string,
    before: JsonObject,
    after: JsonObject,
    at: string,
    command: number | null,
    fields = fieldsThatDiffer(before, after),
  ): Change[] {
    return fields.map((field) =>
      this.#add(
        scope,
        {
          resource_id: id,
          name: nameOf(after) ?? nameOf(before),
          at,
          kind: 'changed',
          field,
          before: before[field],
          after: after[field],
        },
        command,
        command === null ? null : (after[updated] ?? null),
      ),
    );
  }

  #whole(scope: Scope, id: string, row: JsonObject, kind: 'created' | 'deleted', at: string, command: number | null) {
    const values = kind === 'created' ? { before: undefined, after: row } : { before: row, after: undefined };
    return this.#add(scope, { resource_id: id, name: nameOf(row), at, kind, field: null, ...values }, command);
  }

  #keep({ host, organization, resource }: Scope, id: string, row: string, seen: string, gone = false): void {
    this.#store.all([host, organization, resource, id, row, seen, Number(gone)]);
  }

  /** The number of the account that has these tokens, old or new; null if no token is known. */
  #account(host: string, tokenIds: readonly string[]): number | null {
    if (tokenIds.length === 0) return null;
    const [known] = this.database
      .prepare(
        `select account from mkt_accounts where host = ? and token_id in (${tokenIds.map(() => '?').join(', ')}) limit 1`,
      )
      .all([host, ...tokenIds]);
    const [next] = this.database.prepare('select coalesce(max(account), 0) + 1 as account from mkt_accounts').all([]);
    const account = Number((known ?? next)?.account);
    const add = this.database.prepare('insert or ignore into mkt_accounts (host, token_id, account) values (?, ?, ?)');
    for (const id of tokenIds) add.all([host, id, account]);
    return account;
  }

  /**
   * Whether an earlier reading of a list was made by an account that sees drafts: the roles of an organization differ in
   * that, and the service does not say who has which role.
   */
  #sawDrafts({ host, organization, resource }: Scope): boolean {
    const found = this.database
      .prepare(
        `select 1 from observations where host = ? and organization_id = ? and resource = ? and (drafts > 0 or viewer in
           (select viewer from observations where host = ? and organization_id = ? and drafts > 0)) limit 1`,
      )
      .all([host, organization, resource, host, organization]);
    return found.length > 0;
  }

  /**
   * Records a whole list. The first one is the baseline, which changes nothing.
   * @param tokenIds ids of the access tokens of the account that read it
   * @returns the changes since the last one
   */
  reading(reading: Reading, tokenIds: readonly string[] = []): Change[] {
    const { scope, rows, since, seen: ended, at } = reading;
    const { host, organization, resource } = scope;
    const list = [host, organization, resource];
    const earlier = this.#lastReading(scope, at);
    const latest = new Date(Date.parse(ended) + late).toISOString();
    const viewer = this.#account(host, tokenIds);
    const sawDrafts = this.#sawDrafts(scope);
    const changes: Change[] = [];
    const known = new Set<string>();
    for (const { resource_id, row: text, at: seen, gone } of this.#states.all(list)) {
      const id = String(resource_id);
      known.add(id);
      const read = rows.get(id);
      // What a command of this machine did while the list was read is newer than the list. A row that was seen even later
      // than that comes from a clock that was ahead.
      if (String(seen) > since && String(seen) <= latest) continue;
      if (read === undefined) {
        // Without any draft, the account may not be an admin, or not any more.
        if (gone === 1 || (reading.drafts === 0 && mayBecomeDraft(resource, rowOf(text)))) continue;
        changes.push(this.#whole(scope, id, rowOf(text), 'deleted', at, null));
        this.#keep(scope, id, String(text), ended, true);
      } else if (gone === 1) {
        changes.push(this.#whole(scope, id, rowOf(read), 'created', at, null));
        this.#keep(scope, id, read, ended);
      } else if (read !== text) {
        const [before, after] = [rowOf(text), rowOf(read)];
        const found = this.#fields(scope, id, before, after, at, null);
        for (const each of found) changes.push(each);
        // Lists leave some fields out, such as the brief.
        const merged = JSON.stringify({ ...before, ...after });
        if (merged !== text) this.#keep(scope, id, merged, ended);
      }
    }
    for (const [id, text] of rows) {
      if (known.has(id)) continue;
      const row = rowOf(text);
      // An older draft may have been hidden: the account may be an admin only now.
      const isNew = sawDrafts || !isDraft(resource, row) || String(row.created_at) > String(earlier);
      if (earlier !== undefined && isNew) changes.push(this.#whole(scope, id, rowOf(text), 'created', at, null));
      this.#keep(scope, id, text, ended);
    }
    this.database
      .prepare(
        'insert into observations (host, organization_id, resource, at, rows, viewer, drafts) values (?, ?, ?, ?, ?, ?, ?)',
      )
      .all([...list, at, rows.size, viewer, reading.drafts]);
    return changes;
  }

  /** When the list was last read, before a time: a later one is of a wrong clock; empty if there are only such readings. */
  #lastReading({ host, organization, resource }: Scope, time: string): string | undefined {
    const list = 'from observations where host = ? and organization_id = ? and resource = ?';
    const values = [host, organization, resource];
    const [found] = this.database
      .prepare(`select coalesce((select max(at) ${list} and at <= ?), '') as at ${list} limit 1`)
      .all([...values, time, ...values]);
    return found && String(found.at);
  }

  /** Records a row as a command has read it before its change: what differs from the last reading was changed elsewhere. */
  #readBefore({ scope, id, after, at, seen }: Write, before: JsonObject): void {
    const { host, organization, resource } = scope;
    const [known] = this.#state.all([host, organization, resource, id]);
    if (known === undefined) {
      const earlier = this.#lastReading(scope, at);
      if (earlier === undefined || String(before.created_at ?? '') <= earlier) return;
      this.#whole(scope, id, before, 'created', at, null);
      this.#keep(scope, id, JSON.stringify(before), seen);
      return;
    }
    const row = rowOf(known.row);
    const stamp = String(row[updated] ?? '');
    // One that is older was read before another mkt changed it.
    if (known.gone === 1 || stamp > String(before[updated] ?? '')) return;
    // What the change itself has made may have been read by another mkt already.
    const isFound = (field: string): boolean =>
      after !== undefined && stamp === String(after[updated] ?? '') && isSameJson(row[field], after[field]);
    const others = fieldsThatDiffer(row, before).filter((field) => !isFound(field));
    if (this.#fields(scope, id, row, before, at, null, others).length > 0)
      this.#keep(scope, id, JSON.stringify({ ...row, ...before }), seen);
  }

  #known({ host, organization, resource }: Scope, id: string): JsonObject | undefined {
    const [found] = this.#state.all([host, organization, resource, id]);
    return found === undefined || found.gone === 1 ? undefined : rowOf(found.row);
  }

  /** Records what a request of a command changed. @returns whether anything did */
  write(write: Write, command: number): boolean {
    const { scope, id, kind, after, at, seen, isOwn = () => true } = write;
    if (write.before !== undefined) this.#readBefore(write, write.before);
    const before = write.before ?? (kind === 'created' ? undefined : this.#known(scope, id));
    if (kind === 'changed') {
      if (after === undefined) return false;
      const fields = before && fieldsThatDiffer(before, after);
      if (fields?.length === 0) return false;
      this.#keep(scope, id, JSON.stringify({ ...before, ...after }), seen);
      // Where nothing is known of it as it was, only the command can be recorded.
      if (before === undefined || fields === undefined) return true;
      const own = fields.filter(isOwn);
      this.#fields(
        scope,
        id,
        before,
        after,
        at,
        null,
        fields.filter((field) => !isOwn(field)),
      );
      return this.#fields(scope, id, before, after, at, command, own).length > 0;
    }
    const row = (kind === 'created' ? after : before) ?? {};
    this.#whole(scope, id, row, kind, at, command);
    this.#keep(scope, id, JSON.stringify(row), seen, kind === 'deleted');
    return true;
  }
}
