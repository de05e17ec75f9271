import { setTimeout as wait } from 'node:timers/promises';
import { MarketplaceError } from '@mkt/sdk';
import { exitCodes } from '../../errors/exit-codes.js';
import { idOf } from '../../organization.js';
import { type Row, valueAt } from '../../output/row.js';
import type { Progress } from '../../terminal/progress.js';
import { pool } from '../pool.js';
import type { CheckedRow } from './check.js';
import type { Job } from './job.js';
import { isCreated, isUnknown } from './memory.js';
import { type Refusal, refusalOf } from './refusal.js';
import { settle } from './settle.js';
import { survey } from './survey.js';

/** How many are created at the same time. */
const WIDTH = 4;
/** How long requests under way may still take after Ctrl-C, in milliseconds. */
const GRACE_MS = 10_000;
/** How long a request that was cut off may still be carried out: nothing is called absent before, in milliseconds. */
const SETTLE_MS = 5_000;
/** After as many lost answers without any other between them the network is taken to be gone. */
const LOST_IN_A_ROW = 4;
/** How often a row is sent in one run, at most. */
const ROUNDS = 3;

/** How a run went, beyond what the report remembers. */
export interface Ran {
  /** Why rows of this run were not created, by their number. */
  readonly refusals: ReadonlyMap<number, Refusal>;
  readonly created: number;
  readonly interrupted: boolean;
}

