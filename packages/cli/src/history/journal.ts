import type { SqliteDatabase } from '@mkt/server/sqlite';
import type { Io } from '../io/io.js';
import type { JsonObject } from '../text/values.js';
import { keepAhead, knownAhead } from './clock.js';
import { recordedLine } from './command-line.js';
import type { HistoryFile, HistoryUnusable } from './database.js';
import { historyPath, hostOf } from './place.js';
import type { Change, CommandLine, Reading, Scope, Write } from './record.js';
import { isDraft, recordable } from './targets.js';

/** A request that changes something, before it is sent. */
export interface Attempt {
  readonly scope: Scope;
  /** Undefined for what is created. */
  readonly id: string | undefined;
  readonly method: string;
  /** A web action, such as `publish`. */
  readonly action: string | undefined;
  readonly before: JsonObject | undefined;
  /** The fields that are sent. */
  readonly sent: JsonObject | undefined;
}

/** Records a command that is about to change something. @returns its number */
export function addCommand(database: SqliteDatabase, { host, organization }: Scope, line: CommandLine): number {
  const [added] = database
    .prepare(
      'insert into commands (host, organization_id, at, profile, line, undoes) values (?, ?, ?, ?, ?, ?) returning id',
    )
    .all([host, organization, line.at, line.profile, line.line, line.undoes ?? null]);
  return Number(added?.id);
}

const json = (value: JsonObject | undefined): string | null => (value === undefined ? null : JSON.stringify(value));

/** Records a request that is about to be sent. @returns its number */
function addAttempt(database: SqliteDatabase, command: number, attempt: Attempt, at: string): number {
  const { scope, id = null, method, action = null, before, sent } = attempt;
  database.prepare('insert or replace into mkt_running (command_id, pid) values (?, ?)').all([command, process.pid]);
  const [added] = database
    .prepare(
      'insert into mkt_attempts (command_id, host, organization_id, resource, resource_id, method, action, before, sent, at) ' +
        'values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id',
    )
    .all([command, scope.host, scope.organization, scope.resource, id, method, action, json(before), json(sent), at]);
  return Number(added?.id);
}

/** Notes that a command has ended. One that has changed nothing is forgotten. */
export function endCommand(database: SqliteDatabase, command: number): void {
  database.prepare('delete from mkt_running where command_id = ?').all([command]);
  database
    .prepare(
      `delete from commands where id = ? and not exists (select 1 from changes where command_id = commands.id)
         and not exists (select 1 from mkt_attempts where command_id = commands.id)`,
    )
    .all([command]);
}

/** What the record needs to know about the command line. */
export interface JournalPlace {
  readonly io: Io;
  /** As the user typed it. */
  readonly argv: readonly string[];
  readonly profile: () => string;
  readonly warn: (text: string) => void;
}

/** A whole list while it is read. */
export class OpenReading {
  readonly #rows = new Map<string, string>();
  readonly #totals = new Set<number>();
  readonly #since: string;
  #count = 0;
  #drafts = 0;

  constructor(
    readonly scope: Scope,
    readonly journal: Pick<Journal, 'now' | 'machineNow'>,
    readonly done: (reading: Reading) => void,
  ) {
    this.#since = journal.machineNow();
  }

  /** @param total how many rows the service says the list has */
  add(rows: readonly object[], total: number | null): void {
    this.#count += rows.length;
    if (total !== null) this.#totals.add(total);
    for (const row of rows) {
      const { id } = row as JsonObject;
      if (isDraft(this.scope.resource, row as JsonObject)) this.#drafts += 1;
      if (typeof id === 'string' || typeof id === 'number')
        this.#rows.set(String(id), JSON.stringify(recordable(this.scope.resource, row as JsonObject)));
    }
  }

