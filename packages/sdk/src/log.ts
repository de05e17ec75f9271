import type { LogFields, Logger, LogLevel, MarketplaceOptions } from './options.js';

type LogOptions = Pick<MarketplaceOptions, 'logger' | 'logLevel'>;

const levels: readonly LogLevel[] = ['debug', 'info', 'warn'];

/** Runs a function of the caller's. It may fail, at once or later, without failing the call or the process. */
function safely(run: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = run();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** pino and bunyan take the fields first; of the usual loggers, only they have these. */
const takesFieldsFirst = (logger: Logger): boolean => 'bindings' in logger || 'addSerializers' in logger;

export function log(
  { logger, logLevel = 'debug' }: LogOptions,
  level: LogLevel,
  message: string,
  fields: LogFields,
): void {
  if (!logger || levels.indexOf(level) < levels.indexOf(logLevel)) return;
  safely(
    () => {
      if (typeof logger === 'function') return logger(level, message, fields);
      const write = (logger[level] ?? logger.debug).bind(logger);
      return takesFieldsFirst(logger) ? write(fields, message) : write(message, fields);
    },
    () => undefined,
  );
}

/** What an error says, or anything else that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Logs a warning about an error that does not fail the call. */
export function logFailure(options: LogOptions, what: string, error: unknown): void {
  const reason = messageOf(error);
  log(options, 'warn', `${what}: ${reason}`, { error: reason });
}

/** Calls a function of the caller's. What it throws is logged. */
export function notify<T>(
  options: LogOptions,
  name: string,
  callback: ((event: T) => unknown) | undefined,
  event: T,
): void {
  safely(
    () => callback?.(event),
    (error) => logFailure(options, `${name} threw`, error),
  );
}
