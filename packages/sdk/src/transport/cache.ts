import { logFailure } from '../log.js';
import type { CacheEntry, CacheStore, Settings } from '../options.js';

/**
 * Identifies a token without revealing it: the first half of its SHA-256. Without `crypto.subtle` (a page over plain
 * http) it is a random string that lasts as long as the client.
 */
export async function hashToken(token: string): Promise<string> {
  if (!globalThis.crypto?.subtle) return `random-${Math.random().toString(36).slice(2)}`;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return [...new Uint8Array(digest, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const asEntry = (value: unknown): CacheEntry | undefined => {
  const { etag, body } = (value ?? {}) as Partial<CacheEntry>;
  return typeof etag === 'string' && typeof body === 'string' ? { etag, body } : undefined;
};

/** How long a store may take. One that waits for an unreachable server would delay every call. */
const timeoutMs = 3000;

const isPending = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

/** Wraps a store so that it never fails a call: errors are logged, and slow results are ignored. */
export class Cache {
  readonly #store: CacheStore;
  readonly #settings: Settings;

  constructor(store: CacheStore, settings: Settings) {
    this.#store = store;
    this.#settings = settings;
  }

  /** Synchronous if the store is. */
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined> {
    const found = this.#guard('read', () => this.#store.get(key));
    return found instanceof Promise ? found.then(asEntry) : asEntry(found);
  }

  async set(key: string, entry: CacheEntry): Promise<void> {
    await this.#guard('write', () => this.#store.set(key, entry));
  }

  async delete(key: string): Promise<void> {
    await this.#guard('delete', () => this.#store.delete(key));
  }

  #guard(verb: string, act: () => unknown): unknown {
    const onFailure = (error: unknown): undefined => {
      logFailure(this.#settings, `The cache store failed to ${verb} an entry`, error);
    };
    try {
      const given = act();
      return isPending(given) ? inTime(given).catch(onFailure) : given;
    } catch (error) {
      return onFailure(error);
    }
  }
}

async function inTime(work: PromiseLike<unknown>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not respond within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The latest responses in memory. The least recently used is removed first. */
export class MemoryStore implements CacheStore {
  readonly #entries = new Map<string, CacheEntry>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string): CacheEntry | undefined {
    const entry = this.#entries.get(key);
    // A Map keeps the order of insertion: what was read moves to its end.
    if (entry) this.set(key, entry);
    return entry;
  }

  set(key: string, entry: CacheEntry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#size && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
