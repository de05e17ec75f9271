import { StoreConfigurationError, StoreUnavailable } from '../store/store.js';

/** Explains why the server did not start. Nothing was changed. `mkt serve` prints the message and exits with 2. */
export class ServeError extends Error {
  override readonly name = 'ServeError';
  readonly exitCode = 2;
}

/** Converts database errors, whose messages are for the operator, to a `ServeError`. */
export async function withServeErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreConfigurationError || error instanceof StoreUnavailable)
      throw new ServeError(error.message, { cause: error });
    throw error;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOSPC: 'the disk is full',
  ELOOP: 'its links lead to each other',
  ENAMETOOLONG: 'its name is too long',
  EROFS: 'the disk is read-only',
  EPIPE: 'its reader has stopped',
};

export const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;

/** Why a file cannot be read or written, as the end of a sentence. */
export const fileReason = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
};
