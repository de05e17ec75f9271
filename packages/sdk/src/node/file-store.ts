import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheEntry, CacheStore } from '../options.js';

/** Options of the file store. */
export interface FileStoreOptions {
  /** Folder of the entries. It is made when it is missing, readable by its owner alone. */
  folder: string;
  /** Entries at most; the least recently used go first. Default 500. */
  size?: number | undefined;
}

/** Old entries are looked for on every so many writes. */
const writesBetweenSweeps = 50;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Answers kept in a folder, one file each, so that short-lived programs profit from ETags too. Several processes may
 * share the folder: a file is written beside its place and then moved there, so that nobody ever reads half of one.
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
      const { key: kept, etag, body } = JSON.parse(await readFile(path, 'utf8')) as CacheEntry & { key: string };
      if (kept !== key) return undefined;
      const now = new Date();
      await utimes(path, now, now);
      return { etag, body };
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof SyntaxError) {
        // Not ours, or damaged on disk: away with it, so that the next answer takes its place.
        await rm(path, { force: true });
        return undefined;
      }
      throw error;
    }
  }

  async set(key: string, { etag, body }: CacheEntry): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(key);
    const beside = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(beside, JSON.stringify({ key, etag, body }), { mode: 0o600 });
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
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

  /** Removes what is beyond the size, and what a process that was killed has left behind. */
  async #sweep(): Promise<void> {
    const names = await readdir(this.#folder);
    const hourAgo = Date.now() - 3_600_000;
    const entries: { path: string; usedAt: number }[] = [];
    for (const name of names) {
      const path = join(this.#folder, name);
      const usedAt = await usedAtOf(path);
      if (name.endsWith('.tmp')) {
        if (usedAt < hourAgo) await rm(path, { force: true });
      } else if (name.endsWith('.json')) entries.push({ path, usedAt });
    }
    entries.sort((a, b) => b.usedAt - a.usedAt);
    for (const { path } of entries.slice(this.#size)) await rm(path, { force: true });
  }
}

/** When a file was last used; another process may have removed it meanwhile. */
async function usedAtOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
