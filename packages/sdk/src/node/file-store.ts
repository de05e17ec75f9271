import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheEntry, CacheStore } from '../options.js';

/** Options of the file store. */
export interface FileStoreOptions {
  /** Folder of the entries. If it is missing, it is created, readable only by its owner. */
  folder: string;
  /** How many entries to keep: after 50 writes, the least recently used of the others are removed. Default 500. */
  size?: number | undefined;
}

/** How many writes there are between two searches for old entries. */
const writesBetweenSweeps = 50;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Stores responses in a folder, one file each, so that short-lived programs benefit from ETags too. Several processes may
 * share the folder: a file is written under a temporary name and then renamed, so that it is never read half written.
 */
export class FileStore implements CacheStore {
  readonly #folder: string;
  readonly #size: number;
  #writes = 0;

  constructor({ folder, size = 500 }: FileStoreOptions) {
    this.#folder = folder;
    this.#size = size;
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    const path = this.#path(key);
    try {
      const { key: stored, etag, body } = JSON.parse(await readFile(path, 'utf8')) as CacheEntry & { key: string };
      if (stored !== key) return undefined;
      const now = new Date();
      await utimes(path, now, now);
      return { etag, body };
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof SyntaxError) {
        // Not ours, or damaged on disk: the next response takes its place.
        await rm(path, { force: true });
        return undefined;
      }
      throw error;
    }
  }

  async set(key: string, { etag, body }: CacheEntry): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(key);
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, JSON.stringify({ key, etag, body }), { mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    this.#writes += 1;
    if (this.#writes % writesBetweenSweeps === 0) await this.#sweep();
  }

  async delete(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  #path(key: string): string {
    return join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }

  /** Removes entries beyond the size, and temporary files of processes that were killed. */
  async #sweep(): Promise<void> {
    const names = await readdir(this.#folder);
    const hourAgo = Date.now() - 3_600_000;
    const entries: { path: string; usedAt: number }[] = [];
    for (const name of names) {
      const path = join(this.#folder, name);
      const usedAt = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        // Another process has removed it.
        (error) => (isMissing(error) ? 0 : Promise.reject(error)),
      );
      if (name.endsWith('.tmp')) {
        if (usedAt < hourAgo) await rm(path, { force: true });
      } else if (name.endsWith('.json')) entries.push({ path, usedAt });
    }
    entries.sort((a, b) => b.usedAt - a.usedAt);
    for (const { path } of entries.slice(this.#size)) await rm(path, { force: true });
  }
}