/** Sends rows and remembers what became of each; one for each run. */
class Creation {
  readonly refusals = new Map<number, Refusal>();
  created = 0;
  /** No further row is begun in this run. */
  halted = false;
  readonly #job: Job;
  readonly #cut = new AbortController();
  #lostInARow = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(job: Job) {
    this.#job = job;
  }

  get interrupted(): boolean {
    return this.#job.context.io.interrupted.aborted;
  }

  /** Sends these, four at a time, until one is refused or somebody interrupts; those under way are waited for. */
  async send(rows: readonly CheckedRow[]): Promise<void> {
    const { context, kind, organization, report } = this.#job;
    const { create } = kind.resource.verbs(await context.client(), organization.id, { signal: this.#cut.signal });
    if (create === undefined) throw new Error(`${kind.resource.plural} cannot be created.`);
    this.#lostInARow = 0;
    let underWay = 0;
    let timer: NodeJS.Timeout | undefined;
    let shown: Progress | undefined;
    const onInterrupt = (): void => {
      timer = setTimeout(() => this.#cut.abort(), GRACE_MS);
      shown?.end();
      if (underWay > 0) context.note(`Stopping: waiting for ${underWay} under way. Ctrl-C once more ends at once.`);
    };
    context.io.interrupted.addEventListener('abort', onInterrupt, { once: true });
    const total = this.#job.rows.length;
    const done = (): number => this.#job.rows.filter(({ row }) => isCreated(report.memory.of(row))).length;
    try {
      await context.withProgress(`Creating ${kind.resource.plural}`, async (progress) => {
        shown = progress;
        let count = done();
        await pool(rows, WIDTH, async (row) => {
          if (this.halted || this.interrupted || this.#lostInARow >= LOST_IN_A_ROW) return;
          underWay += 1;
          try {
            await this.#one(row, create);
          } catch (error) {
            // The report cannot be written: nothing more is begun, and what is under way ends before this is told.
            this.#fail(error);
          }
          underWay -= 1;
          if (isCreated(report.memory.of(row.row))) count += 1;
          progress.update(count, total);
        });
      });
    } finally {
      clearTimeout(timer);
      context.io.interrupted.removeEventListener('abort', onInterrupt);
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #one(row: CheckedRow, create: (fields: CheckedRow['fields']) => PromiseLike<Row>): Promise<void> {
    const { context, kind, organization, report, continueOnError } = this.#job;
    const place = { row: row.row, line: row.line };
    await report.add({ ...place, state: 'sent', at: this.#now(), key: row.key });
    let refusal: Refusal;
    try {
      const thing = await create(row.fields);
      const id = idOf(thing);
      if (id !== '') {
        this.created += 1;
        this.#lostInARow = 0;
        this.refusals.delete(row.row);
        this.#later(report.add({ ...place, state: 'created', id: valueAt(thing, 'id') as string | number }));
        return;
      }
      refusal = {
        outcome: 'failed',
        concernsAll: false,
        code: 'unreadable_answer',
        exitCode: exitCodes.unexpected,
        message: 'The service answered without an id.',
        hints: [],
      };
    } catch (error) {
      refusal = await refusalOf(error, context, kind.resource, organization);
    }
    this.refusals.set(row.row, refusal);
    const { outcome, code, message: error, concernsAll } = refusal;
    if (outcome === 'refused') await report.add({ ...place, state: 'failed', code, error });
    else await report.add({ ...place, state: 'lost', at: this.#now(), error });
    const lost = outcome === 'missed' || outcome === 'late';
    this.#lostInARow = lost ? this.#lostInARow + 1 : 0;
    if (concernsAll || (!lost && !continueOnError)) this.halted = true;
  }

  /** A line that nothing waits for: were it lost, the row would be looked for. A failure shows at the next line. */
  #later(line: Promise<void>): void {
    line.catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.halted = true;
  }

  #now(): string {
    return this.#job.context.io.now().toISOString();
  }
}

/** Waits until what was cut off has been carried out or never will be; false where somebody interrupts. */
async function patience(job: Job, at: readonly string[]): Promise<boolean> {
  const { context } = job;
  const latest = Math.max(0, ...at.map((text) => Date.parse(text) || 0));
  const left = Math.min(SETTLE_MS, SETTLE_MS - (context.io.now().getTime() - latest));
  if (left > 0) {
    context.note(`Waiting ${Math.ceil(left / 1000)} s for requests whose answers were lost, then looking for them.`);
    try {
      await wait(left, undefined, { signal: context.io.interrupted });
    } catch (error) {
      if (context.io.interrupted.aborted) return false;
      throw error;
    }
  }
  return true;
}

/** Looks in the organization for rows whose answers were lost, and remembers what it finds. */
async function settleUnknown(job: Job, creation: Creation): Promise<void> {
  const { context, kind, organization, report, rows, verbs } = job;
  const unknown = rows.flatMap((row) => {
    const remembered = report.memory.of(row.row);
    return isUnknown(remembered) ? [[row, remembered] as const] : [];
  });
  if (
    unknown.length === 0 ||
    !(await patience(
      job,
      unknown.map(([, { at }]) => at),
    ))
  )
    return;
  const wanted = unknown.map(([row]) => row);
  const seen = await survey(context, kind.resource.plural, verbs, wanted);
  for (const settled of settle(unknown, report.memory, seen)) {
    const { row } = settled;
    const place = { row: row.row, line: row.line };
    const refusal = creation.refusals.get(row.row);
    if (settled.found !== undefined) {
      creation.created += 1;
      creation.refusals.delete(row.row);
      await report.add({ ...place, state: 'created', id: settled.found });
    } else if (settled.candidates.length > 0) {
      const { candidates } = settled;
      const error = `No answer came, and ${kind.resource.noun} ${candidates.join(', ')} in ${await organization.name()} may be it.`;
      await report.add({ ...place, state: 'unclear', candidates, error });
    } else if (refusal?.outcome === 'failed') {
      await report.add({ ...place, state: 'failed', code: refusal.code, error: refusal.message });
    } else if (refusal?.outcome !== 'late') {
      await report.add({ ...place, state: 'absent' });
    }
  }
}

/** Creates what is not created yet. Rows whose answers are lost on the way are looked for, and sent again if need be. */
export async function createRows(job: Job): Promise<Ran> {
  const { report, rows } = job;
  const creation = new Creation(job);
  const ran = (): Ran => ({
    refusals: creation.refusals,
    created: creation.created,
    interrupted: creation.interrupted,
  });
  await settleUnknown(job, creation);
  for (let round = 0; round < ROUNDS && !creation.interrupted; round += 1) {
    const left = rows.filter(({ row }) => {
      const known = report.memory.of(row);
      if (isCreated(known) || isUnknown(known)) return false;
      const refusal = creation.refusals.get(row);
      return refusal === undefined || refusal.outcome === 'missed';
    });
    if (left.length === 0) break;
    await creation.send(left);
    const missed = rows.some(({ row }) => isUnknown(report.memory.of(row)) && creation.refusals.has(row));
    if (!missed || creation.interrupted) break;
    try {
      await settleUnknown(job, creation);
    } catch (error) {
      // The service cannot be reached to look: what is not known stays so, and is told with the rest.
      if (!(error instanceof MarketplaceError)) throw error;
      break;
    }
    if (creation.halted) break;
  }
  return ran();
}
