import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Resource } from '../api/labels.js';
import { cacheDirectory, writeAtomically } from '../config/folders.js';
import type { Io } from '../io/io.js';
import { type Row, sanitizeLine, valueAt } from '../text/values.js';
import { cutTo } from '../text/width.js';
import type { Connection } from './connection.js';

type Place = Pick<Io, 'env' | 'home' | 'platform'>;

/** Id, name, an alternative to the id (an e-mail address), and the state; either may be empty. */
const listed = z.tuple([z.string(), z.string(), z.optional(z.string()), z.optional(z.string())]);
/** The cache of one service: lists by command, or by `organization/command` for resources of an organization. */
const known = z.object({
  lists: z.record(z.string(), z.array(listed)),
  /** The organization of the last command. */
  last: z.optional(z.string()),
});
/** By URL of the service. */
const cache = z.record(z.string(), known);

type Cache = z.output<typeof cache>;

/** The file that completion reads. */
export const cachePath = (place: Place): string => join(cacheDirectory(place), 'completion.json');

/** A missing or damaged file is an empty cache: the next list writes a new one. */
export function readCache(path: string): Cache {
  try {
    return z.parse(cache, JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

export const knownOf = (cache: Cache, service: string): z.output<typeof known> => cache[service] ?? { lists: {} };

/** Rows stored for one list: more than anyone reads after pressing Tab. */
export const STORED_ROWS = 200;
/** Columns of a name. The ellipsis of a cut name keeps it from being offered: no row has that name. */
const LONGEST_NAME = 60;

const listedFrom = ({ title, states }: Resource, row: Row): z.output<typeof listed>[] => {
  const id = valueAt(row, 'id');
  if (typeof id !== 'string' && typeof id !== 'number') return [];
  const textAt = (path: string): string => {
    const value = valueAt(row, path);
    return typeof value === 'string' ? cutTo(sanitizeLine(value), LONGEST_NAME) : '';
  };
  return [[String(id), textAt(title), textAt('user.email'), states === undefined ? '' : textAt(states.field)]];
};

/** Ignores errors: a read-only home folder must not make a list fail. */
function write(path: string, cache: Cache): void {
  try {
    writeAtomically(path, JSON.stringify(cache), 0o600);
  } catch {
    // Completion only offers less.
  }
}

interface Changes {
  /** Whether the rows replace all older ones. */
  readonly complete?: boolean;
  /** Ids that no longer exist. */
  readonly gone?: readonly string[];
}

/** Stores ids, names and states of rows for completion, these rows first. */
export function remember(
  { context: { io, settings }, shown: { resource }, organization: place }: Connection,
  rows: readonly Row[],
  { complete = false, gone = [] }: Changes,
): void {
  const path = cachePath(io);
  const service = settings.requiredBaseUrl;
  const organization = place?.id;
  const cache = readCache(path);
  const known = knownOf(cache, service);
  const key = organization === undefined ? resource.command : `${organization}/${resource.command}`;
  const fresh = rows.slice(0, STORED_ROWS).flatMap((row) => listedFrom(resource, row));
  const ids = new Set([...fresh.map(([id]) => id), ...gone]);
  const older = complete ? [] : (known.lists[key] ?? []).filter(([id]) => !ids.has(id));
  const last = organization ?? known.last;
  const next = {
    ...cache,
    [service]: {
      ...(last !== undefined && { last }),
      lists: { ...known.lists, [key]: [...fresh, ...older].slice(0, STORED_ROWS) },
    },
  };
  if (JSON.stringify(next) !== JSON.stringify(cache)) write(path, next);
}

/** Removes the cache of a service after signing out of it. */
export function forgetService(io: Place, host: string): void {
  const path = cachePath(io);
  const cache = readCache(path);
  const others = Object.entries(cache).filter(([service]) => service !== host && !service.startsWith(`${host}/`));
  if (others.length < Object.keys(cache).length) write(path, Object.fromEntries(others));
}
