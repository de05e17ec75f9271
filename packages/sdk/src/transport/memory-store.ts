import type { CacheEntry, CacheStore } from '../options.js';

/** The latest answers in memory: the least recently used goes first. */
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
