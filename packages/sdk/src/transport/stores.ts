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

/** How long the store may take. One that waits for an unreachable server takes longer. */
const timeouts = { read: 70, write: 3000, delete: 3000 };

/** How long a call waits for its response to be stored, so that a program that ends next has stored it. */
const longestWait = 20;

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** After so many failures in a row the store is left out for some time. */
const maxFailures = 3;
const leftOutMs = 30_000;

/** Wraps a store so that it never fails or delays a call: errors are logged. Its keys hold no tokens. */
export class GuardedStore implements ResponseCache {
  readonly #store: CacheStore;
  readonly #log: (what: string, error: unknown) => void;
  /** Writes under way, which a read of the same entry waits for. */
  readonly #writes = new Map<string, Promise<unknown>>();
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
    const read = async () => {
      await this.#writes.get(key);
      return asEntry(await this.#store.get(key));
    };
    return this.#guard('read', read, Math.min(waitMs, timeouts.read));
  }

  async set(token: string, url: string, entry: CacheEntry, waitMs: number): Promise<void> {
    const write = this.#write('write', token, url, (key) => this.#store.set(key, entry));
    await Promise.race([write, delay(Math.min(waitMs, longestWait))]);
  }

  delete(token: string, url: string): void {
    this.#write('delete', token, url, (key) => this.#store.delete(key));
  }

  async #write(verb: 'write' | 'delete', token: string, url: string, act: (key: string) => unknown): Promise<void> {
    const key = await this.#key(token, url);
    const earlier = this.#writes.get(key);
    const write = this.#guard(
      verb,
      earlier ? () => earlier.then(() => act(key)) : async () => act(key),
      timeouts[verb],
    );
    this.#writes.set(key, write);
    await write;
    if (this.#writes.get(key) === write) this.#writes.delete(key);
  }

  async #key(token: string, url: string): Promise<string> {
    // biome-ignore lint/plugin/secrets: the caller's own token and the one it used before, in its process: there is no guess.
    if (this.#hashed?.token !== token) this.#hashed = { token, hash: hashToken(token) };
    return `mkt:${await this.#hashed.hash}:GET:${url}`;
  }

  async #guard<T>(verb: keyof typeof timeouts, act: () => Promise<T>, timeoutMs: number): Promise<T | undefined> {
    if (performance.now() < this.#leftOutUntil) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it did not respond within ${timeoutMs} ms`)), timeoutMs);
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
