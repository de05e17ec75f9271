import { setTimeout as wait } from 'node:timers/promises';
import {
  AbortedError,
  ConfigurationError,
  ConnectionError,
  HttpError,
  MarketplaceError,
  ServerError,
  TimeoutError,
} from '@mkt/sdk';
import { hasKind } from '@mkt/sdk/contract/resources';
import pMap from 'p-map';
import { explain, mayHaveArrived } from '../../api/errors/explain.js';
import type { DraftOperations } from '../../api/operations.js';
import { MAX_LOST_IN_A_ROW } from '../../changes/outcomes.js';
import type { Context, Organization } from '../../context/context.js';
import { CliError, type Details } from '../../errors/cli-error.js';
import { leftOutOf } from '../../fields/brief.js';
import { readAll } from '../../lists/read-pages.js';
import { groupBy, idOf, type Row, sanitizeLine, textAt, valueAt } from '../../text/values.js';
import type { RowType, Table } from './columns.js';
import type { ImportFlags } from './flags.js';
import { createdId, type ImportLog, type LoggedRow } from './log.js';
import type { InputFile } from './read-file.js';
import type { CheckedRow, Fields } from './rows.js';

export interface Job {
  readonly context: Context;
  readonly type: RowType;
  readonly organization: Organization;
  readonly operations: DraftOperations;
  readonly file: InputFile;
  readonly table: Table;
  readonly rows: readonly CheckedRow[];
  /** What of the file is left out, as sentences. */
  readonly notes: readonly string[];
  readonly log: ImportLog;
}

/** Names that differ only in white space or in the form of accents count as the same. */
export const nameKey = (name: string): string => name.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
export const nameOf = (resource: Row): string => nameKey(textAt(resource, 'name'));

/** The resources of the organization that have the name of a row; all of them if a row has no name. */
export function findExisting({ context, type, operations }: Job, rows: readonly CheckedRow[]): Promise<Row[]> {
  const names = new Set(rows.map(({ name }) => (name === undefined ? undefined : nameKey(name))));
  const test = (resource: Row): boolean => names.has(undefined) || names.has(nameOf(resource));
  return readAll(context, type.resource.plural, operations.list(), test);
}

type UnknownRow = CheckedRow & { readonly logged: LoggedRow };

/** The id of a resource as the service gave it; undefined if it has none. */
const createdIdOf = (resource: unknown) => createdId.safeParse(valueAt(resource, 'id')).data;

/** Lists leave out briefs. */
const listedFields = ({ resource }: RowType, fields: Fields): [string, unknown][] =>
  Object.entries(fields).filter(([field]) => !hasKind(resource.fields, field, 'richText'));

/** Blank text is null in responses, and lists may come in another order. */
const comparable = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value.trim() === '' ? null : value.trim());
  return JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
};

/** Whether the resource has every field as it was sent, of those that the service returns. */
const matches = (type: RowType, { fields, name }: UnknownRow, resource: Row): boolean =>
  (name === undefined || nameKey(name) === nameOf(resource)) &&
  listedFields(type, fields).every(([field, sent]) => {
    const value = valueAt(resource, field);
    return field === 'name' || value === undefined || comparable(value) === comparable(sent);
  });

/** Rows with the same listed fields form a group. Groups with the most fields come first: they match the least. */
function groupRows(type: RowType, unknown: readonly UnknownRow[]): UnknownRow[][] {
  // The schema puts the fields of all rows in the same order.
  const groups = groupBy(unknown, ({ fields }) => JSON.stringify(listedFields(type, fields)));
  const fieldCount = ([first]: readonly UnknownRow[]): number => Object.keys(first?.fields ?? {}).length;
  return [...groups.values()].sort((one, other) => fieldCount(other) - fieldCount(one));
}

/** Whether to write progress and plans to stderr, where programs expect only errors. */
export const showsProgress = (context: Context): boolean => context.print.isHumanReadable || context.interactive;

const CONCURRENCY = 4;
/** How long the service may take to process a request whose response was lost. Only then is a row called absent. */
const PROCESSING_MS = 5_000;
const MAX_ROUNDS = 3;

/** Why a row was not created, or may not have been. */
export interface RowError extends Pick<Details, 'code' | 'hints'> {
  readonly message: string;
  /**
   * `rejected`: not created. `failed`: the service failed, so probably not created. `lost`: the connection broke.
   * `timeout`: the service may still create it.
   */
  readonly outcome: 'rejected' | 'failed' | 'lost' | 'timeout';
}

