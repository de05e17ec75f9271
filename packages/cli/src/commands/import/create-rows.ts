import { setTimeout as wait } from 'node:timers/promises';
import {
  AbortedError,
  ConfigurationError,
  ConnectionError,
  HttpError,
  MarketplaceError,
  ServerError,
  TimeoutError,
  ValidationError,
} from '@mkt/sdk';
import pMap from 'p-map';
import { explain } from '../../api/errors/explain.js';
import { neverReached } from '../../api/errors/network.js';
import type { Invocation } from '../../context/command.js';
import type { Context, Organization } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.js';
import type { Progress } from '../../output/progress.js';
import { type Operations, operationsOf } from '../../shared/operations.js';
import { valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import type { CheckedRow, Columns, RowType } from './check.js';
import type { ImportLog } from './import-log.js';
import type { InputFile } from './read-file.js';
import { findExisting, reconcile, type UnknownRow } from './reconcile.js';

/** One run of an import. */
export interface Job {
  readonly context: Context;
  readonly invocation: Invocation;
  readonly type: RowType;
  readonly organization: Organization;
  /** Calls that Ctrl-C ends at once. */
  readonly operations: Operations;
  readonly file: InputFile;
  readonly columns: Columns;
  readonly rows: readonly CheckedRow[];
  readonly log: ImportLog;
}

/** Whether to write progress and plans to stderr: a program reads only errors there. */
export const showsProgress = (context: Context): boolean => context.print.forPeople || context.interactive;

const CONCURRENCY = 4;
/** How long in-flight requests may take after Ctrl-C. */
const GRACE_MS = 10_000;
/** After this many lost responses in a row the network counts as down. */
const MAX_LOST_IN_A_ROW = 4;
/** How long the service may take to process a request whose response was lost. Only then is a row called absent. */
const PROCESSING_MS = 5_000;
/** How often a row is sent in one run, at most. */
const MAX_ROUNDS = 3;

/** Why a row was not created, or may not have been. */
interface RowError {
  /**
   * `rejected`: not created. `failed`: the service failed, so probably not created. `lost`: the connection broke.
   * `timeout`: the service may still create it.
   */
  readonly outcome: 'rejected' | 'failed' | 'lost' | 'timeout';
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly hints?: readonly string[] | undefined;
}

function outcomeOf(error: unknown): RowError['outcome'] {
  if (error instanceof TimeoutError) return 'timeout';
  if (error instanceof ConfigurationError || neverReached(error)) return 'rejected';
  if (error instanceof ConnectionError || error instanceof AbortedError) return 'lost';
  return error instanceof HttpError && !(error instanceof ServerError) ? 'rejected' : 'failed';
}

async function rowErrorFrom(error: unknown, { context, type, organization }: Job): Promise<RowError> {
  const outcome = outcomeOf(error);
  const fieldErrors = error instanceof ValidationError ? Object.values(error.fieldErrors).flat() : [];
  const message = fieldErrors.map(sanitizeLine).join(' ');
  if (message !== '') return { outcome, code: 'rejected', exitCode: exitCodes.rejected, message };
  const explained = await explain(error, { verb: 'create', resource: type.resource, organization }, context);
  if (!(explained instanceof CliError)) {
    return { outcome, code: 'unexpected', exitCode: exitCodes.unexpected, message: sanitizeLine(String(explained)) };
  }
  const { code, exitCode, hints } = explained.details;
  return { outcome, code, exitCode, message: explained.message, hints };
}

/** Whether the values of the row are not the reason: every other row would fail because of the token, role or URL too. */
const affectsAllRows = ({ outcome, exitCode }: RowError): boolean =>
  outcome === 'rejected' && exitCode !== exitCodes.rejected && exitCode !== exitCodes.rateLimited;

/** Creates the rows that are left, and reconciles those whose responses are lost. One for each run. */
export class RowCreator {
  /** Why rows of this run were not created, by row number. */
  readonly errors = new Map<number, RowError>();
  created = 0;
  readonly #job: Job;
  readonly #continueOnError: boolean;
  readonly #abort = new AbortController();
  /** No further row is begun in this run. */
  #stopped = false;
  #lostInARow = 0;
  #logFailure: { readonly error: unknown } | undefined;

  constructor(job: Job, continueOnError: boolean) {
    this.#job = job;
    this.#continueOnError = continueOnError;
  }

  get interrupted(): boolean {
    return this.#job.context.io.interrupted.aborted;
  }

  async run(): Promise<void> {
    const { log, rows } = this.#job;
    await this.#reconcile();
    for (let round = 0; round < MAX_ROUNDS && !this.interrupted && !this.#stopped; round += 1) {
      const left = rows.filter(
        ({ row }) => !log.isCreated(row) && !log.isUnknown(row) && (this.errors.get(row)?.outcome ?? 'lost') === 'lost',
      );
      if (left.length === 0) break;
      await this.#send(left);
      const lost = rows.some(({ row }) => log.isUnknown(row) && this.errors.has(row));
      if (!lost || this.interrupted) break;
      try {
        await this.#reconcile();
      } catch (error) {
        // The service cannot be reached: the rows stay unknown, and are reported with the others.
        if (!(error instanceof MarketplaceError)) throw error;
        break;
      }
    }
  }

  /** Sends these rows until one is rejected or Ctrl-C comes, and waits for in-flight requests. */
  async #send(rows: readonly CheckedRow[]): Promise<void> {
    const { context, type, organization, log, rows: all } = this.#job;
    const { create } = operationsOf(type.name, await context.client(), organization.id, { signal: this.#abort.signal });
    this.#lostInARow = 0;
    let inFlight = 0;
    let timer: NodeJS.Timeout | undefined;
    let shown: Progress | undefined;
    const onInterrupt = (): void => {
      timer = setTimeout(() => this.#abort.abort(), GRACE_MS);
      shown?.end();
      if (inFlight > 0 && showsProgress(context)) {
        context.note(
          `Stopping: waiting for ${inFlight} in-flight request${inFlight === 1 ? '' : 's'}. Press Ctrl-C again to end at once.`,
        );
      }
    };
    context.io.interrupted.addEventListener('abort', onInterrupt, { once: true });
    let count = all.filter(({ row }) => log.isCreated(row)).length;
    try {
      await context.withProgress(`Creating ${type.resource.plural}`, async (progress) => {
        shown = progress;
        await pMap(
          rows,
          async (row) => {
            if (this.#stopped || this.interrupted || this.#lostInARow >= MAX_LOST_IN_A_ROW) return;
            inFlight += 1;
            // If the log cannot be written, nothing more is begun, and in-flight requests end before the error is shown.
            await this.#create(row, create).catch((error: unknown) => this.#logFailed(error));
            inFlight -= 1;
            if (log.isCreated(row.row)) count += 1;
            progress.update(count, all.length);
          },
          { concurrency: CONCURRENCY },
        );
      });
      await log.flushed();
    } catch (error) {
      this.#logFailed(error);
    } finally {
      clearTimeout(timer);
      context.io.interrupted.removeEventListener('abort', onInterrupt);
    }
    if (this.#logFailure !== undefined) throw this.#logFailure.error;
  }

  async #create(row: CheckedRow, create: Operations['create']): Promise<void> {
    const { log } = this.#job;
    const place = { row: row.row, line: row.line };
    await log.add({ ...place, state: 'sent', at: this.#now(), key: row.key });
    let rowError: RowError;
    try {
      const id = valueAt(await create(row.fields), 'id');
      if (typeof id === 'number' || (typeof id === 'string' && id !== '')) {
        this.created += 1;
        this.#lostInARow = 0;
        this.errors.delete(row.row);
        // Not awaited: if this line is lost, the row is searched for.
        log.add({ ...place, state: 'created', id }).catch((failure: unknown) => this.#logFailed(failure));
        return;
      }
      const message = 'The response of the service has no id.';
      rowError = { outcome: 'failed', code: 'unreadable_answer', exitCode: exitCodes.unexpected, message };
    } catch (error) {
      rowError = await rowErrorFrom(error, this.#job);
    }
    this.errors.set(row.row, rowError);
    const { outcome, code, message } = rowError;
    await log.add(
      outcome === 'rejected'
        ? { ...place, state: 'failed', code, error: message }
        : { ...place, state: 'lost', at: this.#now(), error: message },
    );
    const lost = outcome === 'lost' || outcome === 'timeout';
    this.#lostInARow = lost ? this.#lostInARow + 1 : 0;
    if (affectsAllRows(rowError) || (!lost && !this.#continueOnError)) this.#stopped = true;
  }

  /** Searches the organization for rows whose responses were lost, and logs the result. */
  async #reconcile(): Promise<void> {
    const { context, type, organization, log, rows, operations } = this.#job;
    const unknown = rows.flatMap((row): UnknownRow[] => {
      const logged = log.get(row.row);
      return logged !== undefined && log.isUnknown(row.row) ? [[row, logged]] : [];
    });
    if (unknown.length === 0) return;
    await this.#waitForProcessing(unknown);
    if (this.interrupted) return;
    const searched = unknown.map(([row]) => row);
    const existing = await findExisting(context, type.resource.plural, operations, searched);
    for (const result of reconcile(unknown, log, existing)) {
      const { row, line } = result.row;
      const rowError = this.errors.get(row);
      if (result.id !== undefined) {
        this.created += 1;
        this.errors.delete(row);
        await log.add({ row, line, state: 'created', id: result.id });
      } else if (result.candidates.length > 0) {
        const { candidates } = result;
        const error = `No response arrived. It may be ${type.resource.noun} ${candidates.join(' or ')} in ${await organization.name()}.`;
        await log.add({ row, line, state: 'unclear', candidates, error });
      } else if (rowError?.outcome === 'failed') {
        await log.add({ row, line, state: 'failed', code: rowError.code, error: rowError.message });
      } else if (rowError?.outcome !== 'timeout') {
        await log.add({ row, line, state: 'absent' });
      }
    }
  }

  /** Gives the service time for the requests whose responses were lost. Ctrl-C ends the wait. */
  async #waitForProcessing(unknown: readonly UnknownRow[]): Promise<void> {
    const { context } = this.#job;
    const latest = Math.max(0, ...unknown.map(([, { at }]) => Date.parse(at) || 0));
    const left = Math.min(PROCESSING_MS, PROCESSING_MS - (context.io.now().getTime() - latest));
    if (left <= 0) return;
    if (showsProgress(context)) {
      context.note(`Waiting ${Math.ceil(left / 1000)} s before searching for rows whose responses were lost.`);
    }
    await wait(left, undefined, { signal: context.io.interrupted }).catch(() => undefined);
  }

  #logFailed(error: unknown): void {
    this.#logFailure ??= { error };
    this.#stopped = true;
  }

  #now(): string {
    return this.#job.context.io.now().toISOString();
  }
}
