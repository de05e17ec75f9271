import { StoreConfigurationError, StoreUnavailable } from '../store/store.js';

/** Why the server did not start, in one sentence. Nothing was changed. `mkt serve` prints it and exits with 2. */
export class ServeError extends Error {
  override readonly name = 'ServeError';
  readonly exitCode = 2;
}

/** Turns errors of the database, whose messages are meant for the person who configured it, into a `ServeError`. */
export async function withServeErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreConfigurationError || error instanceof StoreUnavailable)
      throw new ServeError(error.message, { cause: error });
    throw error;
  }
}
