import { StoreUnavailable } from '../store.js';
import { StoreConfigurationError } from './errors.js';

/** The database without user and password, for messages. @throws {StoreConfigurationError} for what is no address */
export function placeOf(url: string): string {
  if (!URL.canParse(url))
    throw new StoreConfigurationError(
      'The address of the database is not a URL; it looks like postgres://user:password@host:5432/database.',
    );
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'that host is not known',
  EAI_AGAIN: 'that host is not known',
  ECONNRESET: 'it ended the connection',
  '28P01': 'the user name or the password is wrong',
  '28000': 'this user may not connect to it',
  '3D000': 'there is no database of that name',
  '42501': 'this user may not create tables there',
  '53300': 'it has no connection left; raise its max_connections, or start the servers with a smaller --db-connections',
  '57P03': 'it is still starting',
};

/** What an error at start-up means to the person who gave the address. */
export function explained(error: unknown, place: string): unknown {
  if (error instanceof StoreUnavailable) return explained(error.cause, place);
  if (!(error instanceof Error) || error instanceof StoreConfigurationError) return error;
  const code = 'code' in error ? String(error.code) : '';
  const reason = reasons[code] ?? (/timeout|timed out|ETIMEDOUT/i.test(error.message) ? 'it does not answer' : null);
  if (reason)
    return new StoreConfigurationError(`The database at ${place} cannot be used: ${reason}.`, { cause: error });
  // The database's or the driver's own words; an error of another class is a mistake in this program.
  const isTheirs = code !== '' || Object.getPrototypeOf(error) === Error.prototype;
  return isTheirs
    ? new StoreConfigurationError(`The database at ${place} cannot be used. It says: ${error.message}`, {
        cause: error,
      })
    : error;
}
