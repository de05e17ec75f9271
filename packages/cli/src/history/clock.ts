import type { SqliteDatabase } from '@mkt/server/sqlite';
import type { Io } from '../io/io.js';
import type { HistoryFile } from './database.js';

/** Smaller differences are the time that a response takes, in milliseconds. */
const leastKept = 30_000;

const query = 'select ahead from mkt_clocks where host = ?';

/** How many milliseconds the clock of a service was ahead of this machine's when it was last recorded. */
export const knownAhead = (database: SqliteDatabase, host: string): number =>
  Number(database.prepare(query).all([host])[0]?.ahead ?? 0);

/** Records it for commands that send no request, or none yet. */
export function keepAhead(database: SqliteDatabase, host: string, ahead: number | undefined): void {
  if (ahead === undefined || Math.abs(ahead - knownAhead(database, host)) < leastKept) return;
  database
    .prepare('insert into mkt_clocks (host, ahead) values (?, ?) on conflict do update set ahead = excluded.ahead')
    .all([host, ahead]);
}

/** The time by the clock of the service, as far as it is known: ages count back from it. */
export const serviceNow = (
  { io, journal }: { readonly io: Io; readonly journal: { readonly ahead: number | undefined } },
  file: HistoryFile,
  host: string,
): Date => new Date(io.now().getTime() + (journal.ahead ?? Number(file.all(query, host)[0]?.ahead ?? 0)));