function outcomeOf(error: unknown): RowError['outcome'] {
  if (error instanceof TimeoutError) return 'timeout';
  if (error instanceof ConfigurationError || !mayHaveArrived(error)) return 'rejected';
  if (error instanceof ConnectionError || error instanceof AbortedError) return 'lost';
  return error instanceof HttpError && !(error instanceof ServerError) ? 'rejected' : 'failed';
}

/** @throws errors that come neither from the service nor from the network */
async function rowErrorFrom(error: unknown, { context, type, organization }: Job): Promise<RowError> {
  const explained = await explain(error, { action: 'create', resource: type.resource, organization }, context);
  if (!(explained instanceof CliError)) throw explained;
  const { message, details } = explained;
  const { code, hints, fields = {} } = details;
  const fieldErrors = Object.values(fields).flat().map(sanitizeLine).join(' ');
  return { outcome: outcomeOf(error), code, message: fieldErrors || message, hints };
}

const NO_ID: RowError = { outcome: 'failed', code: 'unreadable_answer', message: 'The response has no id.' };

/** Creates the rows that are left, and reconciles those whose responses are lost. One for each run. */
export class RowCreator {
  readonly #errors = new Map<number, RowError>();
  readonly #job: Job;
  readonly #flags: ImportFlags;
  /** Ends when the requests of all earlier rows may leave. */
  #turn: Promise<unknown> = Promise.resolve();
  /** What the service left out of the briefs of a row. */
  readonly leftOut: { readonly row: number; readonly field: string; readonly parts: string }[] = [];
  /** Whether this run sends no more rows. */
  #stopped = false;
  #lostInARow = 0;

  constructor(job: Job, flags: ImportFlags) {
    this.#job = job;
    this.#flags = flags;
  }

