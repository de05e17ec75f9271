import { setTimeout as wait } from 'node:timers/promises';
import { MarketplaceError } from '@mkt/sdk';
import { Creation } from './creation.js';
import { type Job, say } from './job.js';
import { isCreated, isUnknown } from './memory.js';
import type { Refusal } from './refusal.js';
import { settle } from './settle.js';
import { survey } from './survey.js';

/** How long a request that was cut off may still be carried out: nothing is called absent before, in milliseconds. */
const SETTLE_MS = 5_000;
/** How often a row is sent in one run, at most. */
const ROUNDS = 3;

/** How a run went, beyond what the report remembers. */
export interface Ran {
  /** Why rows of this run were not created, by their number. */
  readonly refusals: ReadonlyMap<number, Refusal>;
  readonly created: number;
  readonly interrupted: boolean;
}

/** Waits until what was cut off has been carried out or never will be; false where somebody interrupts. */
async function patience(job: Job, at: readonly string[]): Promise<boolean> {
  const { context } = job;
  const latest = Math.max(0, ...at.map((text) => Date.parse(text) || 0));
  const left = Math.min(SETTLE_MS, SETTLE_MS - (context.io.now().getTime() - latest));
  if (left > 0) {
    say(context, `Waiting ${Math.ceil(left / 1000)} s for requests whose answers were lost, then looking for them.`);
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
  const sent = unknown.map(([, { at }]) => at);
  if (unknown.length === 0 || !(await patience(job, sent))) return;
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
  const { refusals, created, interrupted } = creation;
  return { refusals, created, interrupted };
}
