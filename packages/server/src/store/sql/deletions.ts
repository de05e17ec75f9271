import type { Reader, Writer } from '../store.js';
import type { Id, TableName } from '../tables.js';

/** A writer that can delete in steps. */
export interface SteppingWriter {
  /** Deletes rows of an organization, `limit` at most. @returns how many */
  deleteSome(table: TableName, organization: number, limit: number): Promise<number>;
}

/** What one transaction deletes at most: a few milliseconds of work. An image has up to 5 MiB. */
const limits = { campaigns: 1000, collabs: 1000, images: 10, memberships: 1000 };

/**
 * Makes an organization disappear: its members, through whom everything in it is found, are removed, and it is marked.
 * The rest is removed by `removeSome`.
 */
export async function markDeleted(writer: Writer & SteppingWriter, id: Id<'organizations'>): Promise<void> {
  const { memberships } = limits;
  while ((await writer.deleteSome('memberships', id, memberships)) === memberships);
  await writer.insert('deleted_organizations', { id });
}

const first = { offset: 0, limit: 1 };

/** Whether there is something to remove: nothing is locked to find out. */
export const hasMarked = async (reader: Reader): Promise<boolean> =>
  (await reader.page('deleted_organizations', 'all', [], first)).length > 0;

/** Removes some rows of an organization that is marked. @returns whether there may be more */
export async function removeSome(writer: Writer & SteppingWriter): Promise<boolean> {
  const [marked] = await writer.page('deleted_organizations', 'all', [], first);
  if (!marked) return false;
  await writer.lock('organizations', marked.id);
  // Another process may have finished it meanwhile, or loaded other data.
  if (!(await writer.get('deleted_organizations', marked.id))) return true;
  for (const table of ['campaigns', 'collabs', 'images'] as const)
    if ((await writer.deleteSome(table, marked.id, limits[table])) > 0) return true;
  await writer.delete('deleted_organizations', marked.id);
  await writer.delete('organizations', marked.id);
  return true;
}

/** Milliseconds until a step that failed is tried again. */
const retryAfter = 5000;

/** Takes steps in the background, one after the other, until there is nothing left to do. */
export class BackgroundSteps {
  #running: Promise<void> | null = null;
  #requested = false;
  #stopped = false;
  #wake: () => void = () => undefined;

  /** @param step one step. @returns whether there may be more */
  constructor(private readonly step: () => Promise<boolean>) {}

  start(): void {
    this.#requested = true;
    this.#running ??= this.#run();
  }

  /** Waits for the step that is being taken; takes no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#requested && !this.#stopped) {
      this.#requested = false;
      try {
        // A store that answers without I/O would leave no time for requests in between.
        while (!this.#stopped && (await this.step())) await new Promise((resolve) => setImmediate(resolve));
      } catch {
        // The store is away; requests report it.
        this.#requested = true;
        await this.#pause();
      }
    }
    this.#running = null;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, retryAfter).unref();
    });
  }
}