  get #interrupted(): boolean {
    return this.#job.context.io.interrupted.aborted;
  }

  /** Why rows of this run were not created, by row number. */
  async run(): Promise<ReadonlyMap<number, RowError>> {
    const { log, rows } = this.#job;
    for (let round = 0; !this.#interrupted; round += 1) {
      const unknown = rows.flatMap((row): UnknownRow[] => {
        const logged = log.rows.get(row.row);
        const isLost = log.statusOf(row.row) === 'unknown' && (round === 0 || this.#errors.has(row.row));
        return logged !== undefined && isLost ? [{ ...row, logged }] : [];
      });
      try {
        if (unknown.length > 0) await this.#reconcile(unknown);
      } catch (error) {
        if (round === 0 || !(error instanceof MarketplaceError)) throw error;
        // The service cannot be reached: the rows stay unknown, and are reported with the others.
        break;
      }
      const isLeft = ({ row }: CheckedRow): boolean =>
        log.statusOf(row) === 'open' && (this.#errors.get(row)?.outcome ?? 'lost') === 'lost';
      const left = rows.filter(isLeft);
      if (left.length === 0 || this.#stopped || round === MAX_ROUNDS) break;
      await this.#send(left);
    }
    return this.#errors;
  }

  /** Sends these rows until one is rejected or Ctrl-C comes, and waits for in-flight requests. */
  async #send(rows: readonly CheckedRow[]): Promise<void> {
    const { context, type, log, rows: all } = this.#job;
    this.#lostInARow = 0;
    let failure: unknown;
    await context.withProgress(`Creating ${type.resource.plural}`, async (progress) => {
      const send = async (row: CheckedRow): Promise<void> => {
        // In order, a lost row is searched for before the next one is sent.
        const mostLost = this.#flags['in-order'] ? 1 : MAX_LOST_IN_A_ROW;
        if (this.#stopped || this.#interrupted || this.#lostInARow >= mostLost) return;
        // The log cannot be written, for example. Requests in flight still end, and no other is started.
        await this.#create(row).catch((error: unknown) => {
          this.#stopped = true;
          failure ??= error;
        });
        progress.update(log.claimed.size, all.length);
      };
      await pMap(rows, send, { concurrency: this.#flags['in-order'] ? 1 : CONCURRENCY });
    });
    if (failure !== undefined) throw failure;
  }

  async #create({ row, key, fields }: CheckedRow): Promise<void> {
    const { context, type, log, operations } = this.#job;
    log.add({ row, state: 'sent', at: context.io.now().toISOString(), key });
    this.#turn = Promise.all([this.#turn, log.sync()]);
    await this.#turn;
    let rowError = NO_ID;
    try {
      const created = await operations.create(fields);
      if (this.#addCreated(row, created)) {
        this.#lostInARow = 0;
        for (const [field, parts] of leftOutOf(type.resource, fields, created))
          this.leftOut.push({ row, field, parts });
        return;
      }
    } catch (error) {
      rowError = await rowErrorFrom(error, this.#job);
    }
    this.#errors.set(row, rowError);
    const { outcome, code, message } = rowError;
    if (outcome === 'rejected') this.#addFailed(row, rowError);
    else log.add({ row, state: 'lost', at: context.io.now().toISOString(), error: message });
    const isLost = outcome === 'lost' || outcome === 'timeout';
    this.#lostInARow = isLost ? this.#lostInARow + 1 : 0;
    // Every other row would fail too, because of the token, the role or the URL.
    const affectsAllRows = outcome === 'rejected' && code !== 'rejected';
    if (affectsAllRows || (!isLost && !this.#flags['continue-on-error'])) this.#stopped = true;
  }

  /**
   * Finds the resources that rows without a response became: they did not exist before the run, belong to no other row
   * and have every field that was sent. If a group of equal rows matches as many resources or fewer, those are its rows.
   * A row that matches nothing, and whose name no other new resource has, was not created. All others are logged as
   * unclear, for the user to compare.
   */
  async #reconcile(unknown: readonly UnknownRow[]): Promise<void> {
    const { type, organization, log } = this.#job;
    await this.#waitForProcessing(unknown);
    if (this.#interrupted) return;
    const existing = await findExisting(this.#job, unknown);
    const place = await organization.name();
    const isFree = (resource: Row, { logged }: UnknownRow): boolean =>
      createdIdOf(resource) !== undefined && !log.claimed.has(idOf(resource)) && !logged.existing.has(idOf(resource));
    const addUnclear = ({ row }: UnknownRow, found: readonly Row[]): void => {
      const candidates = found.map(idOf);
      const error = `No response arrived. It may be ${type.resource.singular} ${candidates.join(' or ')} in ${place}.`;
      log.add({ row, state: 'unclear', candidates, error });
    };
    const missing: UnknownRow[] = [];
    for (const group of groupRows(type, unknown)) {
      const found = existing.filter((each) => group.every((row) => isFree(each, row) && matches(type, row, each)));
      const areIdentical = new Set(group.map(({ key }) => key)).size === 1;
      // If rows differ only in their briefs and some are missing, lists do not show which.
      const isAmbiguous = found.length > 0 && found.length < group.length && !areIdentical;
      for (const [index, row] of group.entries()) {
        if (isAmbiguous || found.length > group.length) addUnclear(row, found);
        else if (!this.#addCreated(row.row, found[index])) missing.push(row);
      }
    }
    for (const row of missing) {
      // The service may have stored a field in another form: with an equal name it is too similar to create another.
      const { name } = row;
      const similar = existing.filter((each) => name && nameOf(each) === nameKey(name) && isFree(each, row));
      const error = this.#errors.get(row.row);
      if (similar.length > 0) addUnclear(row, similar);
      else if (error?.outcome === 'failed') this.#addFailed(row.row, error);
      else if (error?.outcome !== 'timeout') log.add({ row: row.row, state: 'absent' });
    }
  }

  /** Logs the row as created; false if the resource has no id. */
  #addCreated(row: number, resource: Row | undefined): boolean {
    const id = createdIdOf(resource);
    if (id === undefined) return false;
    this.#errors.delete(row);
    this.#job.log.add({ row, state: 'created', id });
    return true;
  }

  #addFailed(row: number, { code, message }: RowError): void {
    this.#job.log.add({ row, state: 'failed', code, error: message });
  }

  /** Gives the service time to process the requests whose responses were lost. */
  async #waitForProcessing(unknown: readonly UnknownRow[]): Promise<void> {
    const { context } = this.#job;
    const latest = Math.max(0, ...unknown.map(({ logged }) => Date.parse(logged.at) || 0));
    const left = Math.min(PROCESSING_MS, PROCESSING_MS - (context.io.now().getTime() - latest));
    if (left <= 0) return;
    if (showsProgress(context)) {
      context.note(`Waiting ${Math.ceil(left / 1000)} s before searching for rows whose responses were lost.`);
    }
    // Ctrl-C ends it.
    await wait(left, undefined, { signal: context.io.interrupted }).catch(() => undefined);
  }
}
