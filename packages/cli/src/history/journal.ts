import type { Io } from '../io/io.js';
import type { JsonObject } from '../text/json.js';
import { recordedLine } from './command-line.js';
import { historyPath, hostOf } from './place.js';
import type { Change, Reading, Scope, Write } from './record.js';
import { isDraft, recordable } from './targets.js';

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
    readonly journal: Pick<Journal, 'now' | 'read'>,
  ) {
    this.#since = journal.now();
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
    journal.read({ scope, rows: this.#rows, drafts: this.#drafts, since: this.#since, at: journal.now() });
  }
}

/** What one command has read and changed, until it is recorded: in one transaction, when the command ends. */
export class Journal {
  readonly path: string | undefined;
  readonly #place: JournalPlace;
  readonly #readings: Reading[] = [];
  readonly #writes: Write[] = [];
  #number: number | undefined;
  #token: string | undefined;
  #readTokenIds: () => Promise<readonly string[]> = async () => [];
  #tokenIds: Promise<readonly string[]> | undefined;

  constructor(place: JournalPlace) {
    this.#place = place;
    this.path = historyPath(place.io);
  }

  /** The number of this command in the history, once something it changed is recorded. */
  get number(): number | undefined {
    return this.#number;
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

  now(): string {
    return this.#place.io.now().toISOString();
  }

  /** A list of an organization that is about to be read; undefined if it is not recorded. */
  open(baseUrl: string, organization: string, resource: string): OpenReading | undefined {
    if (this.path === undefined || organization === '') return undefined;
    return new OpenReading({ host: hostOf(baseUrl), organization, resource }, this);
  }

  read(reading: Reading): void {
    this.#readings.push(reading);
  }

  wrote(write: Write): void {
    this.#writes.push(write);
  }

  /**
   * Records what was read and changed since the last call.
   * @returns what the readings found @throws {HistoryUnusable}
   */
  async record(): Promise<readonly Change[]> {
    const { path } = this;
    if (path === undefined || (this.#readings.length === 0 && this.#writes.length === 0)) return [];
    const [{ openHistory }, { Recorder }] = await Promise.all([import('./database.js'), import('./record.js')]);
    const { io, argv, profile } = this.#place;
    const [readings, writes] = [this.#readings.splice(0), this.#writes.splice(0)];
    const tokenIds = readings.length > 0 ? await this.tokenIds() : [];
    const file = await openHistory(path);
    try {
      return file.write((database) => {
        const recorder = new Recorder(database);
        // Lists are read before the changes that follow from them.
        const found = readings.flatMap((reading) => recorder.reading(reading, tokenIds));
        const line = recordedLine(argv, { token: this.#token, home: io.home });
        this.#number = recorder.command({ at: this.now(), profile: profile(), line }, writes, this.#number);
        return found;
      });
    } finally {
      file.close();
    }
  }

  /** Records the rest when the command has ended. What fails is a warning, because the command itself has succeeded. */
  async save(): Promise<void> {
    const wrote = this.#writes.length > 0;
    try {
      await this.record();
    } catch (error) {
      const { HistoryUnusable } = await import('./database.js');
      if (!(error instanceof HistoryUnusable)) throw error;
      if (error.withoutDriver) return;
      const what = wrote
        ? 'The change was made, but not recorded in the history'
        : 'Nothing was recorded in the history';
      this.#place.warn(`${what} ${error.message}. MKT_HISTORY names another file, or off.`);
    }
  }
}
