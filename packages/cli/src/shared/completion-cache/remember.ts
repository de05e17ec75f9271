import { renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Resource } from '../../api/resources.js';
import { makeFolder } from '../../config/folders.js';
import type { Io } from '../../io/io.js';
import { type Row, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import { type Cache, cachePath, knownOf, type Listed, readCache } from './cache.js';

/** Rows kept for one noun: more than anybody looks through after a Tab. */
export const KEPT_ROWS = 200;
/** Columns of a name. The sign at the end of one that is cut keeps it from being offered: it would not be found. */
const LONGEST_NAME = 60;

const listedFrom = ({ title }: Resource, row: Row): Listed[] => {
  const id = valueAt(row, 'id');
  if (typeof id !== 'string' && typeof id !== 'number') return [];
  const [name, email] = [title, 'user.email'].map((path) => {
    const value = valueAt(row, path);
    return typeof value === 'string' ? cutTo(sanitizeLine(value), LONGEST_NAME) : '';
  });
  return [email ? [String(id), name ?? '', email] : [String(id), name ?? '']];
};

type Place = Pick<Io, 'env' | 'home' | 'platform'>;

export interface Rows {
  readonly resource: Resource;
  /** Id of the one that they are in. */
  readonly organization: string | undefined;
  readonly rows: readonly Row[];
  /** Whether these are all there are: what was kept before is gone then. */
  readonly complete: boolean;
}

/** A by-product: where it cannot be written, nothing is said and completion knows less. */
function write(path: string, cache: Cache): void {
  try {
    makeFolder(dirname(path));
    // Whole or not at all: completion may read at this moment.
    const partial = `${path}.${process.pid}.part`;
    writeFileSync(partial, JSON.stringify(cache), { mode: 0o600 });
    renameSync(partial, path);
  } catch {
    // A read-only home is no reason for a list to fail.
  }
}

/** Keeps ids and names of listed rows for completion, those of this list first. */
export function remember(io: Place, service: string, { resource, organization, rows, complete }: Rows): void {
  const path = cachePath(io);
  const cache = readCache(path);
  const known = knownOf(cache, service);
  const key = organization === undefined ? resource.command : `${organization}/${resource.command}`;
  const fresh = rows.slice(0, KEPT_ROWS).flatMap((row) => listedFrom(resource, row));
  const ids = new Set(fresh.map(([id]) => id));
  const older = complete ? [] : (known.lists[key] ?? []).filter(([id]) => !ids.has(id));
  const last = organization ?? known.last;
  const next = {
    ...cache,
    [service]: {
      ...(last !== undefined && { last }),
      lists: { ...known.lists, [key]: [...fresh, ...older].slice(0, KEPT_ROWS) },
    },
  };
  if (JSON.stringify(next) !== JSON.stringify(cache)) write(path, next);
}

/** Nothing of a service that one has signed out of is offered any more. */
export function forgetService(io: Place, host: string): void {
  const path = cachePath(io);
  const cache = readCache(path);
  const kept = Object.entries(cache).filter(([service]) => service !== host && !service.startsWith(`${host}/`));
  if (kept.length < Object.keys(cache).length) write(path, Object.fromEntries(kept));
}
