import { ConfigurationError } from '@mkt/sdk';
import type { Id } from './contract/types.js';
import type { Awaitable } from './options.js';

/** Where a journal is stored: a file, for example. */
export interface JournalStore {
  /** Everything that was appended; an empty text at first. */
  read(): Awaitable<string>;
  /** Resolves when the text is stored durably. */
  append(text: string): Awaitable<unknown>;
}

/** How one resource is created, and found if it exists already. */
export interface Creation {
  create: () => PromiseLike<{ id: Id }>;
  /** The id of the resource, if the service has it. It must read from the service, not from an earlier result. */
  find: () => Awaitable<Id | undefined>;
}

interface Entry {
  key: string;
  /** When the creation was about to be sent. */
  sentAt?: number;
  id?: Id;
}

/** What was created, and what may have been. Only one program at a time may use a store. */
export class Journal {
  readonly #store: JournalStore;
  readonly #settleMs: number;
  readonly #running = new Map<string, Promise<Id>>();
  #entries: Promise<Map<string, Entry>> | undefined;

  /**
   * @param settleMs - how long a creation may still take effect after its program or connection has ended: `totalTimeout`,
   * the longest time of the service, and the difference between clocks. Default 180,000.
   */
  constructor(store: JournalStore, { settleMs = 180_000 }: { settleMs?: number } = {}) {
    // A timer of any other time fires at once.
    if (!(settleMs >= 0 && settleMs < 2 ** 31))
      throw new ConfigurationError('The option settleMs takes milliseconds, from 0 to 2,147,483,647.');
    this.#store = store;
    this.#settleMs = settleMs;
  }

  /** @internal */
  run(key: string, creation: Creation): Promise<Id> {
    const running = this.#running.get(key) ?? this.#create(key, creation).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #create(key: string, { create, find }: Creation): Promise<Id> {
    if (!key || typeof key !== 'string' || typeof create !== 'function' || typeof find !== 'function')
      throw new ConfigurationError(
        'createOnce() takes a journal, a key, and an object with the functions create and find.',
      );
    this.#entries ??= this.#read();
    const entries = await this.#entries;
    const write = async (entry: Entry) => {
      // A line of its own, even if an earlier one was cut.
      await this.#store.append(`\n${JSON.stringify(entry)}\n`);
      entries.set(key, entry);
    };
    const { id, sentAt } = entries.get(key) ?? {};
    if (id !== undefined) return id;
    let waitMs = sentAt === undefined ? undefined : Math.min(this.#settleMs, sentAt + this.#settleMs - Date.now());
    for (;;) {
      if (waitMs !== undefined) {
        const ms = waitMs;
        await new Promise((resolve) => setTimeout(resolve, ms));
        const found = await find();
        if (found !== undefined) {
          await write({ key, id: found });
          return found;
        }
      }
      await write({ key, sentAt: Date.now() });
      try {
        const made = await create();
        await write({ key, id: made.id });
        return made.id;
      } catch (error) {
        const isClear = (error as { mayHaveArrived?: boolean } | null)?.mayHaveArrived === false;
        if (isClear) await write({ key });
        // Once: a service that fails again and again is not asked forever.
        if (isClear || waitMs !== undefined) throw error;
        waitMs = this.#settleMs;
      }
    }
  }

  async #read(): Promise<Map<string, Entry>> {
    const entries = new Map<string, Entry>();
    for (const line of (await this.#store.read()).split('\n')) {
      try {
        const entry = JSON.parse(line) as Entry;
        entries.set(entry.key, entry);
      } catch {
        // Empty, or cut when the program was killed: nothing was sent before its line was stored.
      }
    }
    return entries;
  }
}

/**
 * Creates a resource unless the journal knows that it was created. The journal is written before the request is sent. After
 * an unclear end (a kill, a timeout, a cut connection) it waits until the request can no longer take effect, looks for the
 * resource, and creates it if it is not there.
 *
 * It cannot know whether a resource that `find` returns was created by someone else, nor about a request that takes effect
 * later than `settleMs`, or that a browser itself repeats.
 *
 * @returns the id.
 */
export const createOnce = (journal: Journal, key: string, creation: Creation): Promise<Id> =>
  journal.run(key, creation);
