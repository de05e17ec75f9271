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
  // An ETag that a header cannot hold would fail the call.
  const isEntry = typeof etag === 'string' && /^[\x21-\x7e\x80-\xff]+$/.test(etag) && typeof body === 'string';
  return isEntry ? { etag, body } : undefined;
};

/** How long a call waits for its response to be stored, so that a program that ends next has stored it. */
const longestWait = 20;

/** After so many failures in a row the store is left out for some time. */
const maxFailures = 3;
const leftOutMs = 30_000;

/** Wraps a store so that it never fails or delays a call: errors are logged. Its keys hold no tokens. */
export class GuardedStore implements ResponseCache {
  readonly #store: CacheStore;
  readonly #log: (what: string, error: unknown) => void;
  /** Writes under way, with the entry that a read finds until they end. */
  readonly #writes = new Map<string, { entry: CacheEntry | undefined; write: Promise<unknown> }>();
  #hashed: { token: string; hash: Promise<string> } | undefined;
  /** In a row. */
  readonly #failures = { read: 0, write: 0, delete: 0 };
  #leftOutUntil = 0;

  constructor(store: CacheStore, log: (what: string, error: unknown) => void) {
    this.#store = store;
    this.#log = log;
  }

  async get(token: string, url: string, waitMs: number): Promise<CacheEntry | undefined> {
    const key = await this.#key(token, url);
    const pending = this.#writes.get(key);
    if (pending) return pending.entry;
    return this.#guard('read', async () => asEntry(await this.#store.get(key)), Math.min(waitMs, 70));
  }

  async set(token: string, url: string, entry: CacheEntry, waitMs: number): Promise<void> {
    const longest = new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, longestWait)));
    await Promise.race([this.#write(token, url, entry), longest]);
  }

  delete(token: string, url: string): void {
    this.#write(token, url);
  }

  async #write(token: string, url: string, entry?: CacheEntry): Promise<void> {
    const key = await this.#key(token, url);
    const earlier = this.#writes.get(key)?.write;
    const act = async () => {
      if (earlier) await earlier;
      await (entry ? this.#store.set(key, entry) : this.#store.delete(key));
    };
    const write = this.#guard(entry ? 'write' : 'delete', act, 3000);
    this.#writes.set(key, { entry, write });
    await write;
    if (this.#writes.get(key)?.write === write) this.#writes.delete(key);
  }

  async #key(token: string, url: string): Promise<string> {
    // biome-ignore lint/plugin/secrets: the caller's own token and the one it used before, in its process: there is no guess.
    if (this.#hashed?.token !== token) this.#hashed = { token, hash: hashToken(token) };
    return `mkt:${await this.#hashed.hash}:GET:${url}`;
  }

  async #guard<T>(verb: 'read' | 'write' | 'delete', act: () => Promise<T>, timeoutMs: number): Promise<T | undefined> {
    if (performance.now() < this.#leftOutUntil) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      // In steps: what blocks the event loop once, or takes the processor away, uses up only one of them.
      const wait = (steps: number) => {
        if (steps === 0) reject(new Error(`it did not respond within ${timeoutMs} ms`));
        else timer = setTimeout(wait, timeoutMs / 5, steps - 1);
      };
      wait(5);
    });
    try {
      const result = await Promise.race([act(), late]);
      this.#failures[verb] = 0;
      return result;
    } catch (error) {
      if (performance.now() < this.#leftOutUntil) return undefined;
      this.#failures[verb] += 1;
      const isLeftOut = this.#failures[verb] >= maxFailures;
      if (isLeftOut) this.#leftOutUntil = performance.now() + leftOutMs;
      const after = isLeftOut ? `, and is not used for ${leftOutMs / 1000} s` : '';
      this.#log(`The cache store failed to ${verb} an entry${after}`, error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
