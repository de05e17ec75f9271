import { SqliteDriverMissing } from '@mkt/server/sqlite';
import type { Settings } from '../config/settings.js';
import { CliError, toType, usageError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { type HistoryFile, HistoryUnusable, openHistory } from './database.js';
import { historyPath, hostOf } from './place.js';

interface Running {
  readonly io: Io;
  readonly settings: Settings;
}

/** What helps if the file cannot be used. Only these commands need it. */
export const historyHints = [
  toType('mkt config reset-history', 'To begin a new one and keep this file under another name'),
  'To use another file: MKT_HISTORY=FILE',
  'Other commands work without it',
];

/** The error of a command that needs the history. */
export function withoutHistory({ message, cause }: HistoryUnusable): CliError {
  const hints = cause instanceof SqliteDriverMissing ? cause.hints : historyHints;
  return new CliError({ code: 'history', message: `The history cannot be used. ${message}.`, hints, cause });
}

function requiredPath({ io }: Running): string {
  const path = historyPath(io);
  if (path !== undefined) return path;
  throw usageError('MKT_HISTORY=off: there is no history.', 'To have one again: unset MKT_HISTORY');
}

/** Runs `work` with the history, and closes it. @throws the error for users if it cannot be used */
export async function withHistory<Result>(
  context: Running,
  work: (file: HistoryFile) => Result | Promise<Result>,
): Promise<Result> {
  let file: HistoryFile | undefined;
  try {
    file = await openHistory(requiredPath(context));
    return await work(file);
  } catch (error) {
    throw error instanceof HistoryUnusable ? withoutHistory(error) : error;
  } finally {
    file?.close();
  }
}

/** An organization as the history names it. */
export interface Place {
  readonly host: string;
  readonly organization: string;
}

export const placeOf = ({ settings }: Running, { id }: { readonly id: string }): Place => ({
  host: hostOf(settings.requiredBaseUrl),
  organization: id,
});
