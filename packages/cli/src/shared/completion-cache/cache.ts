import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../config/json-file.js';
import type { Io } from '../../io/io.js';

/** Id, name for people, and what else it is called by (an e-mail address). */
export type Listed = readonly [id: string, name: string, other?: string];

/** The file that completion answers from: beside the settings when MKT_CONFIG_DIR is given, else where caches are. */
export function cachePath({ env, home, platform }: Pick<Io, 'env' | 'home' | 'platform'>): string {
  const { MKT_CONFIG_DIR, XDG_CACHE_HOME, LOCALAPPDATA } = env;
  const name = 'completion.json';
  if (MKT_CONFIG_DIR) return join(MKT_CONFIG_DIR, 'cache', name);
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'mkt', name);
  if (platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'mkt', 'cache', name);
  return join(home, '.cache', 'mkt', name);
}

/** What is kept of one service: by noun, and `organization/noun` for what is in an organization. */
export interface Kept {
  readonly lists: JsonObject;
  /** The organization that was worked in last. */
  readonly last?: string;
}

/** Everything that is kept, by address of the service. No file, or a damaged one, is an empty cache. */
export function readCache(path: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(value) ? value : {};
  } catch {
    // A cache may be lost at any time; the next list writes it anew.
    return {};
  }
}

export function keptOf(cache: JsonObject, service: string): Kept {
  const kept = Object.hasOwn(cache, service) ? cache[service] : undefined;
  if (!isObject(kept)) return { lists: {} };
  return {
    lists: isObject(kept.lists) ? kept.lists : {},
    ...(typeof kept.last === 'string' && { last: kept.last }),
  };
}

export function listedIn({ lists }: Kept, key: string): Listed[] {
  const rows = Object.hasOwn(lists, key) ? lists[key] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row): Listed[] => {
    if (!Array.isArray(row) || typeof row[0] !== 'string' || typeof row[1] !== 'string') return [];
    return [typeof row[2] === 'string' ? [row[0], row[1], row[2]] : [row[0], row[1]]];
  });
}
