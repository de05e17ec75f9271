import type { CacheEntry, CacheStore, Logger } from '../options.js';

/**
 * A name for a token that does not give it away: the first half of its SHA-256. Where the runtime has no
 * `crypto.subtle` (a page over plain http) it is a random name that lasts as long as the client.
 */
export async function nameOfToken(token: string): Promise<string> {
  if (!globalThis.crypto?.subtle) return `random-${Math.random().toString(36).slice(2)}`;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return [...new Uint8Array(digest, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const isEntry = (value: unknown): value is CacheEntry => {
  const { etag, body } = (value ?? {}) as Partial<CacheEntry>;
  return typeof etag === 'string' && typeof body === 'string';
};

/** A store that never fails a call: what it throws is logged. */
export class Cache {
  readonly #store: CacheStore;
  readonly #logger: Logger | undefined;

  constructor(store: CacheStore, logger: Logger | undefined) {
    this.#store = store;
    this.#logger = logger;
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    const entry = await this.#guard('read', () => this.#store.get(key));
    return isEntry(entry) ? entry : undefined;
  }

  async set(key: string, entry: CacheEntry): Promise<void> {
    await this.#guard('write', () => this.#store.set(key, entry));
  }

  async delete(key: string): Promise<void> {
    await this.#guard('delete', () => this.#store.delete(key));
  }

  async #guard(verb: string, act: () => unknown): Promise<unknown> {
    try {
      return await act();
    } catch (error) {
      this.#logger?.warn(
        `The cache store failed to ${verb} an entry: ${error instanceof Error ? error.message : error}`,
      );
      return undefined;
    }
  }
}
