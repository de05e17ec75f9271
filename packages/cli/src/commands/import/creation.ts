import pMap from 'p-map';
import { idOf } from '../../api/organization.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Progress } from '../../output/progress.js';
import { operationsOf } from '../../shared/operations.js';
import { type Row, valueAt } from '../../text/row.js';
import type { CheckedRow } from './check.js';
import { type Job, say } from './job.js';
import { isCreated } from './memory.js';
import { type Refusal, refusalOf } from './refusal.js';

/** How many are created at the same time. */
const WIDTH = 4;
/** How long requests under way may still take after Ctrl-C, in milliseconds. */
const GRACE_MS = 10_000;
/** After as many lost answers without any other between them the network is taken to be gone. */
const LOST_IN_A_ROW = 4;

/** Sends rows and remembers what became of each; one for each run. */
export class Creation {
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
    const { create } = operationsOf(kind.noun, await context.client(), organization.id, { signal: this.#cut.signal });
    this.#lostInARow = 0;
    let underWay = 0;
    let timer: NodeJS.Timeout | undefined;
    let shown: Progress | undefined;
    const onInterrupt = (): void => {
      timer = setTimeout(() => this.#cut.abort(), GRACE_MS);
      shown?.end();
      if (underWay > 0) say(context, `Stopping: waiting for ${underWay} under way. Ctrl-C once more ends at once.`);
    };
    context.io.interrupted.addEventListener('abort', onInterrupt, { once: true });
    const total = this.#job.rows.length;
    let count = this.#job.rows.filter(({ row }) => isCreated(report.memory.of(row))).length;
    try {
      await context.withProgress(`Creating ${kind.resource.plural}`, async (progress) => {
        shown = progress;
        await pMap(
          rows,
          async (row) => {
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
          },
          { concurrency: WIDTH },
        );
      });
      await report.written();
    } catch (error) {
      this.#fail(error);
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