  /** The last page was read. A list that changed meanwhile may lack rows, so it is not recorded. */
  end(): void {
    const totals = new Set([...this.#totals, this.#count, this.#rows.size]);
    if (totals.size > 1) return;
    const { scope, journal } = this;
    const [at, seen] = [journal.now(), journal.machineNow()];
    this.done({ scope, rows: this.#rows, drafts: this.#drafts, since: this.#since, seen, at });
  }
}

/** The header of each response of a copy: `mkt twin serve`. */
export const copyHeader = 'mkt-copy';

/**
 * What one command reads and changes. Changes are recorded as they are made: the command and each request before it is sent,
 * each response when it arrives. Readings are recorded before the next change, or when the command ends.
 */
export class Journal {
  readonly path: string | undefined;
  /** The number of the command that this one takes back. */
  undoes: number | undefined;
  readonly #place: JournalPlace;
  readonly #readings: Reading[] = [];
  #file: Promise<HistoryFile> | undefined;
  #number: number | undefined;
  /** Whether it changed something, and whether that is recorded. */
  #hasWritten = false;
  #hasChanges = false;
  /** Why changes could not be recorded. */
  #problem: HistoryUnusable | undefined;
  #isCopy = false;
  #ahead: number | undefined;
  #token: string | undefined;
  #readTokenIds: () => Promise<readonly string[]> = async () => [];
  #tokenIds: Promise<readonly string[]> | undefined;

  constructor(place: JournalPlace) {
    this.#place = place;
    this.path = historyPath(place.io);
  }

  /** The number of this command in the history, once something it changed is recorded. */
  get number(): number | undefined {
    return this.#hasChanges ? this.#number : undefined;
  }

  /**
   * @param token the token in use, which may be part of the command line
   * @param readTokenIds reads the ids of the tokens of its account
   */
  useToken(token: string, readTokenIds: () => Promise<readonly string[]>): void {
    this.#token = token;
    this.#readTokenIds = readTokenIds;
  }

  /** The ids of the access tokens of the account, by which later commands recognize it. */
  tokenIds(): Promise<readonly string[]> {
    this.#tokenIds ??= this.#readTokenIds();
    return this.#tokenIds;
  }

  /** Takes from a response what it says of the service: its time, which is the clock of the record, and whether it is a copy. */
  heard(headers: { get(name: string): string | null }): void {
    this.#isCopy = headers.get(copyHeader) !== null;
    const time = Date.parse(headers.get('date') ?? '');
    if (!Number.isNaN(time)) this.#ahead = time - this.#place.io.now().getTime();
  }

  get isCopy(): boolean {
    return this.#isCopy;
  }

  /** How many milliseconds the clock of the service is ahead of this machine's; undefined before its first response. */
  get ahead(): number | undefined {
    return this.#ahead;
  }

  /** The time by the clock of the service, in whole seconds as it sends them; before its first response, this machine's. */
  now(): string {
    if (this.#ahead === undefined) return this.machineNow();
    const time = this.#place.io.now().getTime() + this.#ahead;
    return new Date(Math.floor(time / 1000) * 1000).toISOString();
  }

  machineNow(): string {
    return this.#place.io.now().toISOString();
  }

  /** A list of an organization that is about to be read; undefined if it is not recorded. */
  open(baseUrl: string, organization: string, resource: string): OpenReading | undefined {
    if (this.path === undefined || organization === '') return undefined;
    return new OpenReading({ host: hostOf(baseUrl), organization, resource }, this, (reading) => this.read(reading));
  }

  read(reading: Reading): void {
    this.#readings.push(reading);
  }

  /** Runs `work` in a transaction of the history, which stays open until `save`. @throws {HistoryUnusable} */
  async #write<Result>(path: string, work: (file: HistoryFile) => Result): Promise<Result> {
    this.#file ??= (await import('./database.js')).openHistory(path);
    const file = await this.#file;
    return file.write(() => work(file));
  }

  /** What a change records: it goes on without the history. */
  async #orSkip<Result>(record: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await record();
    } catch (error) {
      const { HistoryUnusable } = await import('./database.js');
      if (!(error instanceof HistoryUnusable)) throw error;
      this.#problem = error;
      return undefined;
    }
  }

  async #writeOrSkip<Result>(work: (file: HistoryFile) => Result): Promise<Result | undefined> {
    const { path } = this;
    return path === undefined || this.#problem !== undefined ? undefined : this.#orSkip(() => this.#write(path, work));
  }

  get #line(): CommandLine {
    const { io, argv, profile } = this.#place;
    const line = recordedLine(argv, { token: this.#token, home: io.home });
    return { at: this.now(), profile: profile(), line, undoes: this.undoes };
  }

  /** Records a request that is about to be sent. @returns its number for `ended`, if it could be recorded */
  async begin(attempt: Attempt): Promise<number | undefined> {
    if (this.path === undefined) return undefined;
    if (this.#readings.length > 0) await this.#orSkip(() => this.record());
    return this.#writeOrSkip(({ database }) => {
      // Nothing may have been read before the first change.
      this.#ahead ??= knownAhead(database, attempt.scope.host);
      this.#number ??= addCommand(database, attempt.scope, this.#line);
      return addAttempt(database, this.#number, attempt, this.now());
    });
  }

  /** Records the response. @param write what the request has changed */
  async ended(attempt: number | undefined, write?: Write): Promise<void> {
    if (write !== undefined) this.#hasWritten = true;
    if (attempt === undefined) return;
    const number = this.#number;
    await this.#writeOrSkip((file) => {
      file.database.prepare('delete from mkt_attempts where id = ?').all([attempt]);
      if (write === undefined || number === undefined) return;
      keepAhead(file.database, write.scope.host, this.#ahead);
      if (file.recorder.write(write, number)) this.#hasChanges = true;
    });
  }

  /** Records what was read since the last call. @returns what the readings found @throws {HistoryUnusable} */
  async record(): Promise<readonly Change[]> {
    const { path } = this;
    if (path === undefined || this.#readings.length === 0) return [];
    const readings = this.#readings.splice(0);
    const tokenIds = await this.tokenIds();
    return this.#write(path, ({ database, recorder }) => {
      keepAhead(database, readings[0]?.scope.host ?? '', this.#ahead);
      return readings.flatMap((reading) => recorder.reading(reading, tokenIds));
    });
  }

  /** Records the rest when the command has ended. What fails is a warning, because the command itself has succeeded. */
  async save(): Promise<void> {
    const number = this.#number;
    await this.#orSkip(() => this.record());
    if (number !== undefined) await this.#writeOrSkip(({ database }) => endCommand(database, number));
    const file = await this.#file?.catch(() => undefined);
    this.#file = undefined;
    file?.close();
    const problem = this.#problem;
    this.#problem = undefined;
    if (problem === undefined || problem.withoutDriver) return;
    const what = this.#hasWritten
      ? 'The change was made, but not recorded in the history'
      : 'Nothing was recorded in the history';
    this.#place.warn(
      `${what} ${problem.message}. To begin a new one: mkt config reset-history. MKT_HISTORY names another file, or off.`,
    );
  }
}
