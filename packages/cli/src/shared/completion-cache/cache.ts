import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Io } from '../../io/io.js';

/** Id, name, and what else it is called by (an e-mail address). */
const listed = z.tuple([z.string(), z.string(), z.optional(z.string())]);
/** What is known of one service: lists by noun, and by `organization/noun` for what is in an organization. */
const known = z.object({
  lists: z.record(z.string(), z.array(listed)),
  /** The organization of the last command. */
  last: z.optional(z.string()),
});
/** By address of the service. */
const cache = z.record(z.string(), known);

export type Listed = z.output<typeof listed>;
export type Known = z.output<typeof known>;
export type Cache = z.output<typeof cache>;

/** The file that completion reads: next to the settings where MKT_CONFIG_DIR is given, else where caches are. */
export function cachePath({ env, home, platform }: Pick<Io, 'env' | 'home' | 'platform'>): string {
  const { MKT_CONFIG_DIR, XDG_CACHE_HOME, LOCALAPPDATA } = env;
  const name = 'completion.json';
  if (MKT_CONFIG_DIR) return join(MKT_CONFIG_DIR, 'cache', name);
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'mkt', name);
  if (platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'mkt', 'cache', name);
  return join(home, '.cache', 'mkt', name);
}

/** A missing or damaged file is an empty cache: the next list writes a new one. */
export function readCache(path: string): Cache {
  try {
    return z.parse(cache, JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

export const knownOf = (cache: Cache, service: string): Known => cache[service] ?? { lists: {} };
