import type { LogFields, LogLevel, MarketplaceOptions } from './options.js';

type LogOptions = Pick<MarketplaceOptions, 'logger' | 'logLevel'>;

const levels: readonly LogLevel[] = ['debug', 'info', 'warn'];

export function log(
  { logger, logLevel = 'debug' }: LogOptions,
  level: LogLevel,
  message: string,
  fields: LogFields,
): void {
  if (logger && levels.indexOf(level) >= levels.indexOf(logLevel))
    (logger[level] ?? logger.debug).call(logger, message, fields);
}

/** Logs a warning about an error that does not fail the call. */
export function logFailure(options: LogOptions, what: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  log(options, 'warn', `${what}: ${reason}`, { error: reason });
}

/** Calls a function of the caller's. What it throws is logged. */
export function notify<T>(
  options: LogOptions,
  name: string,
  callback: ((event: T) => void) | undefined,
  event: T,
): void {
  try {
    callback?.(event);
  } catch (error) {
    logFailure(options, `${name} threw`, error);
  }
}
