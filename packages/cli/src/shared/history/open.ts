import { SqliteDriverMissing } from '@mkt/server/sqlite';
import type { Context, Organization } from '../../context/context.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { type HistoryFile, HistoryUnusable, openHistory } from '../../history/database.js';
import { historyPath, hostOf } from '../../history/place.js';

/** The error of a command that needs the history. */
export function withoutHistory({ message, cause }: HistoryUnusable): CliError {
  const hints = cause instanceof SqliteDriverMissing ? cause.hints : ['To use another file: MKT_HISTORY=FILE'];
  return new CliError({ code: 'history', message: `The history cannot be used. ${message}.`, hints, cause });
}

/** The path of the history, of a command that needs it. */
function requiredPath({ io }: Context): string {
  const path = historyPath(io);
  if (path !== undefined) return path;
  throw usageError('MKT_HISTORY=off: there is no history.', 'To have one again: unset MKT_HISTORY');
}

/** Runs `work` with the history, and closes it. @throws the error for users if it cannot be used */
export async function withHistory<Result>(
  context: Context,
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

export const placeOf = ({ settings }: Context, { id }: Organization): Place => ({
  host: hostOf(settings.requiredBaseUrl),
  organization: id,
});
