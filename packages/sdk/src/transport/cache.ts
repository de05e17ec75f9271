import type { Awaitable, CacheEntry } from '../options.js';

/** Stored responses, by the token and the URL of their requests. */
export interface ResponseCache {
  /** @param waitMs - how long it may take, at most. */
  get(token: string, url: string, waitMs: number): Awaitable<CacheEntry | undefined>;
  set(token: string, url: string, entry: CacheEntry, waitMs: number): Awaitable<void>;
  /** Nothing waits for it. */
  delete(token: string, url: string): void;
}

/** Stays in this program, so it may hold the token itself: hashing loads web crypto, and waits for its thread. */
const keyOf = (token: string, url: string): string => `${token} ${url}`;

/** How many responses are stored, at most. */
const maxEntries = 500;

/** Engines store text in one byte per character, or in two if a character needs them. */
const bytesOf = (text: string): number => (/[^\0-\xff]/.test(text) ? 2 : 1) * text.length;

/** The latest responses in memory. The least recently used is removed first. */
export class MemoryCache implements ResponseCache {
  readonly #entries = new Map<string, CacheEntry & { bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = 2 ** 24) {
    this.#maxBytes = maxBytes;
  }

  get(token: string, url: string): CacheEntry | undefined {
    const key = keyOf(token, url);
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // A Map keeps the order of insertion: what was read moves to its end.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  set(token: string, url: string, { etag, body }: CacheEntry): void {
    const key = keyOf(token, url);
    this.#remove(key);
    const bytes = bytesOf(key) + bytesOf(body);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(key, { etag, body, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  delete(token: string, url: string): void {
    this.#remove(keyOf(token, url));
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
