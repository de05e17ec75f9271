// Loaded by the first read of a client that was given a store. It imports nothing but types: what it shared with the client
// would become a third file of every bundle.
import type { CacheEntry, CacheStore } from '../options.js';
import type { ResponseCache } from './cache.js';

/**
 * Identifies a token without revealing it: the first half of its SHA-256. Without `crypto.subtle` (a page over plain
 * http) it is a random string that lasts as long as the client.
 */
async function hashToken(token: string): Promise<string> {
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

/** Wraps a store so that it never fails a call: errors are logged, and slow results are ignored. Its keys hold no tokens. */
export class GuardedStore implements ResponseCache {
  readonly #store: CacheStore;
  readonly #log: (what: string, error: unknown) => void;
  #hashed: { token: string; hash: Promise<string> } | undefined;

  constructor(store: CacheStore, log: (what: string, error: unknown) => void) {
    this.#store = store;
    this.#log = log;
  }

  async get(token: string, url: string): Promise<CacheEntry | undefined> {
    const key = await this.#key(token, url);
    return asEntry(await this.#guard('read', () => this.#store.get(key)));
  }

  async set(token: string, url: string, entry: CacheEntry): Promise<void> {
    const key = await this.#key(token, url);
    await this.#guard('write', () => this.#store.set(key, entry));
  }

  async delete(token: string, url: string): Promise<void> {
    const key = await this.#key(token, url);
    await this.#guard('delete', () => this.#store.delete(key));
  }

  async #key(token: string, url: string): Promise<string> {
    // biome-ignore lint/plugin/secrets: the caller's own token and the one it used before, in its process: there is no guess.
    if (this.#hashed?.token !== token) this.#hashed = { token, hash: hashToken(token) };
    return `mkt:${await this.#hashed.hash}:GET:${url}`;
  }

  async #guard(verb: string, act: () => unknown): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it did not respond within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([act(), late]);
    } catch (error) {
      this.#log(`The cache store failed to ${verb} an entry`, error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
